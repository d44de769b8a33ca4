// scene_remains_test.c - registrations and corrections of a deleted scene end in slices.
#include "actors/scene/scene_remains.h"

#include <criterion/criterion.h>

#include "actors/scene/token_index.h"
#include "proto/feed/feed_token.h"
#include "proto/records/device.h"
#include "tests/support/bare_shard.h"

enum { DEVICES = 100, CORRECTIONS = 70 };

static struct shard *shard;
static struct scene_state *hall;
static struct arena arena;
static const struct text *tokens[DEVICES];

static void
add_device(int number)
{
    char token[FEED_TOKEN_SIZE], hash[FEED_TOKEN_HASH_SIZE];
    feed_token_new(token);
    tokens[number] = text_from(&arena, token);
    cr_assert(feed_token_hash(tokens[number], hash));
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_format(&arena, "%03d", number));
    record_set_text(device, DEVICE_TOKEN, text_from(&arena, hash));
    const frozen_t *frozen = record_freeze(&device_schema, device);
    record_set_put(&hall->devices, frozen);
    token_index_put(shard, frozen);
    record_unref(&frozen);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    hall = bare_shard_add_scene(shard, "hall", "");
    for (int i = 0; i < DEVICES; i++)
        add_device(i);
    for (int i = 0; i < CORRECTIONS; i++)
        bare_shard_know_correction(shard, hall, i, "000", false);
}

static void
end(void)
{
    bare_shard_end();
    arena_finish(&arena);
}

TestSuite(scene_remains, .init = begin, .fini = end);

Test(scene_remains, go_in_slices)
{
    struct message *message = scene_remains_message(hall);
    unsigned slices = 1;
    for (; remains_drop(&shard->base, message) == PARKED; slices++)
        cr_assert_eq(message_queue_pop(&shard->base.paused), message);
    cr_assert_geq(slices, 5);
    cr_assert_eq(record_set_count(&hall->devices), 0);
    cr_assert_eq(record_set_count(&hall->evidence), 0);
    size_t left;
    device_evidence_unpinned(&hall->device_evidence, &left);
    cr_assert_eq(left, 0);
    cr_assert_eq(hall->device_evidence.devices.count, 0, "the last release frees all at once");
    cr_assert_eq(shard->corrections, 0);
    for (int i = 0; i < DEVICES; i++)
        cr_assert_null(token_index_find(shard, tokens[i]));
    message_destroy(&message);
}
