// record_json.c - JSON values to record members, by walking the field table. Pure; any thread.
#include "proto/codec/record_json.h"

#include <math.h>
#include <string.h>

#include "proto/base/nearest.h"
#include "proto/codec/json_tree.h"
#include "proto/record/path.h"
#include "proto/record/record_check.h"
#include "proto/record/view.h"

enum {
    FIELD_UNREAD = FIELD_DERIVED | FIELD_HIDDEN,
    LIKE_EDITS = 3, // so many characters may differ in names that are alike
};

// Reads `value`, which is not absent, into the member at `ret_member`.
typedef enum error member_reader(const struct record_reader *reader, const struct field *field,
                                 const struct json *value, const struct path *path,
                                 void *ret_member);

static fallible
wrong_type(const struct path *path, const char *wanted)
{
    return path_fail(path, ERR_MALFORMED, "must be %s", wanted);
}

static const struct text *
text_of(const struct record_reader *reader, const struct json *value)
{
    if (reader->keeps_texts)
        return value->text;
    return text_copy(reader->arena, value->text);
}

// Any value, as compact JSON.
static fallible
read_any(const struct record_reader *reader, const struct field *field, const struct json *value,
         const struct path *path, void *ret_member)
{
    struct buffer chars = {0};
    if (json_tree_is_deeper(value, field->levels))
        return path_fail(path, ERR_INVALID, "must have at most %u levels of arrays and objects",
                         field->levels);
    bool fits = json_tree_put(&chars, value, field_limit(field));
    if (fits)
        *(const struct text **)ret_member = text_new(reader->arena, chars.data, chars.size);
    buffer_finish(&chars);
    if (!fits)
        return path_fail(path, ERR_INVALID, "must have at most %u bytes as compact JSON",
                         field_limit(field));
    if (!json_tree_is_json(reader->arena, value)) // a datagram of msgpack can say more than JSON
        return wrong_type(path, "JSON: texts in UTF-8, each name of an object once");
    if (reader->warnings && json_tree_is_rounded(value))
        warnings_add(reader->warnings, reader->arena, path,
                     "has an integer from 2^63, which comes back as the nearest double");
    return OK;
}

static fallible
read_text(const struct record_reader *reader, const struct field *field, const struct json *value,
          const struct path *path, void *ret_member)
{
    if (field->flags & FIELD_JSON)
        return read_any(reader, field, value, path, ret_member);
    if (value->type != JSON_TEXT)
        return wrong_type(path, "a string");
    *(const struct text **)ret_member = text_of(reader, value);
    return OK;
}

static fallible
read_bool(const struct record_reader *reader, const struct field *field, const struct json *value,
          const struct path *path, void *ret_member)
{
    (void)reader, (void)field;
    if (value->type != JSON_BOOL)
        return wrong_type(path, "true or false");
    *(bool *)ret_member = value->boolean;
    return OK;
}

// 2^63 as a double: the first value that int64 cannot hold.
#define INTEGER_END 9223372036854775808.0

static fallible
read_integer(const struct record_reader *reader, const struct field *field,
             const struct json *value, const struct path *path, void *ret_member)
{
    (void)reader, (void)field;
    if (value->type == JSON_INTEGER) {
        *(int64_t *)ret_member = value->integer;
        return OK;
    }
    if (value->type != JSON_NUMBER || trunc(value->number) != value->number)
        return wrong_type(path, "an integer");
    if (value->number < -INTEGER_END || value->number >= INTEGER_END)
        return path_fail(path, ERR_INVALID, "must fit 64 bits");
    *(int64_t *)ret_member = (int64_t)value->number;
    return OK;
}

static bool
is_number(const struct json *value)
{
    return value->type == JSON_NUMBER || value->type == JSON_INTEGER;
}

static double
number_of(const struct json *value)
{
    return value->type == JSON_INTEGER ? (double)value->integer : value->number;
}

static void
warn_of_number(const struct record_reader *reader, const struct field *field, double number,
               const struct path *path)
{
    if (field->likely != 0 && fabs(number) > field->likely && reader->warnings)
        warnings_add(reader->warnings, reader->arena, path,
                     "is outside the map, which goes from -%g to %g", field->likely, field->likely);
}

// A matrix in the other layout has its translation there.
static void
warn_of_matrix(const struct record_reader *reader, const double matrix[16], const struct path *path)
{
    const double *last = &matrix[reader->by_columns ? 3 : 12];
    int step = reader->by_columns ? 4 : 1;
    if (!reader->warnings ||
        (last[0] == 0 && last[step] == 0 && last[2 * step] == 0 && last[3 * step] == 1))
        return;
    warnings_add(reader->warnings, reader->arena, path,
                 "has a last row that is not 0, 0, 0, 1: matrices are written %s",
                 reader->by_columns ? "column by column, as `layout` says" : "row by row");
}

static fallible
read_number(const struct record_reader *reader, const struct field *field, const struct json *value,
            const struct path *path, void *ret_member)
{
    (void)field;
    if (reader->takes_numerals && value->type == JSON_TEXT &&
        text_number(value->text, (double *)ret_member)) {
        warn_of_number(reader, field, *(double *)ret_member, path);
        return OK;
    }
    if (!is_number(value))
        return wrong_type(path, "a number");
    *(double *)ret_member = number_of(value);
    warn_of_number(reader, field, *(double *)ret_member, path);
    return OK;
}

static fallible
read_numbers(const struct record_reader *reader, const struct field *field,
             const struct json *value, const struct path *path, void *ret_member)
{
    double *numbers = ret_member;
    if (value->type != JSON_ARRAY)
        return wrong_type(path, "an array of numbers");
    for (uint32_t i = 0; i < value->count; i++) {
        struct path item = {.up = path, .index = i};
        if (!is_number(&value->items[i]))
            return wrong_type(&item, "a number");
    }
    if (value->count != field->capacity)
        return path_fail(path, ERR_INVALID, "must have %u numbers", field->capacity);
    for (uint32_t i = 0; i < value->count; i++)
        numbers[i] = number_of(&value->items[i]);
    if (field->axes == AXES_MATRIX)
        warn_of_matrix(reader, numbers, path);
    return OK;
}

static bool
is_empty_text(const struct json *value)
{
    return value->type == JSON_TEXT && text_size(value->text) == 0;
}

static fallible
read_texts(const struct record_reader *reader, const struct field *field, const struct json *value,
           const struct path *path, void *ret_member)
{
    if (value->type != JSON_ARRAY)
        return wrong_type(path, "an array of strings");
    TRY(record_check_count(field, value->count, path));
    struct texts *list =
        arena_alloc(reader->arena, sizeof(*list) + value->count * sizeof(list->items[0]));
    for (uint32_t i = 0; i < value->count; i++) {
        struct path item = {.up = path, .index = i};
        if ((field->flags & FIELD_WORDS) && is_empty_text(&value->items[i]))
            continue;
        TRY(read_text(reader, field, &value->items[i], &item, &list->items[list->count]));
        list->count++;
    }
    *(const struct texts **)ret_member = list;
    return OK;
}

static fallible read_members(const struct record_reader *reader, const struct json *value,
                             const struct path *path, struct record *record);

static fallible
read_record(const struct record_reader *reader, const struct field *field, const struct json *value,
            const struct path *path, void *ret_member)
{
    struct record *nested = record_new(reader->arena, field->of);
    TRY(read_members(reader, value, path, nested));
    *(const struct record **)ret_member = nested;
    return OK;
}

// A plain number in place of a record is its first member.
static struct record *
scalar_record(struct arena *arena, const struct schema *schema, double number)
{
    struct record *self = record_new(arena, schema);
    MEMBER(double, self, &schema->fields[0]) = number;
    self->present = FIELD_BIT(schema->fields[0].id) | RECORD_SCALAR;
    return self;
}

static fallible read_value(const struct record_reader *reader, const struct field *field,
                           const struct json *value, const struct path *path, void *ret_member);

// The name of a member is the first field of its record, the value the second.
static fallible
read_map(const struct record_reader *reader, const struct field *field, const struct json *value,
         const struct path *path, void *ret_member)
{
    const struct field *name = &field->of->fields[0], *item = &field->of->fields[1];
    if (value->type != JSON_OBJECT)
        return wrong_type(path, "an object");
    TRY(record_check_count(field, value->count, path));
    struct records *list = records_new(reader->arena, value->count);
    for (; list->count < value->count; list->count++) {
        const struct json_member *from = &value->members[list->count];
        struct path at = {.up = path, .name = from->name->data};
        struct record *record = record_new(reader->arena, field->of);
        record_set_text(record, name->id, text_copy(reader->arena, from->name));
        TRY(read_value(reader, item, &from->value, &at, record_member(record, item)));
        record_mark(record, item->id);
        list->items[list->count] = record;
    }
    *(const struct records **)ret_member = list;
    return OK;
}

static fallible
read_records(const struct record_reader *reader, const struct field *field,
             const struct json *value, const struct path *path, void *ret_member)
{
    if (field->flags & FIELD_MAP)
        return read_map(reader, field, value, path, ret_member);
    if (value->type != JSON_ARRAY)
        return wrong_type(path, "an array of objects");
    TRY(record_check_count(field, value->count, path));
    struct records *list = records_new(reader->arena, value->count);
    for (; list->count < value->count; list->count++) {
        const struct json *from = &value->items[list->count];
        struct path item = {.up = path, .index = list->count};
        if ((field->flags & FIELD_SCALAR_ITEMS) && is_number(from)) {
            list->items[list->count] = scalar_record(reader->arena, field->of, number_of(from));
            continue;
        }
        if ((field->flags & FIELD_SCALAR_ITEMS) && from->type != JSON_OBJECT)
            return wrong_type(&item, "a number or an object");
        list->items[list->count] = record_new(reader->arena, field->of);
        TRY(read_members(reader, from, &item, list->items[list->count]));
    }
    *(const struct records **)ret_member = list;
    return OK;
}

static const struct {
    member_reader *read;
    bool types[JSON_OBJECT + 1]; // the JSON types that it accepts
} readers[] = {
    // clang-format off
    [FIELD_TEXT]    = {read_text,    {[JSON_TEXT] = true}},
    [FIELD_BOOL]    = {read_bool,    {[JSON_BOOL] = true}},
    [FIELD_INTEGER] = {read_integer, {[JSON_INTEGER] = true}},
    [FIELD_NUMBER]  = {read_number,  {[JSON_INTEGER] = true, [JSON_NUMBER] = true}},
    [FIELD_NUMBERS] = {read_numbers, {[JSON_ARRAY] = true}},
    [FIELD_TEXTS]   = {read_texts,   {[JSON_ARRAY] = true}},
    [FIELD_RECORD]  = {read_record,  {[JSON_OBJECT] = true}},
    [FIELD_RECORDS] = {read_records, {[JSON_ARRAY] = true}},
    // clang-format on
};

static fallible
read_value(const struct record_reader *reader, const struct field *field, const struct json *value,
           const struct path *path, void *ret_member)
{
    return readers[field->type].read(reader, field, value, path, ret_member);
}

static bool
takes_type(const struct field *field, const struct json *value)
{
    if (field->flags & FIELD_MAP)
        return value->type == JSON_OBJECT;
    return readers[field->type].types[value->type];
}

// The row for a member: the first row of its name, or a later row of the same name whose type fits
// better (`transaction_id` is a string or a number).
static const struct field *
find_row(const struct schema *schema, const struct text *name, const struct json *value)
{
    const struct field *first = schema_find(schema, name->data, name->size);
    if (!first || takes_type(first, value))
        return first;
    const struct field *end = schema->fields + schema->count;
    for (const struct field *other = first + 1; other < end; other++)
        if (other->label_size == first->label_size &&
            memcmp(other->label, first->label, first->label_size) == 0 && takes_type(other, value))
            return other;
    return first;
}

// Whether a list has nothing in it: no items, or nulls alone, or empty words.
static bool
is_empty_list(const struct field *field, const struct json *value)
{
    uint32_t index = 0;
    while (index < value->count &&
           (value->items[index].type == JSON_NULL ||
            ((field->flags & FIELD_WORDS) && is_empty_text(&value->items[index]))))
        index++;
    return index == value->count;
}

static bool
is_absent(const struct field *field, const struct json *value)
{
    if (value->type == JSON_NULL)
        return true;
    if (value->type == JSON_ARRAY)
        return value->count == 0 || (!(field->flags & FIELD_JSON) && is_empty_list(field, value));
    return (field->flags & FIELD_KEY) && is_empty_text(value);
}

// Whether the member may stand in the body beside those of its record.
static bool
is_beside(const struct record_reader *reader, const struct text *name)
{
    for (const char *const *at = reader->names_beside; at && *at; at++)
        if (text_is(name, *at))
            return true;
    for (const struct schema *const *at = reader->beside; at && *at; at++)
        if (schema_find(*at, text_bytes(name), text_size(name)))
            return true;
    return false;
}

// The member whose name is most like this one, or NULL if none is like it.
static const char *
nearest_name(const struct schema *schema, const char *name)
{
    unsigned best = LIKE_EDITS + 1;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        unsigned distance = field->flags & FIELD_UNREAD ? best : edit_distance(name, field->name);
        if (distance < best && distance < strlen(field->name)) {
            best = distance;
            nearest = field->name;
        }
    }
    return nearest;
}

// `null` and `[]` say nothing, so it does not matter that nobody knows their name.
static void
warn_of_name(const struct record_reader *reader, const struct schema *schema,
             const struct json_member *member, const struct path *path)
{
    const struct json *value = &member->value;
    const char *name = text_chars(member->name);
    if (!reader->warnings || reader->warnings->count == WARNINGS_MOST || value->type == JSON_NULL ||
        (value->type == JSON_ARRAY && value->count == 0) ||
        (!path->up && is_beside(reader, member->name)))
        return;
    const char *nearest = nearest_name(schema, name);
    struct path place = {.up = path, .name = name};
    warnings_add(reader->warnings, reader->arena, &place, "is not known here%s%s",
                 nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

static fallible
read_members(const struct record_reader *reader, const struct json *value, const struct path *path,
             struct record *record)
{
    if (value->type != JSON_OBJECT)
        return wrong_type(path, "an object");
    for (uint32_t i = 0; i < value->count; i++) {
        const struct text *name = value->members[i].name;
        const struct json *item = &value->members[i].value;
        const struct field *field = find_row(record->schema, name, item);
        if (!field)
            warn_of_name(reader, record->schema, &value->members[i], path);
        if (!field || (field->flags & FIELD_UNREAD) || is_absent(field, item))
            continue;
        struct path member = {.up = path, .name = name->data};
        TRY(read_value(reader, field, item, &member, record_member(record, field)));
        record_mark(record, field->id);
    }
    return OK;
}

fallible
record_read_json(const struct record_reader *reader, const struct schema *schema,
                 const struct json *value, const char *pointer, struct record **ret_record)
{
    struct path root = {.name = pointer};
    struct record *record = record_new(reader->arena, schema);
    TRY(read_members(reader, value, &root, record));
    TRY(record_check(record, pointer));
    *ret_record = record;
    return OK;
}

fallible
record_from_json(struct arena *arena, const struct schema *schema, const struct json *value,
                 const char *pointer, struct record **ret_record)
{
    const struct record_reader reader = {.arena = arena, .keeps_texts = true};
    return record_read_json(&reader, schema, value, pointer, ret_record);
}
