// scene_loader_test.c - the thread that reads: slices of a scene, look-ups, what is absent or
// broken.
#include "actors/scene/scene_loader.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/scene_family.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "store/rocks.h"
#include "tests/support/temporary.h"

enum { PART = 7, SCENE = 77, WAIT_MS = 10000 };

struct fixture {
    struct temporary directory;
    store_t *store;
    mailbox_t *actor;
    loader_t *loader;
};

static void
fixture_init(struct fixture *self)
{
    char path[TEMPORARY_PATH_BYTES];
    *self = (struct fixture){0};
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", path);
    cr_assert_eq(rocks_open(path, false, false, &self->store), OK, "%s", fault_last()->detail);
    cr_assert_eq(mailbox_create("actor", false, &self->actor), OK);
    cr_assert_eq(loader_create(self->store, "loader", &self->loader), OK);
}

static void
fixture_finish(struct fixture *self)
{
    loader_destroy(&self->loader, self->actor);
    mailbox_destroy(&self->actor);
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

static struct fixture fixture;

static struct fixture *
fixture_begin(void)
{
    struct fixture *self = &fixture;
    fixture_finish(self);
    fixture_init(self);
    return self;
}

// Also of a test that failed: its process would wait for the thread for ever.
static void
fixture_end(void)
{
    fixture_finish(&fixture);
}

TestSuite(scene_loader, .fini = fixture_end);

static void
put_bytes(struct fixture *self, struct key key, const void *data, size_t size)
{
    const struct store_operation put = {.address = {FAMILY_SCENE, PART, key_bytes(&key)},
                                        .value = {data, size}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(self->store, &commit, 0), STORE_OK);
}

// Objects of a scene with keys 000000, 000001, … and frames that say which.
static void
put_objects(struct fixture *self, uint64_t scene_id, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        owned(arena_finish) struct arena arena = {0};
        owned(buffer_finish) struct buffer value = {0};
        const struct text *key = text_format(&arena, "%06u", i);
        struct record *object = record_new(&arena, &object_schema);
        record_set_text(object, OBJECT_KEY, key);
        record_set_integer(object, OBJECT_FRAME, i);
        record_to_stored(object, &value);
        put_bytes(self, key_in_scene(KEY_OBJECT, scene_id, key), value.data, value.size);
    }
}

static struct message *
load(struct fixture *self, struct slice *slice)
{
    struct message *message = message_create(LOAD);
    message->id = 3;
    message->parcel = &slice->base;
    cr_assert_eq(mailbox_send(self->actor, "loader", &message), OK);
    message = mailbox_receive(self->actor, WAIT_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, LOADED);
    cr_assert_eq(message->id, 3);
    cr_assert_eq(slice_of(message), slice, "the same slice comes back");
    return message;
}

// Sends the slice again for what comes next.
static struct message *
load_more(struct fixture *self, struct message *message)
{
    struct slice *slice = slice_of(message);
    message->parcel = NULL;
    message_destroy(&message);
    slice_continue(slice);
    return load(self, slice);
}

static struct slice *
objects_slice(enum slice_kind kind)
{
    return slice_of_scene(kind, KEY_OBJECT, PART, SCENE);
}

static void
check_slice(const struct slice *slice, uint32_t first, uint32_t count, bool more)
{
    cr_assert_eq(slice->result, STORE_OK);
    cr_assert_eq(slice->count, count);
    cr_assert_eq(slice->more, more);
    for (uint32_t i = 0; i < count; i++)
        if (slice->kind == SLICE_RECORDS) {
            const struct object *object =
                (const struct object *)(const void *)frozen_record(slice->records[i]);
            cr_assert_eq(object->rare->frame, first + i);
        } else {
            owned(arena_finish) struct arena arena = {0};
            struct key key =
                key_in_scene(KEY_OBJECT, SCENE, text_format(&arena, "%06u", first + i));
            cr_assert_eq(slice->keys[i].size, key.size);
            cr_assert_arr_eq(slice->keys[i].data, key.data, key.size);
        }
}

// Loads `objects` in slices and checks each.
static void
check_slices(enum slice_kind kind, uint32_t objects)
{
    struct fixture *self = fixture_begin();
    put_objects(self, SCENE - 1, 3);
    put_objects(self, SCENE, objects);
    put_objects(self, SCENE + 1, 3);
    uint32_t first = 0;
    struct message *message = load(self, objects_slice(kind));
    while (objects - first > SLICE_LIMIT) {
        check_slice(slice_of(message), first, SLICE_LIMIT, true);
        first += SLICE_LIMIT;
        message = load_more(self, message);
    }
    check_slice(slice_of(message), first, objects - first, false);
    message_destroy(&message);
}

Test(scene_loader, reads_the_records_of_one_scene_in_order_of_their_keys)
{
    check_slices(SLICE_RECORDS, 5);
}

Test(scene_loader, reads_400_records_at_once)
{
    check_slices(SLICE_RECORDS, 400);
}

Test(scene_loader, says_that_there_is_more_and_goes_on_there)
{
    check_slices(SLICE_RECORDS, 401);
    check_slices(SLICE_RECORDS, 800);
    check_slices(SLICE_RECORDS, 1001);
}

Test(scene_loader, reads_keys_in_slices_too)
{
    check_slices(SLICE_KEYS, 5);
    check_slices(SLICE_KEYS, 1001);
}

Test(scene_loader, a_scene_without_objects_is_an_empty_slice)
{
    check_slices(SLICE_RECORDS, 0);
    check_slices(SLICE_KEYS, 0);
}

Test(scene_loader, keys_are_read_whatever_their_values)
{
    struct fixture *self = fixture_begin();
    put_objects(self, SCENE, 2);
    owned(arena_finish) struct arena arena = {0};
    put_bytes(self, key_in_scene(KEY_OBJECT, SCENE, text_from(&arena, "000001")), "\xc1", 1);
    owned(message_destroy) struct message *message = load(self, objects_slice(SLICE_KEYS));
    check_slice(slice_of(message), 0, 2, false);
}

Test(scene_loader, a_whole_scene_is_its_fence_what_users_hold_and_its_entities)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    put_bytes(self, key_of_scene_id(KEY_FENCE, SCENE), "12345678", 8);
    put_bytes(self, key_in_scene(KEY_HOLDING, SCENE, text_from(&arena, "ann")), "\0\0\0\0\0\0\0\7",
              8);
    put_bytes(self, key_in_scene(KEY_HOLDING, SCENE + 1, text_from(&arena, "bob")), "12345678", 8);
    put_objects(self, SCENE, SLICE_LIMIT);
    struct message *message = load(self, slice_of_scene(SLICE_WHOLE, 0, PART, SCENE));
    const struct slice *slice = slice_of(message);
    cr_assert_eq(slice->result, STORE_OK);
    cr_assert_eq(slice->value.size, 8);
    cr_assert_eq(slice->count, SLICE_LIMIT);
    cr_assert_null(slice->records[0]);
    cr_assert_eq(slice->numbers[0], 7);
    for (uint32_t i = 1; i < SLICE_LIMIT; i++)
        cr_assert_not_null(slice->records[i]);
    cr_assert(slice->more, "one object did not fit");
    cr_assert(slice_has_come_to_entities(slice));
    message = load_more(self, message);
    cr_assert_eq(slice_of(message)->count, 1);
    cr_assert_not_null(slice_of(message)->records[0]);
    cr_assert_not(slice_of(message)->more);
    message_destroy(&message);
}

Test(scene_loader, what_many_users_hold_comes_before_the_entities)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    for (unsigned i = 0; i <= SLICE_LIMIT; i++)
        put_bytes(self, key_in_scene(KEY_HOLDING, SCENE, text_format(&arena, "%06u", i)),
                  "12345678", 8);
    put_objects(self, SCENE, 3);
    struct message *message = load(self, slice_of_scene(SLICE_WHOLE, 0, PART, SCENE));
    cr_assert_eq(slice_of(message)->count, SLICE_LIMIT);
    cr_assert_not(slice_has_come_to_entities(slice_of(message)));
    message = load_more(self, message);
    cr_assert_eq(slice_of(message)->count, 4);
    cr_assert_null(slice_of(message)->records[0]);
    cr_assert_not_null(slice_of(message)->records[3]);
    cr_assert(slice_has_come_to_entities(slice_of(message)));
    message_destroy(&message);
}

// ---------------------------------------------------------------- what is broken

static void
check_broken(const void *value, size_t size)
{
    struct fixture *self = fixture_begin();
    put_objects(self, SCENE, 3);
    owned(arena_finish) struct arena arena = {0};
    put_bytes(self, key_in_scene(KEY_OBJECT, SCENE, text_from(&arena, "000001")), value, size);
    owned(message_destroy) struct message *message = load(self, objects_slice(SLICE_RECORDS));
    cr_assert_eq(slice_of(message)->result, STORE_BAD);
    cr_assert_leq(slice_of(message)->count, 1, "nothing behind the broken one");
}

Test(scene_loader, a_value_that_is_no_record_makes_the_slice_bad)
{
    check_broken("\xc1", 1);             // a byte that msgpack never uses
    check_broken("", 0);                 // nothing
    check_broken("\x81\x08", 2);         // a map that ends early
    check_broken("\x93\x01\x02\x03", 4); // no map
    check_broken("\x81\x08\xa1x", 4);    // a text in place of the frame
}

Test(scene_loader, after_a_bad_slice_the_next_one_is_read)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    put_bytes(self, key_in_scene(KEY_OBJECT, SCENE + 1, text_from(&arena, "a")), "\xc1", 1);
    put_objects(self, SCENE, 3);
    struct message *bad = load(self, slice_of_scene(SLICE_RECORDS, KEY_OBJECT, PART, SCENE + 1));
    cr_assert_eq(slice_of(bad)->result, STORE_BAD);
    message_destroy(&bad);
    owned(message_destroy) struct message *good = load(self, objects_slice(SLICE_RECORDS));
    check_slice(slice_of(good), 0, 3, false);
}

// ---------------------------------------------------------------- look-ups

Test(scene_loader, finds_what_stands_under_a_generated_key)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    const struct text *key = key_generate(&arena, PART);
    put_bytes(self, key_of_text(KEY_LOOKUP, key), "12345678hall", 12);
    owned(message_destroy) struct message *message = load(self, slice_of_lookup(PART, key));
    const struct slice *slice = slice_of(message);
    cr_assert_eq(slice->result, STORE_OK);
    cr_assert_eq(slice->value.size, 12);
    cr_assert_arr_eq(slice->value.data, "12345678hall", 12);
}

Test(scene_loader, says_that_a_key_is_absent)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    const struct text *key = key_generate(&arena, PART);
    put_bytes(self, key_of_text(KEY_LOOKUP, key), "12345678hall", 12);
    struct message *message = load(self, slice_of_lookup(PART + 1, key));
    cr_assert_eq(slice_of(message)->result, STORE_ABSENT, "it is in another partition");
    message_destroy(&message);
    message = load(self, slice_of_lookup(PART, key_generate(&arena, PART)));
    cr_assert_eq(slice_of(message)->result, STORE_ABSENT);
    message_destroy(&message);
}

Test(scene_loader, a_value_larger_than_any_place_is_bad)
{
    struct fixture *self = fixture_begin();
    owned(arena_finish) struct arena arena = {0};
    const struct text *key = key_generate(&arena, PART);
    static const char large[KEY_MAX + 1];
    put_bytes(self, key_of_text(KEY_LOOKUP, key), large, sizeof large);
    owned(message_destroy) struct message *message = load(self, slice_of_lookup(PART, key));
    cr_assert_eq(slice_of(message)->result, STORE_BAD);
}

Test(scene_loader, every_tag_has_the_schema_of_its_records)
{
    cr_assert_eq(scene_family_schema(KEY_SCENE), &scene_schema);
    cr_assert_eq(scene_family_schema(KEY_OBJECT), &object_schema);
    cr_assert_eq(scene_family_schema(KEY_DEVICE), &device_schema);
}
