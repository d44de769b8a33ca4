// record_merge_test.c - partial updates and filters.
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "proto/base/limits.h"
#include "proto/record/record.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(record_merge, .fini = finish);
TestSuite(matches, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

static const struct texts *
texts(size_t count, const char *const *words)
{
    struct texts *list = arena_alloc(&arena, sizeof(*list) + count * sizeof(list->items[0]));
    for (; list->count < count; list->count++)
        list->items[list->count] = text(words[list->count]);
    return list;
}

#define TEXTS(...)                                                                                 \
    texts(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static struct sample *
sample(void)
{
    return (struct sample *)(void *)record_new(&arena, &sample_schema);
}

static void
set_words(struct sample *self, const struct texts *words)
{
    self->words = words;
    record_mark(&self->base, SAMPLE_WORDS);
}

static const struct sample *
merge(const struct sample *base, const struct sample *edit, enum list_mode mode)
{
    struct record *merged;
    cr_assert_eq(
        record_merge(&arena, &sample_schema, base ? &base->base : NULL, &edit->base, mode, &merged),
        OK);
    return (const struct sample *)(const void *)merged;
}

Test(record_merge, members_present_overwrite_and_members_absent_stay)
{
    struct sample *base = sample(), *edit = sample();
    record_set_text(&base->base, SAMPLE_NAME, text("old"));
    record_set_integer(&base->base, SAMPLE_COUNT, 1);
    record_set_text(&edit->base, SAMPLE_NAME, text("new"));
    const struct sample *merged = merge(base, edit, LIST_OVERWRITE);
    cr_assert_str_eq(merged->name->data, "new");
    cr_assert_eq(merged->count, 1);
}

Test(record_merge, nothing_is_a_base_too)
{
    struct sample *edit = sample();
    record_set_text(&edit->base, SAMPLE_NAME, text("new"));
    const struct sample *merged = merge(NULL, edit, LIST_OVERWRITE);
    cr_assert_eq(merged->base.present, FIELD_BIT(SAMPLE_NAME));
    cr_assert_str_eq(merged->name->data, "new");
}

Test(record_merge, what_the_server_sets_and_what_only_a_request_has_does_not_travel)
{
    static const unsigned stays[] = {SAMPLE_SERVER_MADE, SAMPLE_FIXED, SAMPLE_REQUEST_ONLY};
    struct sample *base = sample(), *edit = sample();
    record_set_text(&base->base, SAMPLE_FIXED, text("kept"));
    for (size_t i = 0; i < 3; i++)
        record_set_text(&edit->base, stays[i], text("sent"));
    const struct sample *merged = merge(base, edit, LIST_OVERWRITE);
    cr_assert_eq(merged->base.present, FIELD_BIT(SAMPLE_FIXED));
    cr_assert_str_eq(merged->fixed->data, "kept");
}

Test(record_merge, devices_of_a_scene_do_not_travel)
{
    struct scene *edit = (void *)record_new(&arena, &scene_schema);
    struct records *devices = records_new(&arena, 1);
    devices->items[devices->count++] = record_new(&arena, &device_schema);
    edit->devices = devices;
    record_mark(&edit->base, SCENE_DEVICES);
    record_mark(&edit->base, SCENE_DISTANCE);
    record_mark(&edit->base, SCENE_LATITUDE);
    struct record *merged;
    cr_assert_eq(record_merge(&arena, &scene_schema, NULL, &edit->base, LIST_OVERWRITE, &merged),
                 OK);
    cr_assert_eq(merged->present, FIELD_BIT(SCENE_LATITUDE));
}

Test(record_merge, a_list_present_overwrites_the_old_one)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b"));
    set_words(edit, TEXTS("c"));
    cr_assert(texts_equal(merge(base, edit, LIST_OVERWRITE)->words, TEXTS("c")));
}

Test(record_merge, an_appended_list_has_each_item_once)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b"));
    set_words(edit, TEXTS("b", "c", "c"));
    cr_assert(texts_equal(merge(base, edit, LIST_APPEND)->words, TEXTS("a", "b", "c")));
}

Test(record_merge, removed_items_are_gone_and_an_emptied_list_is_absent)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b", "c"));
    set_words(edit, TEXTS("b", "x"));
    cr_assert(texts_equal(merge(base, edit, LIST_REMOVE)->words, TEXTS("a", "c")));
    set_words(edit, TEXTS("c", "b", "a"));
    cr_assert_eq(merge(base, edit, LIST_REMOVE)->base.present, 0);
}

Test(record_merge, records_in_lists_are_appended_and_removed_by_their_value)
{
    struct sample *base = sample(), *edit = sample();
    struct random random = {4};
    struct records *two = records_new(&arena, 2), *one = records_new(&arena, 1);
    for (; two->count < 2; two->count++) {
        struct sample_value *value = (void *)record_new(&arena, &sample_value_schema);
        value->value = (double)random_below(&random, 100) + two->count * 1000;
        record_mark(&value->base, SAMPLE_VALUE);
        two->items[two->count] = &value->base;
    }
    one->items[one->count++] = two->items[1];
    base->values = two;
    edit->values = one;
    record_mark(&base->base, SAMPLE_VALUES);
    record_mark(&edit->base, SAMPLE_VALUES);
    cr_assert_eq(merge(base, edit, LIST_APPEND)->values->count, 2);
    const struct sample *less = merge(base, edit, LIST_REMOVE);
    cr_assert_eq(less->values->count, 1);
    cr_assert(record_equal(less->values->items[0], two->items[0]));
}

// Processor time in ns that removing `count` records from as many others takes.
static int64_t
time_of_removal(uint32_t count)
{
    struct sample *base = sample(), *edit = sample();
    struct records *lists[] = {records_new(&arena, count), records_new(&arena, count)};
    for (uint32_t i = 0; i < 2 * count; i++) {
        struct sample_value *value = (void *)record_new(&arena, &sample_value_schema);
        struct records *list = lists[i % 2];
        value->value = i;
        record_mark(&value->base, SAMPLE_VALUE);
        list->items[list->count++] = &value->base;
    }
    base->values = lists[0];
    edit->values = lists[1];
    record_mark(&base->base, SAMPLE_VALUES);
    record_mark(&edit->base, SAMPLE_VALUES);
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    cr_assert_eq(merge(base, edit, LIST_REMOVE)->values->count, count);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
}

Test(record_merge, ten_times_as_many_records_take_no_hundred_times_as_long)
{
    enum { FEW = 1000, TRIES = 12 };
    int64_t few = INT64_MAX, many = INT64_MAX;
    for (int i = 0; i < TRIES; i++) { // the quickest of each: caches are warm, nobody interrupts
        int64_t took[] = {time_of_removal(FEW), time_of_removal(10 * FEW)};
        few = took[0] < few ? took[0] : few;
        many = took[1] < many ? took[1] : many;
    }
    cr_expect_lt(many, 40 * few, "%lld ns, then %lld ns", (long long)few, (long long)many);
}

Test(record_merge, equal_records_are_found_whatever_zero_they_have)
{
    struct sample *base = sample(), *edit = sample();
    struct records *lists[] = {records_new(&arena, 1), records_new(&arena, 1)};
    for (int i = 0; i < 2; i++) {
        struct sample_value *value = (void *)record_new(&arena, &sample_value_schema);
        value->value = i ? -0.0 : 0.0;
        record_mark(&value->base, SAMPLE_VALUE);
        lists[i]->items[lists[i]->count++] = &value->base;
    }
    base->values = lists[0];
    edit->values = lists[1];
    record_mark(&base->base, SAMPLE_VALUES);
    record_mark(&edit->base, SAMPLE_VALUES);
    cr_expect_eq(merge(base, edit, LIST_APPEND)->values->count, 1);
}

Test(record_merge, an_append_past_the_limit_is_refused)
{
    struct sample *base = sample(), *edit = sample();
    struct record *merged = NULL;
    set_words(base, TEXTS("a", "b"));
    set_words(edit, TEXTS("c", "d"));
    cr_assert_eq(
        record_merge(&arena, &sample_schema, &base->base, &edit->base, LIST_APPEND, &merged),
        ERR_INVALID);
    cr_assert_null(merged);
    cr_assert_str_eq(fault_last()->pointer, "/words");
    cr_assert_str_eq(fault_last()->detail, "would have more than 3 items");
}

Test(record_merge, the_result_borrows_from_neither)
{
    struct random random = {5};
    for (unsigned i = 0; i < 1100; i++) {
        struct arena other = {0};
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        const frozen_t *base = record_freeze(schema, random_record(&random, &other, schema, 0));
        struct record *edit = random_record(&random, &other, schema, 0), *merged;
        cr_assert_eq(
            record_merge(&arena, schema, frozen_record(base), edit, LIST_OVERWRITE, &merged), OK);
        arena_finish(&other);
        record_unref(&base);
        cr_assert(record_equal(merged, record_copy(&arena, schema, merged)));
    }
}

Test(record_merge, a_flat_result_is_equal_and_copies_no_text)
{
    struct sample *base = sample(), *edit = sample();
    struct record *merged;
    record_set_text(&base->base, SAMPLE_NAME, text("old"));
    record_set_text(&base->base, SAMPLE_FIXED, text("kept"));
    record_set_text(&edit->base, SAMPLE_NAME, text("new"));
    cr_assert_eq(record_merge_flat(&arena, &sample_schema, &base->base, &edit->base, LIST_OVERWRITE,
                                   &merged),
                 OK);
    const struct sample *flat = (const struct sample *)(const void *)merged;
    cr_assert_eq(flat->name, edit->name);
    cr_assert_eq(flat->fixed, base->fixed);
    cr_assert(record_equal(merged, &merge(base, edit, LIST_OVERWRITE)->base));
}

// --- filters ---

static bool
matches(const struct sample *self, const struct sample *filter)
{
    return record_matches(&self->base, &filter->base);
}

Test(matches, an_empty_filter_finds_everything)
{
    cr_assert(matches(sample(), sample()));
}

Test(matches, texts_are_equal_or_not)
{
    struct sample *self = sample(), *filter = sample();
    record_set_text(&self->base, SAMPLE_NAME, text("cube"));
    record_set_text(&filter->base, SAMPLE_NAME, text("cube"));
    cr_assert(matches(self, filter));
    record_set_text(&filter->base, SAMPLE_NAME, text("cub"));
    cr_assert_not(matches(self, filter));
}

Test(matches, an_absent_text_is_found_as_the_empty_one)
{
    struct sample *filter = sample();
    record_set_text(&filter->base, SAMPLE_NAME, text(""));
    cr_assert(matches(sample(), filter));
}

Test(matches, an_absent_optional_number_is_not_found_as_zero)
{
    struct sample *self = sample(), *filter = sample();
    record_set_integer(&filter->base, SAMPLE_STAMP, 0);
    cr_assert_not(matches(self, filter));
    record_set_integer(&self->base, SAMPLE_STAMP, 0);
    cr_assert(matches(self, filter));
}

Test(matches, a_list_contains_all_that_is_asked_for)
{
    struct sample *self = sample(), *filter = sample();
    set_words(self, TEXTS("a", "b", "c"));
    set_words(filter, TEXTS("c", "a"));
    cr_assert(matches(self, filter));
    set_words(filter, TEXTS("c", "x"));
    cr_assert_not(matches(self, filter));
}

Test(matches, one_of_several_filters_is_enough)
{
    struct sample *self = sample(), *one = sample(), *other = sample();
    struct records *filters = records_new(&arena, 2);
    set_words(self, TEXTS("a", "b", "c"));
    set_words(one, TEXTS("c", "x"));
    set_words(other, TEXTS("b", "c"));
    cr_assert_not(record_matches_any(&self->base, filters), "none finds nothing");
    filters->items[filters->count++] = &one->base;
    cr_assert_not(record_matches_any(&self->base, filters));
    filters->items[filters->count++] = &other->base;
    cr_assert(record_matches_any(&self->base, filters));
}

Test(matches, members_that_are_no_filters_are_ignored)
{
    struct sample *filter = sample();
    filter->open = true;
    record_mark(&filter->base, SAMPLE_OPEN);
    cr_assert(matches(sample(), filter));
}

Test(matches, the_request_form_of_an_object_filters_objects)
{
    struct object *object = (void *)record_new(&arena, &object_schema);
    struct object_edit *filter = (void *)record_new(&arena, &object_edit_schema);
    record_set_text(&object->base, OBJECT_TYPE, text("Mesh"));
    record_set_text(&filter->object.base, OBJECT_TYPE, text("Mesh"));
    record_mark(&filter->object.base, OBJECT_SCALE);
    cr_assert(record_matches(&object->base, &filter->object.base));
}
