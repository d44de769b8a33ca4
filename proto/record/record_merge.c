// record_merge.c - one record over another, and records compared (record.h). Pure; any thread.
#include <assert.h>
#include <string.h>

#include "proto/base/table.h"
#include "proto/base/text_set.h"
#include "proto/record/record.h"
#include "proto/record/record_copy.h"

enum { FIELD_STAYS = FIELD_INPUT | FIELD_DERIVED | FIELD_FIXED | FIELD_TRANSIENT };

// --- equality ------------------------------------------------------------------------------------

static bool
numbers_equal(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool
records_equal(const struct records *a, const struct records *b)
{
    uint32_t count = a ? a->count : 0;
    if (count != (b ? b->count : 0))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!record_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool
nested_equal(const struct record *a, const struct record *b)
{
    return a && b ? record_equal(a, b) : a == b;
}

// Texts and lists are compared by content: NULL is the empty one.
static bool
members_equal(const struct field *field, const struct record *a, const struct record *b)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return text_equal(MEMBER_CONST(const struct text *, a, field),
                          MEMBER_CONST(const struct text *, b, field));
    case FIELD_BOOL:
        return MEMBER_CONST(bool, a, field) == MEMBER_CONST(bool, b, field);
    case FIELD_INTEGER:
        return MEMBER_CONST(int64_t, a, field) == MEMBER_CONST(int64_t, b, field);
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        return numbers_equal(record_member_const(a, field), record_member_const(b, field),
                             field->capacity);
    case FIELD_TEXTS:
        return texts_equal(MEMBER_CONST(const struct texts *, a, field),
                           MEMBER_CONST(const struct texts *, b, field));
    case FIELD_RECORD:
        return nested_equal(MEMBER_CONST(const struct record *, a, field),
                            MEMBER_CONST(const struct record *, b, field));
    case FIELD_RECORDS:
        return records_equal(MEMBER_CONST(const struct records *, a, field),
                             MEMBER_CONST(const struct records *, b, field));
    }
    return false;
}

bool
record_equal(const struct record *a, const struct record *b)
{
    if (a->present != b->present)
        return false;
    for (uint32_t i = 0; i < a->schema->count; i++) {
        const struct field *field = &a->schema->fields[i];
        if (record_has(a, field->id) && !members_equal(field, a, b))
            return false;
    }
    return true;
}

// --- hashes: records that are equal have the same ------------------------------------------------

static uint64_t record_hash(const struct record *record);

static uint64_t
mix(uint64_t hash, uint64_t part)
{
    return table_hash_u64(hash * 31 + part);
}

static uint64_t
numbers_hash(const double *numbers, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        double number = numbers[i] == 0 ? 0 : numbers[i]; // there are two zeros
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

static uint64_t
texts_hash(const struct texts *texts)
{
    uint64_t hash = texts_count(texts);
    for (size_t i = 0; i < texts_count(texts); i++)
        hash = mix(hash, table_hash_text(texts->items[i]));
    return hash;
}

static uint64_t
records_hash(const struct records *records)
{
    uint64_t hash = records ? records->count : 0;
    for (uint32_t i = 0; records && i < records->count; i++)
        hash = mix(hash, record_hash(records->items[i]));
    return hash;
}

static uint64_t
member_hash(const struct field *field, const struct record *record)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return table_hash_text(MEMBER_CONST(const struct text *, record, field));
    case FIELD_BOOL:
        return MEMBER_CONST(bool, record, field);
    case FIELD_INTEGER:
        return (uint64_t)MEMBER_CONST(int64_t, record, field);
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        return numbers_hash(record_member_const(record, field), field->capacity);
    case FIELD_TEXTS:
        return texts_hash(MEMBER_CONST(const struct texts *, record, field));
    case FIELD_RECORD:
        return record_hash(MEMBER_CONST(const struct record *, record, field));
    case FIELD_RECORDS:
        return records_hash(MEMBER_CONST(const struct records *, record, field));
    }
    return 0;
}

static uint64_t
record_hash(const struct record *record)
{
    uint64_t hash = record ? record->present : 0;
    for (uint32_t i = 0; record && i < record->schema->count; i++)
        if (record_has(record, record->schema->fields[i].id))
            hash = mix(hash, member_hash(&record->schema->fields[i], record));
    return hash;
}

bool
record_shows_equal(const struct field *field, const struct record *a, const struct record *b)
{
    assert(a->schema == b->schema);
    return members_equal(field, a, b); // absent members are zeros
}

uint64_t
record_differences(const struct record *a, const struct record *b)
{
    uint64_t differences = a->present ^ b->present;
    assert(a->schema == b->schema);
    for (uint32_t i = 0; i < a->schema->count; i++) {
        const struct field *field = &a->schema->fields[i];
        if (record_has(a, field->id) && record_has(b, field->id) && !members_equal(field, a, b))
            differences |= FIELD_BIT(field->id);
    }
    return differences;
}

// --- filters -------------------------------------------------------------------------------------

// Answers show an absent member as "", 0 or false, so a filter of that value finds it. `set` is
// that of the record's lists, kept from one filter to the next.
static bool
member_matches(const struct field *field, const struct record *record, const struct record *filter,
               struct text_set *set)
{
    if ((field->flags & FIELD_OPTIONAL) && !record_has(record, field->id))
        return false;
    if (field->type != FIELD_TEXTS)
        return members_equal(field, record, filter);
    text_set_of(set, MEMBER_CONST(const struct texts *, record, field));
    const struct texts *wanted = MEMBER_CONST(const struct texts *, filter, field);
    for (size_t i = 0; i < texts_count(wanted); i++)
        if (!text_set_has(set, wanted->items[i]))
            return false;
    return true;
}

static bool
matches(const struct record *record, const struct record *filter, struct text_set *set)
{
    for (uint32_t i = 0; i < filter->schema->count; i++) {
        const struct field *field = &filter->schema->fields[i];
        if ((field->flags & FIELD_FILTER) && record_has(filter, field->id) &&
            !member_matches(field, record, filter, set))
            return false;
    }
    return true;
}

bool
record_matches(const struct record *record, const struct record *filter)
{
    struct text_set set = {0};
    bool is_match = matches(record, filter, &set);
    text_set_finish(&set);
    return is_match;
}

bool
record_matches_any(const struct record *record, const struct records *filters)
{
    struct text_set set = {0};
    bool is_match = false;
    for (uint32_t i = 0; i < filters->count && !is_match; i++)
        is_match = matches(record, filters->items[i], &set);
    text_set_finish(&set);
    return is_match;
}

// --- merge ---------------------------------------------------------------------------------------

// The items of `list` and then of `more`, each once. If `removing`: the items of `list` that are
// not in `more`.
static const struct texts *
combine_texts(struct arena *arena, const struct texts *list, const struct texts *more,
              enum list_mode mode)
{
    size_t capacity = texts_count(list) + texts_count(more);
    struct texts *combined =
        arena_alloc(arena, sizeof(*combined) + capacity * sizeof(combined->items[0]));
    struct text_set set = {0};
    text_set_of(&set, mode == LIST_APPEND ? list : more);
    for (size_t i = 0; i < texts_count(list); i++)
        if (mode == LIST_APPEND || !text_set_has(&set, list->items[i]))
            combined->items[combined->count++] = list->items[i];
    for (size_t i = 0; mode == LIST_APPEND && i < texts_count(more); i++)
        if (text_set_add(&set, more->items[i]))
            combined->items[combined->count++] = more->items[i];
    text_set_finish(&set);
    return combined;
}

static bool
is_record(const void *item, const void *wanted)
{
    return record_equal(item, wanted);
}

// Whether the record was not in the set before.
static bool
set_add(struct table *set, struct record *record)
{
    uint64_t hash = record_hash(record);
    if (table_find(set, hash, is_record, record))
        return false;
    table_add(set, hash, record);
    return true;
}

static void
set_add_all(struct table *set, const struct records *list)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        set_add(set, list->items[i]);
}

static const struct records *
combine_records(struct arena *arena, const struct records *list, const struct records *more,
                enum list_mode mode)
{
    uint32_t count = list ? list->count : 0, more_count = more ? more->count : 0;
    struct records *combined = records_new(arena, (size_t)count + more_count);
    struct table set = {0};
    set_add_all(&set, mode == LIST_APPEND ? list : more);
    for (uint32_t i = 0; i < count; i++)
        if (mode == LIST_APPEND ||
            !table_find(&set, record_hash(list->items[i]), is_record, list->items[i]))
            combined->items[combined->count++] = list->items[i];
    for (uint32_t i = 0; mode == LIST_APPEND && i < more_count; i++)
        if (set_add(&set, more->items[i]))
            combined->items[combined->count++] = more->items[i];
    table_finish(&set);
    return combined;
}

// Sets the list of `merged` that results from its own and from the edit's. An empty list is absent.
static fallible
combine_lists(struct arena *arena, const struct field *field, const struct record *edit,
              enum list_mode mode, struct record *merged)
{
    uint32_t count;
    if (field->type == FIELD_TEXTS) {
        const struct texts **list = record_member(merged, field);
        *list = combine_texts(arena, *list, MEMBER_CONST(const struct texts *, edit, field), mode);
        count = (*list)->count;
    } else {
        const struct records **list = record_member(merged, field);
        *list =
            combine_records(arena, *list, MEMBER_CONST(const struct records *, edit, field), mode);
        count = (*list)->count;
    }
    merged->present &= ~FIELD_BIT(field->id);
    if (count)
        record_mark(merged, field->id);
    if (mode == LIST_APPEND && count > field_limit(field)) {
        const char *pointer = text_chars(text_format(arena, "/%s", field->name));
        return fail(ERR_INVALID, pointer, "would have more than %u items", field_limit(field));
    }
    return OK;
}

static bool
is_list(const struct field *field)
{
    return field->type == FIELD_TEXTS || field->type == FIELD_RECORDS;
}

// The result is built as a shallow copy; one deep copy at the end makes it independent of both.
fallible
record_merge_flat(struct arena *arena, const struct schema *schema, const struct record *base,
                  const struct record *edit, enum list_mode mode, struct record **ret_merged)
{
    struct record *merged =
        base ? record_copy_flat(arena, schema, base) : record_new(arena, schema);
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if ((field->flags & FIELD_STAYS) || !record_has(edit, field->id))
            continue;
        if (is_list(field) && mode != LIST_OVERWRITE) {
            TRY(combine_lists(arena, field, edit, mode, merged));
            continue;
        }
        memcpy(record_member(merged, field), record_member_const(edit, field), field_size(field));
        record_mark(merged, field->id);
    }
    *ret_merged = merged;
    return OK;
}

fallible
record_merge(struct arena *arena, const struct schema *schema, const struct record *base,
             const struct record *edit, enum list_mode mode, struct record **ret_merged)
{
    struct record *merged;
    TRY(record_merge_flat(arena, schema, base, edit, mode, &merged));
    *ret_merged = record_copy(arena, schema, merged);
    return OK;
}
