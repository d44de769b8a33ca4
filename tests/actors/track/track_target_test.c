// track_target_test.c - the edits that a sample becomes.
#include "actors/track/track_target.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/feed/feed_token.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

#define KEY "0018880a270698496c36e392" // of partition 1

static struct arena arena;
static struct shard_updates updates;
static struct track_target target;

static void
start(void)
{
    struct track_source source = {.scene = "stage", .object = KEY};
    arena_init(&arena);
    shard_updates_init(&updates, PARTITION_COUNT, 8);
    track_target_init(&target, &arena, &source);
}

static void
end(void)
{
    shard_updates_finish(&updates);
    arena_finish(&arena);
}

TestSuite(track_target, .init = start, .fini = end);

static const struct record *
edit_of(uint16_t partition, uint32_t index)
{
    const struct message *message = updates.messages[partition];
    cr_assert_not_null(message);
    cr_assert_lt(index, message->records->count);
    return message->records->items[index];
}

static void
expect_signed(const struct record *edit)
{
    cr_expect(text_is(record_text(edit, ENTITY_TOKEN), FEED_TOKEN_OF_TRACKER));
    cr_expect(text_is(entity_of(edit)->scene, "stage"));
}

Test(track_target, a_pose_moves_the_object)
{
    struct opentrackio_sample sample = {
        .has_pose = true, .has_frame = true, .frame = 9, .matrix = {[0] = 1, [3] = 5}};
    cr_assert_eq(track_target_update(&target, &arena, &sample, &updates), 1);
    const struct record *edit = edit_of(1, 0);
    cr_expect_eq(edit->schema, &object_edit_schema);
    cr_expect(text_is(record_key(edit), KEY));
    expect_signed(edit);
    cr_expect_eq(memcmp(object_of(edit)->transform, sample.matrix, sizeof sample.matrix), 0);
    cr_expect(record_has(edit, OBJECT_TRANSFORM));
    cr_expect_eq(object_of(edit)->rare->frame, 9);
    cr_expect(!record_has(edit, OBJECT_TIMESTAMP));
}

Test(track_target, a_lens_value_sets_the_property_of_its_name)
{
    struct opentrackio_sample sample = {
        .has_timestamp = true, .timestamp = 7, .has_lens = {[LENS_F_STOP] = true}};
    sample.lens[LENS_F_STOP] = 5.6;
    cr_assert_eq(track_target_update(&target, &arena, &sample, &updates), 1);
    const struct record *edit = edit_of(partition_of_scene(text_from(&arena, "stage")), 0);
    const struct property *property = (const struct property *)(const void *)edit;
    cr_expect_eq(edit->schema, &property_edit_schema);
    cr_expect(text_is(property->key, KEY ".fStop"));
    expect_signed(edit);
    cr_expect_eq(property->timestamp, 7);
    cr_assert_eq(property->values->count, 1);
    const struct value *value = (const struct value *)(const void *)property->values->items[0];
    cr_expect_eq(value->value, 5.6);
}

Test(track_target, without_pose_and_lens_nothing_is_said)
{
    struct opentrackio_sample sample = {.has_frame = true, .frame = 9};
    cr_assert_eq(track_target_update(&target, &arena, &sample, &updates), 0);
}

// No datagram of a device can say that a tracker sends it (udp_parser.c takes a token of one size).
Test(track_target, the_word_of_a_tracker_is_no_token)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    cr_expect(!feed_token_hash(text_from(&arena, FEED_TOKEN_OF_TRACKER), hash));
    cr_expect_neq(strlen(FEED_TOKEN_OF_TRACKER), FEED_TOKEN_SIZE - 1);
    cr_expect_neq(strlen(FEED_TOKEN_OF_TRACKER), FEED_TOKEN_HASH_SIZE - 1);
}
