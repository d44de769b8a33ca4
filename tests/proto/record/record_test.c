// record_test.c - loose and frozen records.
#include "proto/record/record.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "tests/support/samples.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(record, .fini = finish);
TestSuite(frozen, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

static struct sample *
sample(void)
{
    return (struct sample *)(void *)record_new(&arena, &sample_schema);
}

// --- loose
// ----------------------------------------------------------------------------------------

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

// --- frozen
// ---------------------------------------------------------------------------------------

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

// The block has 8 bytes of its own, the struct, and each text's 4 + size + 1 bytes.
Test(frozen, the_size_of_a_block_is_what_its_parts_take)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    record_set_text(&loose->base, OBJECT_KEY, text("5b98880a270698496c36e392"));
    record_set_text(&loose->base, OBJECT_NAME, text("cube"));
    record_set_text(&loose->base, OBJECT_OWNER, text(""));
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    cr_assert_eq(record_size(frozen), 8 + sizeof(struct object) + 29 + 9);
    record_unref(&frozen);
}

Test(frozen, a_typical_object_takes_at_most_290_bytes)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    record_set_text(&loose->base, OBJECT_KEY, text("5b98880a270698496c36e392"));
    record_set_text(&loose->base, OBJECT_NAME, text("cube"));
    record_set_text(&loose->base, OBJECT_SCENE, text("s1"));
    record_set_text(&loose->base, OBJECT_TYPE, text("Mesh"));
    record_set_text(&loose->base, OBJECT_SUBTYPE, text("Cube"));
    record_mark(&loose->base, OBJECT_TRANSFORM);
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    cr_assert_leq(record_size(frozen), 290, "%zu bytes", record_size(frozen));
    record_unref(&frozen);
}

// Of the rare part: actions, parent, part of an asset, owner, frame, timestamp, 3 handles, tags,
// extras, lock, fence, visible; 112 bytes, and a tag of 3 bytes in a list.
Test(frozen, an_object_pays_for_its_rare_members_alone)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    const frozen_t *bare = record_freeze(&object_schema, &loose->base);
    cr_assert_eq(record_size(bare), 8 + 216);
    cr_assert_null(object_of(frozen_record(bare))->rare);
    loose->rare->tags = texts_of_one(&arena, text("red"));
    record_mark(&loose->base, OBJECT_TAGS);
    const frozen_t *tagged = record_freeze(&object_schema, &loose->base);
    cr_assert_eq(record_size(tagged), 8 + 216 + 112 + 16 + 8);
    cr_assert(texts_equal(object_of(frozen_record(tagged))->rare->tags, loose->rare->tags));
    record_unref(&bare);
    record_unref(&tagged);
}

// Clients send what an answer showed, with texts that are empty.
Test(frozen, an_object_does_not_pay_for_a_rare_text_that_is_empty)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    const unsigned ids[] = {OBJECT_OWNER, OBJECT_PARENT, OBJECT_ASSET_SUB_ID};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        record_set_text(&loose->base, ids[i], text(""));
    const frozen_t *frozen = record_freeze(&object_schema, &loose->base);
    cr_assert_eq(record_size(frozen), 8 + 216);
    cr_assert(record_has(frozen_record(frozen), OBJECT_PARENT));
    cr_assert(record_equal(frozen_record(frozen), &loose->base));
    frozen_t *thawed = record_thaw_numbers(frozen);
    cr_assert_eq(text_size(record_text(frozen_record(thawed), OBJECT_PARENT)), 0);
    const frozen_t *published = thawed;
    record_unref(&published);
    record_unref(&frozen);
}

// Of whoever registered with an address, from it, and says nothing else.
Test(frozen, a_registered_device_takes_at_most_200_bytes)
{
    struct record *loose = record_new(&arena, &device_schema);
    record_set_text(loose, DEVICE_KEY, text("device-1234"));
    record_set_text(loose, DEVICE_HOSTNAME, text("127.0.0.1"));
    record_set_text(loose, DEVICE_ADDRESS, text("127.0.0.1"));
    record_set_text(loose, DEVICE_PEER, text("127.0.0.1"));
    record_set_text(loose, DEVICE_CONVENTION, text(""));
    record_set_text(loose, DEVICE_TOKEN, text("00112233445566778899aabbccddeeff"));
    record_set_integer(loose, DEVICE_PORT, 20000);
    record_set_integer(loose, DEVICE_SINCE, 1);
    const frozen_t *frozen = record_freeze(&device_schema, loose);
    cr_assert_leq(record_size(frozen), 200, "%zu bytes", record_size(frozen));
    record_unref(&frozen);
}

Test(frozen, a_member_of_a_rare_part_that_is_not_there_reads_as_absent)
{
    struct object *loose = (void *)record_new(&arena, &object_schema);
    const frozen_t *bare = record_freeze(&object_schema, &loose->base);
    const struct field *tags = schema_field(&object_schema, OBJECT_TAGS);
    cr_assert_null(MEMBER_CONST(const struct texts *, frozen_record(bare), tags));
    frozen_t *thawed = record_thaw_numbers(bare);
    cr_assert_null(object_of(frozen_record(thawed))->rare);
    struct record *edit = record_new(&arena, &object_schema), *merged;
    ((struct object *)(void *)edit)->rare->visible = true;
    record_mark(edit, OBJECT_VISIBLE);
    cr_assert_eq(
        record_merge(&arena, &object_schema, frozen_record(bare), edit, LIST_OVERWRITE, &merged),
        OK);
    cr_assert(object_of(merged)->rare->visible);
    cr_assert(record_matches(frozen_record(bare), record_new(&arena, &object_schema)));
    const frozen_t *published = thawed;
    record_unref(&published);
    record_unref(&bare);
}

Test(frozen, a_flat_copy_shares_texts_and_no_members)
{
    struct object *loose = (void *)record_new(&arena, &object_edit_schema);
    record_set_text(&loose->base, OBJECT_EXTRAS, text("{}"));
    struct object *copy = (void *)record_copy_flat(&arena, &object_schema, &loose->base);
    cr_assert_eq(copy->base.schema, &object_schema);
    cr_assert_eq(copy->rare->extras, loose->rare->extras);
    record_set_text(&copy->base, OBJECT_EXTRAS, text("[1]"));
    cr_assert(text_is(loose->rare->extras, "{}"));
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
