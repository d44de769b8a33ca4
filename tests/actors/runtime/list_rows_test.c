// list_rows_test.c - from orders, filters and places to ranges of keys.
#include "actors/runtime/list_rows.h"

#include <criterion/criterion.h>

#include "proto/records/asset.h"

enum { NAME = 1, TYPE, CREATED, WORD_OF, SEEN, OTHER };

static const struct texts *
none(struct arena *arena, const struct record *record)
{
    (void)arena, (void)record;
    return NULL;
}

static const struct index_row rows[] = {
    {.id = NAME, .form = INDEX_ORDER, .member = ASSET_NAME},
    {.id = TYPE, .form = INDEX_ORDER, .member = ASSET_ASSET_TYPE},
    {.id = CREATED, .form = INDEX_NUMBER, .member = ASSET_CREATED_US},
    {.id = WORD_OF, .form = INDEX_MADE, .make = none},
    {.id = SEEN, .form = INDEX_MADE, .make = none},
    {.id = OTHER, .form = INDEX_TEXT, .member = ASSET_NAME},
    {0}};
static const struct index_kind kind = {'A', &asset_schema, rows};
static const struct list_rows lists = {
    .orders =
        {[LIST_NAME] = NAME, [LIST_TYPE] = TYPE, [LIST_CREATED] = CREATED, [LIST_WORD] = WORD_OF},
    .seen = SEEN};
static const struct listed_kind listed = {&kind, &lists};

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(list_rows, .fini = end);

Test(list_rows, an_order_without_a_row_or_with_another_ones_is_told)
{
    enum list_order order;
    struct list_rows some = lists;
    cr_assert(list_rows_are_whole(&some, &kind, &order));
    some.orders[LIST_CREATED] = 0;
    cr_assert_not(list_rows_are_whole(&some, &kind, &order));
    cr_assert_eq(LIST_CREATED, order);
    some = lists;
    some.orders[LIST_TYPE] = NAME;
    cr_assert_not(list_rows_are_whole(&some, &kind, &order), "it is of another member");
    some = lists;
    some.orders[LIST_NAME] = OTHER;
    cr_assert_not(list_rows_are_whole(&some, &kind, &order), "it leaves out what has no name");
    some = lists;
    some.orders[LIST_WORD] = 0;
    cr_assert_not(list_rows_are_whole(&some, &kind, &order));
}

// They are large.
static struct list_query query;
static struct list_filter filter;
static struct list_way way;

static void
sort_by(enum list_order sort)
{
    memset(&query, 0, sizeof query);
    query.kind = list_kind_of(&asset_schema);
    query.sort = sort;
}

static void
filter_by(enum list_order order, const char *value)
{
    memset(&filter, 0, sizeof filter);
    filter.order = order;
    filter.low_size = filter.high_size = (uint8_t)strlen(value);
    memcpy(filter.low, value, strlen(value));
    memcpy(filter.high, value, strlen(value));
    way = list_way_of_filter(&listed, &query, &filter);
}

static void
expect_range(size_t index, struct key prefix)
{
    const struct key high = key_after(&prefix);
    cr_assert_eq(0, key_compare(&prefix, &way.ranges[index].low));
    cr_assert_eq(0, key_compare(&high, &way.ranges[index].high));
}

Test(list_rows, a_text_is_one_value_of_its_row_and_stands_by_key)
{
    sort_by(LIST_KEY);
    filter_by(LIST_TYPE, "mesh");
    expect_range(0, index_prefix_of_text(&rows[1], text_from(&arena, "mesh")));
    cr_assert(way.is_in_order);
    cr_assert(way.is_exact);
    sort_by(LIST_NAME);
    filter_by(LIST_TYPE, "mesh");
    cr_assert_not(way.is_in_order);
}

Test(list_rows, a_text_that_is_cut_leads_to_others_too)
{
    char value[INDEX_VALUE_BYTES];
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    sort_by(LIST_KEY);
    filter_by(LIST_NAME, value + 1);
    cr_assert(way.is_exact);
    filter_by(LIST_NAME, value);
    cr_assert_not(way.is_exact);
}

Test(list_rows, a_word_leads_to_all_that_begin_like_it)
{
    sort_by(LIST_KEY);
    filter_by(LIST_WORD, "re");
    expect_range(0, index_prefix_of_beginning(&rows[3], text_from(&arena, "re")));
    cr_assert_not(way.is_in_order);
}

Test(list_rows, times_lead_to_all_between_them)
{
    sort_by(LIST_CREATED);
    filter = (struct list_filter){.order = LIST_CREATED, .low_size = 8, .high_size = 8};
    list_value_of_time(-5, filter.low);
    list_value_of_time(7, filter.high);
    way = list_way_of_filter(&listed, &query, &filter);
    const struct key low = index_prefix_of_number(&rows[2], -5);
    const struct key high = index_prefix_of_number(&rows[2], 8);
    cr_assert_eq(0, key_compare(&low, &way.ranges[0].low));
    cr_assert_eq(0, key_compare(&high, &way.ranges[0].high));
    cr_assert(way.is_in_order);
}

Test(list_rows, a_user_may_see_what_is_public_and_their_own)
{
    way = list_way_of_user(&listed, "ann");
    cr_assert_eq(2, way.range_count);
    expect_range(0, index_prefix_of_text(&rows[4], text_from(&arena, "*")));
    expect_range(1, index_prefix_of_text(&rows[4], text_from(&arena, "ann")));
    way = list_way_of_user(&listed, "");
    cr_assert_eq(1, way.range_count);
}

Test(list_rows, a_page_begins_behind_its_place_in_both_directions)
{
    sort_by(LIST_CREATED);
    query.has_place = true;
    query.place = (struct list_place){.size = 8, .key = text_from(&arena, "k")};
    list_value_of_time(9, query.place.value);
    struct key place = index_prefix_of_number(&rows[2], 9);
    place = index_key_under(&place, (struct bytes){"k", 1});
    const struct key behind = key_next(&place);
    way = list_way_of_sort(&listed, &query);
    list_way_go_to_page(&way, &listed, &query);
    cr_assert_eq(0, key_compare(&behind, &way.ranges[0].low));
    query.descending = true;
    way = list_way_of_sort(&listed, &query);
    list_way_go_to_page(&way, &listed, &query);
    cr_assert_eq(0, key_compare(&place, &way.ranges[0].high));
}

Test(list_rows, by_key_a_list_is_the_records_themselves)
{
    sort_by(LIST_KEY);
    way = list_way_of_sort(&listed, &query);
    cr_assert_null(way.row);
    expect_range(0, key_of_tag('A'));
}
