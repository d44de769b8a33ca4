// index_records_test.c - which index records a change of a record writes, in golden bytes, and that
// their keys sort as the values do.
#include "actors/runtime/index_records.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/owned.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"

enum { NAME = 1, USER = 2, TAG = 3, CREATED = 4, MADE = 5 };

static const struct texts *
first_byte(struct arena *arena, const struct record *record)
{
    const struct text *name = record_text(record, PROJECT_NAME);
    return text_size(name) ? texts_of_one(arena, text_new(arena, text_bytes(name), 1)) : NULL;
}

static const struct index_row project_rows[] = {
    {.id = NAME, .form = INDEX_ORDER, .member = PROJECT_NAME},
    {.id = USER, .form = INDEX_TEXT, .member = PROJECT_USER},
    {.id = TAG, .form = INDEX_TEXTS, .member = PROJECT_TAGS},
    {.id = MADE, .form = INDEX_MADE, .make = first_byte},
    {0}};
static const struct index_row asset_rows[] = {
    {.id = CREATED, .form = INDEX_NUMBER, .member = ASSET_CREATED_US}, {0}};
static const struct index_family family = {
    .family = FAMILY_ASSET,
    .parts = 1,
    .count = 2,
    .kinds = {{'J', &project_schema, project_rows}, {'A', &asset_schema, asset_rows}}};
static const struct bytes name = {"id", 2};

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(index_records, .fini = end);

static struct record *
project(const char *called, const char *user, const char *tag, const char *other_tag)
{
    struct record *record = record_new(&arena, &project_schema);
    struct texts *tags = arena_alloc(&arena, sizeof *tags + 2 * sizeof tags->items[0]);
    tags->count = 0;
    if (tag)
        tags->items[tags->count++] = text_from(&arena, tag);
    if (other_tag)
        tags->items[tags->count++] = text_from(&arena, other_tag);
    record_set_text(record, PROJECT_NAME, text_from(&arena, called));
    if (user)
        record_set_text(record, PROJECT_USER, text_from(&arena, user));
    ((struct project *)(void *)record)->tags = tags;
    record_mark(record, PROJECT_TAGS);
    return record;
}

// What was written, in words: "+" or "-", the id, the value and the name, NUL as "|".
static char written[512];

static void
write_down(void *context, const struct key *key, bool is_delete)
{
    size_t size = strlen(written);
    (void)context;
    cr_assert_eq(key->data[0], KEY_INDEX);
    size += (size_t)snprintf(written + size, sizeof written - size, "%s%c%u:", size ? " " : "",
                             is_delete ? '-' : '+', key->data[1]);
    for (size_t i = 2; i < key->size; i++)
        written[size++] = key->data[i] ? (char)key->data[i] : '|';
    written[size] = '\0';
}

static const char *
changes(const struct record *before, const struct record *after)
{
    written[0] = '\0';
    index_records_change(project_rows, name, before, after, write_down, NULL);
    return written;
}

Test(index_records, a_row_is_found_by_its_id)
{
    cr_assert_eq(&project_rows[3], index_row_with_id(project_rows, MADE));
    cr_assert_null(index_row_with_id(project_rows, CREATED));
    cr_assert_null(index_row_with_id(project_rows, 0));
    cr_assert_null(index_row_with_id(NULL, NAME));
}

Test(index_records, a_new_record_gets_one_for_each_value)
{
    cr_assert_str_eq(changes(NULL, project("hall", "ann", "x", "y")),
                     "+1:hall|id +2:ann|id +3:x|id +3:y|id +5:h|id");
}

Test(index_records, a_removed_record_loses_them)
{
    cr_assert_str_eq(changes(project("hall", "ann", "x", NULL), NULL),
                     "-1:hall|id -2:ann|id -3:x|id -5:h|id");
}

Test(index_records, a_change_writes_what_is_different_alone)
{
    cr_assert_str_eq(changes(project("hall", "ann", "x", "y"), project("house", "ann", "y", "z")),
                     "-1:hall|id +1:house|id -3:x|id +3:z|id");
    cr_assert_str_eq(changes(project("a", "b", "c", "d"), project("a", "b", "d", "c")), "");
}

Test(index_records, an_empty_value_is_entered_in_orders_alone)
{
    cr_assert_str_eq(changes(NULL, project("", NULL, "", NULL)), "+1:|id");
}

Test(index_records, numbers_are_eight_bytes_that_sort_as_numbers)
{
    const int64_t numbers[] = {INT64_MIN, -2, -1, 0, 1, 255, 256, INT64_MAX};
    struct key last = index_prefix_of_number(asset_rows, numbers[0]);
    cr_assert_eq(last.size, 10);
    cr_assert_arr_eq(last.data, "N\4\0\0\0\0\0\0\0\0", 10);
    for (size_t i = 1; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct key key = index_prefix_of_number(asset_rows, numbers[i]);
        cr_assert_lt(memcmp(last.data, key.data, key.size), 0, "%zu", i);
        last = key;
    }
}

// With the names "" and "z" behind them, which must not matter.
Test(index_records, texts_sort_bytewise_whatever_bytes_they_have)
{
    static const struct {
        const char *bytes;
        size_t size;
    } values[] = {{"", 0},     {"\0", 1},   {"\0\0", 2}, {"\0\1", 2},    {"\1", 1},
                  {"\1\0", 2}, {"\1\1", 2}, {"\2", 1},   {"a", 1},       {"a\0b", 3},
                  {"ab", 2},   {"b", 1},    {"\xff", 1}, {"\xff\xff", 2}};
    struct key last = {.size = 0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct key key =
            index_prefix_of_text(project_rows, text_new(&arena, values[i].bytes, values[i].size));
        struct key named = key;
        named.data[named.size++] = 'z';
        if (i > 0) {
            size_t size = last.size < key.size ? last.size : key.size;
            cr_assert_lt(memcmp(last.data, key.data, size), 0, "%zu", i);
        }
        last = named;
    }
}

Test(index_records, a_long_text_is_cut_between_two_bytes)
{
    char bytes[INDEX_VALUE_BYTES + 10];
    memset(bytes, 'x', sizeof bytes);
    bytes[INDEX_VALUE_BYTES - 1] = '\0'; // two bytes, of which one has room
    struct key key = index_prefix_of_text(project_rows, text_new(&arena, bytes, sizeof bytes));
    cr_assert_eq(key.size, 2 + INDEX_VALUE_BYTES - 1 + 1);
    cr_assert_eq(key.data[key.size - 1], 0);
}

Test(index_records, a_key_says_its_row_and_the_name_of_its_record)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes found;
    struct key key = index_prefix_of_text(&project_rows[1], text_new(&arena, "a\0\1", 3));
    memcpy(key.data + key.size, "id", 2);
    key.size += 2;
    cr_assert(index_key_read(&family, key_bytes(&key), &kind, &row, &found));
    cr_assert_eq(kind->tag, 'J');
    cr_assert_eq(row->id, USER);
    cr_assert_eq(found.size, 2);
    cr_assert_arr_eq(found.data, "id", 2);
    key = index_prefix_of_number(asset_rows, 0); // its value has bytes that end texts
    key.data[key.size++] = 'k';
    cr_assert(index_key_read(&family, key_bytes(&key), &kind, &row, &found));
    cr_assert_eq(kind->tag, 'A');
    cr_assert_eq(found.size, 1);
    cr_assert_arr_eq(found.data, "k", 1);
}

Test(index_records, a_key_that_no_row_wrote_is_not_read)
{
    static const struct bytes keys[] = {{"", 0},          {"N", 1},      {"O\1a\0id", 6},
                                        {"N\11a\0id", 6}, {"N\1aid", 5}, {"N\4\0\0\0", 5}};
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes found;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        cr_assert_not(index_key_read(&family, keys[i], &kind, &row, &found), "%zu", i);
}

Test(index_records, they_take_no_room_that_a_request_asks_for)
{
    owned(batch_destroy) struct batch *batch = batch_create(FAMILY_ASSET);
    index_records_stage(project_rows, batch, 7, name, NULL, project("hall", "ann", "x", "y"));
    cr_assert_eq(batch->count, 5);
    cr_assert_eq(batch->beside, 5);
    cr_assert_eq(batch->writes[0].part, 7);
    cr_assert_eq(batch->beside_bytes, 9 + 8 + 6 + 6 + 6);
}
