// record_test.c - loose and frozen records, merge, filters.
#include "proto/record/record.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(schema, .fini = finish);
TestSuite(record, .fini = finish);
TestSuite(frozen, .fini = finish);
TestSuite(merge, .fini = finish);
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

// --- schemas -------------------------------------------------------------------------------------

Test(schema, a_field_is_found_by_its_name_and_by_its_alias)
{
    cr_assert_eq(schema_find(&scene_schema, "assets", 6)->id, SCENE_ASSETS);
    cr_assert_eq(schema_find(&scene_schema, "asset_ids", 9)->id, SCENE_ASSETS);
    cr_assert_eq(schema_find(&scene_schema, "isPublic", 8)->id, SCENE_PUBLIC);
}

Test(schema, part_of_a_name_is_no_name)
{
    cr_assert_null(schema_find(&scene_schema, "asset", 5));
    cr_assert_null(schema_find(&scene_schema, "", 0));
    cr_assert_null(schema_find(&scene_schema, "key\"", 4));
}

Test(schema, a_field_is_found_by_its_id)
{
    cr_assert_str_eq(schema_field(&object_schema, OBJECT_TRANSFORM)->name, "transform");
    cr_assert_null(schema_field(&object_schema, OBJECT_SCALE));
    cr_assert_str_eq(schema_field(&object_edit_schema, OBJECT_SCALE)->name, "scale");
}

Test(schema, the_capacity_of_a_row_is_that_of_its_member)
{
    cr_assert_eq(schema_field(&object_schema, OBJECT_TRANSFORM)->capacity, 16);
    cr_assert_eq(schema_field(&object_edit_schema, OBJECT_QUATERNION_ROTATION)->capacity, 4);
    cr_assert_eq(schema_field(&scene_schema, SCENE_LATITUDE)->capacity, 1);
}

Test(schema, every_id_is_used_once_and_nested_rows_say_of_what)
{
    for (size_t s = 0; s < ALL_SCHEMAS; s++) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < all_schemas[s]->count; i++) {
            const struct field *field = &all_schemas[s]->fields[i];
            bool nests = field->type == FIELD_RECORD || field->type == FIELD_RECORDS;
            cr_assert_leq(field->id, 62, "%s.%s", all_schemas[s]->name, field->name);
            cr_assert_not(seen & FIELD_BIT(field->id), "%s.%s", all_schemas[s]->name, field->name);
            cr_assert_eq(nests, field->of != NULL, "%s.%s", all_schemas[s]->name, field->name);
            seen |= FIELD_BIT(field->id);
        }
    }
}

// Of an edit and what is stored of it: the rows that only a request has stand in front, then come
// the rows of both; actions stand last in what is stored.
static void
shares_rows(const struct schema *edit, const struct schema *stored, uint32_t only_in_edit)
{
    cr_assert_geq(edit->size, stored->size);
    cr_assert_eq(stored->fields, edit->fields + only_in_edit, "%s", stored->name);
    for (uint32_t i = only_in_edit; i < edit->count; i++)
        cr_assert_not(edit->fields[i].flags & FIELD_INPUT, "%s row %u", stored->name, i);
}

Test(schema, an_edit_shares_its_rows_with_what_is_stored)
{
    shares_rows(&object_edit_schema, &object_schema, 8);
    shares_rows(&property_edit_schema, &property_schema, 2);
    shares_rows(&object_keyframe_edit_schema, &object_keyframe_schema, 4);
    cr_assert_str_eq(object_schema.fields[object_schema.count - 1].name, "actions");
    cr_assert_eq(object_schema.fields[object_schema.count - 1].of, &object_action_schema);
    cr_assert_eq(schema_field(&object_edit_schema, OBJECT_ACTIONS)->of, &object_action_edit_schema);
}

Test(schema, a_body_has_only_the_envelope_rows_of_the_parameters)
{
    static const char *const names[] = {"num_records",    "start_record",   "operation",
                                        "transaction_id", "transaction_id", "transaction_id"};
    cr_assert_eq(params_body_schema.count, 6);
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_str_eq(params_body_schema.fields[i].name, names[i]);
}

Test(schema, limits_are_those_of_the_row_or_the_general_ones)
{
    cr_assert_eq(field_limit(schema_field(&sample_schema, SAMPLE_NAME)), 8);
    cr_assert_eq(field_limit(schema_field(&sample_schema, SAMPLE_KEY)), LIMIT_TEXT_BYTES);
    cr_assert_eq(field_limit(schema_field(&scene_schema, SCENE_TAGS)), 64);
    cr_assert_eq(field_limit(schema_field(&object_schema, OBJECT_ROTATION_HANDLE)), 4);
}

// --- loose ---------------------------------------------------------------------------------------

Test(record, a_new_one_has_nothing_present)
{
    struct record *record = record_new(&arena, &object_schema);
    cr_assert_eq(record->schema, &object_schema);
    cr_assert_eq(record->present, 0);
    cr_assert_null(((struct object *)(void *)record)->name);
}

Test(record, setters_mark_what_they_set)
{
    struct sample *self = sample();
    record_set_text(&self->base, SAMPLE_NAME, text("cube"));
    record_set_integer(&self->base, SAMPLE_COUNT, 3);
    cr_assert_str_eq(self->name->data, "cube");
    cr_assert_eq(self->count, 3);
    cr_assert_eq(self->base.present, FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_COUNT));
}

Test(record, a_copy_equals_its_original_and_shares_nothing)
{
    struct random random = {1};
    for (unsigned i = 0; i < 2200; i++) {
        struct arena other = {0};
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *original = random_record(&random, &other, schema, 0);
        struct record *copy = record_copy(&arena, schema, original);
        cr_assert(record_equal(original, copy), "%s %u", schema->name, i);
        struct record *again = record_copy(&arena, schema, copy);
        arena_finish(&other); // the sanitizer sees a copy that borrows
        cr_assert(record_equal(copy, again), "%s %u", schema->name, i);
    }
}

Test(record, a_copy_by_the_smaller_schema_leaves_out_what_the_larger_adds)
{
    struct object_edit *edit = (void *)record_new(&arena, &object_edit_schema);
    record_set_text(&edit->object.base, OBJECT_NAME, text("cube"));
    edit->input.scale[0] = 2;
    record_mark(&edit->object.base, OBJECT_SCALE);
    struct record *copy = record_copy(&arena, &object_schema, &edit->object.base);
    cr_assert_eq(copy->schema, &object_schema);
    cr_assert_eq(copy->present, FIELD_BIT(OBJECT_NAME));
    cr_assert_str_eq(((struct object *)(void *)copy)->name->data, "cube");
}

Test(record, a_copy_zeroes_what_is_not_present)
{
    struct sample *self = sample();
    self->name = text("not marked");
    self->count = 7;
    const struct sample *copy = (const void *)record_copy(&arena, &sample_schema, &self->base);
    cr_assert_null(copy->name);
    cr_assert_eq(copy->count, 0);
}

Test(record, equal_ones_have_the_same_members_present)
{
    struct sample *a = sample(), *b = sample();
    record_set_text(&a->base, SAMPLE_NAME, NULL);
    cr_assert_not(record_equal(&a->base, &b->base));
    record_set_text(&b->base, SAMPLE_NAME, text(""));
    cr_assert(record_equal(&a->base, &b->base));
}

Test(record, one_number_makes_a_difference)
{
    struct sample *a = sample(), *b = sample();
    record_mark(&a->base, SAMPLE_CORNER);
    record_mark(&b->base, SAMPLE_CORNER);
    cr_assert(record_equal(&a->base, &b->base));
    b->corner[1] = 1e-300;
    cr_assert_not(record_equal(&a->base, &b->base));
}

// --- frozen --------------------------------------------------------------------------------------

Test(frozen, a_frozen_copy_equals_its_original_and_outlives_it)
{
    struct random random = {2};
    for (unsigned i = 0; i < 2200; i++) {
        struct arena other = {0};
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *original = random_record(&random, &other, schema, 0);
        struct record *copy = record_copy(&arena, schema, original);
        const frozen_t *frozen = record_freeze(schema, original);
        arena_finish(&other);
        cr_assert(record_equal(frozen_record(frozen), copy), "%s %u", schema->name, i);
        record_unref(&frozen);
        cr_assert_null(frozen);
    }
}

Test(frozen, thawed_numbers_change_without_touching_the_original)
{
    struct random random = {3};
    for (unsigned i = 0; i < 2200; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        const frozen_t *frozen = record_freeze(schema, random_record(&random, &arena, schema, 0));
        struct record *before = record_copy(&arena, schema, frozen_record(frozen));
        const frozen_t *thawed = record_thaw_numbers(frozen);
        cr_assert(record_equal(frozen_record(frozen), before));
        record_unref(&frozen); // the sanitizer sees a pointer that was not rebased
        cr_assert(record_equal(frozen_record(thawed), before), "%s %u", schema->name, i);
        record_unref(&thawed);
    }
}

// They go in any order, with the originals gone before; thawed again they are as any other.
Test(frozen, many_records_are_thawed_into_one_piece_of_memory)
{
    enum { MANY = 100 };
    struct random random = {4};
    const frozen_t *frozen[MANY];
    struct record *before[MANY];
    frozen_t *thawed[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        frozen[i] = record_freeze(schema, random_record(&random, &arena, schema, 0));
        before[i] = record_copy(&arena, schema, frozen_record(frozen[i]));
    }
    record_thaw_many(frozen, MANY, thawed);
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert_eq(record_size(thawed[i]), record_size(frozen[i]));
        record_unref(&frozen[i]);
    }
    for (unsigned i = 0; i < MANY; i++) {
        const frozen_t *last = record_ref(thawed[i * 37 % MANY]);
        const frozen_t *again = record_thaw_numbers(last), *first = last;
        record_unref(&first);
        cr_assert(record_equal(frozen_record(last), before[i * 37 % MANY]));
        cr_assert(record_equal(frozen_record(again), frozen_record(last)));
        record_unref(&last);
        record_unref(&again);
    }
}

Test(frozen, a_thawed_number_is_not_seen_by_readers_of_the_original)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    loose->transform[3] = 1;
    record_mark(&loose->base, OBJECT_TRANSFORM);
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    frozen_t *thawed = record_thaw_numbers(frozen);
    ((struct object *)(void *)frozen_edit(thawed))->transform[3] = 5;
    cr_assert_eq(object_of(frozen_record(frozen))->transform[3], 1);
    const frozen_t *published = thawed;
    record_unref(&published);
    record_unref(&frozen);
}

// The block has 8 bytes of its own, the struct, and each text's 4 + size + 1 bytes rounded up to 4.
Test(frozen, the_size_of_a_block_is_what_its_parts_take)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    record_set_text(&loose->base, OBJECT_KEY, text("5b98880a270698496c36e392"));
    record_set_text(&loose->base, OBJECT_NAME, text("cube"));
    record_set_text(&loose->base, OBJECT_OWNER, text(""));
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    // The last text is not rounded: nothing follows it.
    cr_assert_eq(record_size(frozen), 8 + sizeof(struct object) + 32 + 9);
    record_unref(&frozen);
}

Test(frozen, a_typical_object_takes_at_most_350_bytes)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    record_set_text(&loose->base, OBJECT_KEY, text("5b98880a270698496c36e392"));
    record_set_text(&loose->base, OBJECT_NAME, text("cube"));
    record_set_text(&loose->base, OBJECT_SCENE, text("s1"));
    record_set_text(&loose->base, OBJECT_TYPE, text("Mesh"));
    record_set_text(&loose->base, OBJECT_SUBTYPE, text("Cube"));
    record_mark(&loose->base, OBJECT_TRANSFORM);
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    cr_assert_leq(record_size(frozen), 350, "%zu bytes", record_size(frozen));
    record_unref(&frozen);
}

Test(frozen, nobody_needs_to_hold_a_reference_to_nothing)
{
    const frozen_t *nothing = NULL;
    record_unref(&nothing);
    cr_assert_null(nothing);
}

enum { READERS = 4, READS = 50000 };

static void *
read_shared(void *argument)
{
    const frozen_t *shared = argument;
    for (int i = 0; i < READS; i++) {
        const frozen_t *mine = record_ref(shared);
        if (((const struct sample *)(const void *)mine)->count != 5)
            return argument;
        record_unref(&mine);
    }
    return NULL;
}

Test(frozen, many_threads_take_and_drop_references_and_the_last_one_frees)
{
    struct sample *loose = sample();
    record_set_integer(&loose->base, SAMPLE_COUNT, 5);
    const frozen_t *shared = record_freeze(&sample_schema, &loose->base);
    pthread_t threads[READERS];
    void *argument;
    memcpy(&argument, &shared, sizeof argument);
    for (int i = 0; i < READERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, read_shared, argument), 0);
    for (int i = 0; i < READERS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
    }
    cr_assert_eq(((const struct sample *)(const void *)shared)->count, 5);
    record_unref(&shared); // one reference left: the sanitizer sees a leak, or a second free
}

// --- merge ---------------------------------------------------------------------------------------

Test(merge, members_present_overwrite_and_members_absent_stay)
{
    struct sample *base = sample(), *edit = sample();
    record_set_text(&base->base, SAMPLE_NAME, text("old"));
    record_set_integer(&base->base, SAMPLE_COUNT, 1);
    record_set_text(&edit->base, SAMPLE_NAME, text("new"));
    const struct sample *merged = merge(base, edit, LIST_OVERWRITE);
    cr_assert_str_eq(merged->name->data, "new");
    cr_assert_eq(merged->count, 1);
}

Test(merge, nothing_is_a_base_too)
{
    struct sample *edit = sample();
    record_set_text(&edit->base, SAMPLE_NAME, text("new"));
    const struct sample *merged = merge(NULL, edit, LIST_OVERWRITE);
    cr_assert_eq(merged->base.present, FIELD_BIT(SAMPLE_NAME));
    cr_assert_str_eq(merged->name->data, "new");
}

Test(merge, what_the_server_sets_and_what_only_a_request_has_does_not_travel)
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

Test(merge, devices_of_a_scene_do_not_travel)
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

Test(merge, a_list_present_overwrites_the_old_one)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b"));
    set_words(edit, TEXTS("c"));
    cr_assert(texts_equal(merge(base, edit, LIST_OVERWRITE)->words, TEXTS("c")));
}

Test(merge, an_appended_list_has_each_item_once)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b"));
    set_words(edit, TEXTS("b", "c", "c"));
    cr_assert(texts_equal(merge(base, edit, LIST_APPEND)->words, TEXTS("a", "b", "c")));
}

Test(merge, removed_items_are_gone_and_an_emptied_list_is_absent)
{
    struct sample *base = sample(), *edit = sample();
    set_words(base, TEXTS("a", "b", "c"));
    set_words(edit, TEXTS("b", "x"));
    cr_assert(texts_equal(merge(base, edit, LIST_REMOVE)->words, TEXTS("a", "c")));
    set_words(edit, TEXTS("c", "b", "a"));
    cr_assert_eq(merge(base, edit, LIST_REMOVE)->base.present, 0);
}

Test(merge, records_in_lists_are_appended_and_removed_by_their_value)
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

Test(merge, an_append_past_the_limit_is_refused)
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

Test(merge, the_result_borrows_from_neither)
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

// --- filters -------------------------------------------------------------------------------------

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

// --- parameters ----------------------------------------------------------------------------------

Test(schema, operation_10_appends_11_removes_and_others_overwrite)
{
    struct params *params = (void *)record_new(&arena, &params_schema);
    cr_assert_eq(params_list_mode(params), LIST_OVERWRITE);
    record_set_integer(&params->base, PARAMS_OPERATION, 10);
    cr_assert_eq(params_list_mode(params), LIST_APPEND);
    record_set_integer(&params->base, PARAMS_OPERATION, 11);
    cr_assert_eq(params_list_mode(params), LIST_REMOVE);
    record_set_integer(&params->base, PARAMS_OPERATION, 12);
    cr_assert_eq(params_list_mode(params), LIST_OVERWRITE);
}
