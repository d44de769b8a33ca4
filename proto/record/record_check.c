// record_check.c - the rules that values obey, from the rows of their fields. Pure; any thread.
#include "proto/record/record_check.h"

#include <math.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/record/key_check.h"

// Reads eight bytes at a time. Nearly every text is ASCII and need not be decoded.
static bool
is_ascii(const char *data, size_t size)
{
    uint64_t seen = 0;
    for (; size >= sizeof seen; data += sizeof seen, size -= sizeof seen) {
        uint64_t bytes;
        memcpy(&bytes, data, sizeof bytes);
        seen |= bytes;
    }
    for (size_t i = 0; i < size; i++)
        seen |= (unsigned char)data[i];
    return (seen & UINT64_C(0x8080808080808080)) == 0;
}

static fallible
check_text(const struct field *field, const struct text *text, const struct path *path)
{
    size_t size = text_size(text);
    if (!is_ascii(text_bytes(text), size) && !utf8_is_valid(text_bytes(text), size))
        return path_fail(path, ERR_MALFORMED, "must be UTF-8");
    const char *wrong = (field->flags & FIELD_KEY) ? key_check(text) : NULL;
    if (wrong)
        return path_fail(path, ERR_INVALID, "%s", wrong);
    return OK;
}

static fallible
check_text_member(const struct field *field, const struct text *text, const struct path *path)
{
    if (text_size(text) > field_limit(field))
        return path_fail(path, ERR_INVALID, "must have at most %u bytes", field_limit(field));
    return check_text(field, text, path);
}

static fallible
check_number(const struct field *field, double value, const struct path *path)
{
    if (!isfinite(value))
        return path_fail(path, ERR_INVALID, "must be finite");
    bool bounded = field->minimum != 0 || field->maximum != 0;
    if (bounded && (value < field->minimum || value > field->maximum))
        return path_fail(path, ERR_INVALID, "must be from %.17g to %.17g", field->minimum,
                         field->maximum);
    return OK;
}

static fallible
check_numbers(const struct field *field, const double *values, const struct path *path)
{
    for (size_t i = 0; i < field->capacity; i++) {
        struct path item = {.up = path, .index = i};
        TRY(check_number(field, values[i], &item));
    }
    return OK;
}

fallible
record_check_count(const struct field *field, size_t count, const struct path *path)
{
    if (count > field_limit(field))
        return path_fail(path, ERR_INVALID, "must have at most %u items", field_limit(field));
    return OK;
}

// The field's limit is that of the list; its texts obey the general one.
static fallible
check_texts(const struct field *field, const struct texts *list, const struct path *path)
{
    TRY(record_check_count(field, texts_count(list), path));
    for (size_t i = 0; i < texts_count(list); i++) {
        struct path item = {.up = path, .index = i};
        if (text_size(list->items[i]) > LIMIT_TEXT_BYTES)
            return path_fail(&item, ERR_INVALID, "must have at most %d bytes", LIMIT_TEXT_BYTES);
        TRY(check_text(field, list->items[i], &item));
    }
    return OK;
}

static fallible check_members(const struct record *record, const struct path *path);
static fallible check_member(const struct field *field, const struct record *record,
                             const struct path *path);

// In the body its name is that of a member, and its value the member's.
static fallible
check_map_item(const struct record *record, const struct path *path)
{
    struct path item = {.up = path, .name = text_chars(record_key(record))};
    TRY(check_member(&record->schema->fields[0], record, &item));
    return check_member(&record->schema->fields[1], record, &item);
}

static fallible
check_records(const struct field *field, const struct records *list, const struct path *path)
{
    uint32_t count = list ? list->count : 0;
    TRY(record_check_count(field, count, path));
    for (uint32_t i = 0; i < count; i++) {
        struct path item = {.up = path, .index = i};
        if (field->flags & FIELD_MAP)
            TRY(check_map_item(list->items[i], path));
        else
            TRY(check_members(list->items[i], &item));
    }
    return OK;
}

static fallible
check_nested(const struct record *record, const struct path *path)
{
    return record ? check_members(record, path) : OK;
}

static fallible
check_member(const struct field *field, const struct record *record, const struct path *path)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return check_text_member(field, MEMBER_CONST(const struct text *, record, field), path);
    case FIELD_INTEGER:
        return check_number(field, (double)MEMBER_CONST(int64_t, record, field), path);
    case FIELD_NUMBER:
        return check_number(field, MEMBER_CONST(double, record, field), path);
    case FIELD_NUMBERS:
        return check_numbers(field, record_member_const(record, field), path);
    case FIELD_TEXTS:
        return check_texts(field, MEMBER_CONST(const struct texts *, record, field), path);
    case FIELD_RECORD:
        return check_nested(MEMBER_CONST(const struct record *, record, field), path);
    case FIELD_RECORDS:
        return check_records(field, MEMBER_CONST(const struct records *, record, field), path);
    case FIELD_BOOL:
        break;
    }
    return OK;
}

static fallible
check_members(const struct record *record, const struct path *path)
{
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        struct path member = {.up = path, .name = field->name};
        if (record_has(record, field->id))
            TRY(check_member(field, record, &member));
    }
    return OK;
}

fallible
record_check(const struct record *record, const char *pointer)
{
    struct path root = {.name = pointer};
    return check_members(record, &root);
}
