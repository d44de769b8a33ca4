// partition_reader_test.c - what is read of partitions at a start.
#include "actors/scene/partition_reader.h"

#include <criterion/criterion.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/buffer.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"
#include "tests/support/tested_store.h"

static void
put(store_t *store, uint16_t part, struct key key, const void *data, size_t size)
{
    const struct store_operation operation = {.address = {FAMILY_SCENE, part, key_bytes(&key)},
                                              .value = {data, size}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
}

static void
put_scene(store_t *store, uint16_t part, const char *key, int64_t id)
{
    struct arena arena = {0};
    struct buffer stored = {0};
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, key));
    record_set_integer(scene, SCENE_ID, id);
    record_to_stored(scene, &stored);
    put(store, part, key_of_text(KEY_SCENE, text_from(&arena, key)), stored.data, stored.size);
    buffer_finish(&stored);
    arena_finish(&arena);
}

static void
put_number(store_t *store, uint16_t part, key_tag_t tag, uint64_t id, const char *text,
           uint64_t number)
{
    struct arena arena = {0};
    unsigned char value[sizeof number];
    key_put_u64(value, number);
    put(store, part, key_in_scene(tag, id, text_from(&arena, text)), value, sizeof value);
    arena_finish(&arena);
}

Test(partition_reader, each_partition_of_the_shard_is_read_once)
{
    enum { SHARDS = 3, SHARD = 1 };
    struct temporary directory;
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    bool is_read[PARTITION_COUNT] = {false};
    unsigned count = 0;
    partition_reader_t *reader = partition_reader_create(store, SHARD, SHARDS);
    for (struct partition_found *found; (found = partition_reader_take(reader)) != NULL; count++) {
        cr_assert_eq(found->result, STORE_OK);
        cr_assert_eq(found->part % SHARDS, SHARD);
        cr_assert_not(is_read[found->part]);
        is_read[found->part] = true;
        partition_found_destroy(&found);
    }
    cr_assert_eq(count, 341); // of 1,024
    partition_reader_destroy(&reader);
    store_destroy(&store);
    temporary_finish(&directory);
}

Test(partition_reader, rows_have_what_their_tags_have_and_entities_have_none)
{
    struct temporary directory;
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    put_scene(store, 5, "hall", 77);
    put_number(store, 5, KEY_HOLDING, 77, "anna", 1000);
    put_number(store, 5, KEY_LEASE, 77, "door", 30);
    put_number(store, 5, KEY_OBJECT, 77, "cube", 1);
    partition_reader_t *reader = partition_reader_create(store, 5, PARTITION_COUNT);
    owned(partition_found_destroy) struct partition_found *found = partition_reader_take(reader);
    cr_assert_null(partition_reader_take(reader));
    cr_assert_eq(found->count, 3);
    const struct partition_row *rows = found->rows;
    cr_assert_eq(rows[0].tag, KEY_HOLDING);
    cr_assert_eq(rows[0].scene_id, 77);
    cr_assert_str_eq(text_chars(rows[0].text), "anna");
    cr_assert(rows[0].has_number);
    cr_assert_eq(rows[0].number, 1000);
    cr_assert_eq(rows[1].tag, KEY_LEASE);
    cr_assert_eq(rows[1].number, 30);
    cr_assert_eq(rows[2].tag, KEY_SCENE);
    cr_assert(frozen_is_packed(rows[2].record));
    cr_assert_str_eq(text_chars(frozen_key(rows[2].record)), "hall");
    partition_reader_destroy(&reader);
    store_destroy(&store);
    temporary_finish(&directory);
}

Test(partition_reader, what_other_actors_and_kept_answers_have_is_there_as_it_is_stored)
{
    struct temporary directory;
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    put(store, 5, key_of_tag(KEY_OUTBOX), "effect", 6);
    put(store, 5, key_of_tag(KEY_REPEAT), "answer", 6);
    partition_reader_t *reader = partition_reader_create(store, 5, PARTITION_COUNT);
    owned(partition_found_destroy) struct partition_found *found = partition_reader_take(reader);
    cr_assert_eq(found->count, 2);
    cr_assert_eq(found->rows[0].tag, KEY_OUTBOX);
    cr_assert_arr_eq(found->rows[0].key.data, "B", 1);
    cr_assert_arr_eq(found->rows[0].value.data, "effect", 6);
    cr_assert_eq(found->rows[1].tag, KEY_REPEAT);
    cr_assert_eq(found->rows[1].value.size, 6);
    partition_reader_destroy(&reader);
    store_destroy(&store);
    temporary_finish(&directory);
}

Test(partition_reader, a_broken_record_is_told_with_its_tag)
{
    struct temporary directory;
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    put(store, 9, key_in_scene(KEY_DEVICE, 77, NULL), "\xc1", 1);
    partition_reader_t *reader = partition_reader_create(store, 9, PARTITION_COUNT);
    owned(partition_found_destroy) struct partition_found *found = partition_reader_take(reader);
    cr_assert_eq(found->result, STORE_BAD);
    cr_assert_eq(found->failed, KEY_DEVICE);
    partition_reader_destroy(&reader);
    store_destroy(&store);
    temporary_finish(&directory);
}

Test(partition_reader, it_ends_before_all_is_taken)
{
    struct temporary directory;
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    partition_reader_t *reader = partition_reader_create(store, 0, 1);
    owned(partition_found_destroy) struct partition_found *found = partition_reader_take(reader);
    cr_assert_not_null(found);
    partition_reader_destroy(&reader);
    cr_assert_null(reader);
    store_destroy(&store);
    temporary_finish(&directory);
}

Test(partition_reader, a_device_is_read_packed)
{
    struct temporary directory;
    struct arena arena = {0};
    struct buffer stored = {0};
    temporary_init(&directory);
    store_t *store = tested_store_open(&directory);
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    record_set_text(device, DEVICE_PEER, text_from(&arena, "127.0.0.1"));
    record_to_stored(device, &stored);
    put(store, 5, key_in_scene(KEY_DEVICE, 77, text_from(&arena, "phone")), stored.data,
        stored.size);
    partition_reader_t *reader = partition_reader_create(store, 5, PARTITION_COUNT);
    owned(partition_found_destroy) struct partition_found *found = partition_reader_take(reader);
    struct opened room;
    cr_assert_eq(found->count, 1);
    cr_assert_eq(found->rows[0].scene_id, 77);
    cr_assert(frozen_is_packed(found->rows[0].record));
    cr_assert(record_equal(frozen_open(found->rows[0].record, &room), device));
    partition_reader_destroy(&reader);
    store_destroy(&store);
    buffer_finish(&stored);
    arena_finish(&arena);
    temporary_finish(&directory);
}
