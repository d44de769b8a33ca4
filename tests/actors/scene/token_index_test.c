// token_index_test.c - which registration a feed token names.

#include "actors/scene/token_index.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_remains.h"
#include "proto/feed/feed_token.h"
#include "proto/records/device.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct scene_state *hall, *yard;
static struct arena arena;
static const struct text *token;
static const frozen_t *phone;

// A frozen registration with the hash of this token, yours.
static const frozen_t *
device_with(const struct text *its_token)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    if (its_token && feed_token_hash(its_token, hash))
        record_set_text(device, DEVICE_TOKEN, text_from(&arena, hash));
    return record_freeze(&device_schema, device);
}

static void
register_to_hall(const frozen_t *device)
{
    record_set_put(&hall->devices, device);
    token_index_put(shard, device);
}

static void
begin(void)
{
    char chars[FEED_TOKEN_SIZE];
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    yard = bare_shard_add_scene(shard, "yard", "");
    feed_token_new(chars);
    token = text_from(&arena, chars);
    phone = device_with(token);
}

static void
end(void)
{
    record_unref(&phone);
    arena_finish(&arena);
    bare_shard_end();
}

TestSuite(token_index, .init = begin, .fini = end);

Test(token_index, a_token_names_its_device_in_its_scene_alone)
{
    register_to_hall(phone);
    cr_assert_eq(device_of_token(shard, hall, token), phone);
    cr_assert_null(device_of_token(shard, yard, token));
    cr_assert_eq(token_index_find(shard, token), phone);
}

Test(token_index, unknown_and_missing_tokens_name_nothing)
{
    register_to_hall(phone);
    cr_assert_null(token_index_find(shard, NULL));
    cr_assert_null(token_index_find(shard, text_from(&arena, "guess")));
}

Test(token_index, a_token_is_dead_when_its_registration_ended)
{
    register_to_hall(phone);
    token_index_remove(shard, phone);
    cr_assert_null(token_index_find(shard, token));
}

Test(token_index, all_tokens_of_a_scene_end_with_it)
{
    register_to_hall(phone);
    struct message *message = scene_remains_message(hall);
    cr_assert_eq(remains_drop(&shard->base, message), OK);
    cr_assert_null(token_index_find(shard, token));
    message_destroy(&message);
}

Test(token_index, a_registration_without_a_token_is_not_in_it)
{
    const frozen_t *old = device_with(NULL);
    register_to_hall(old);
    token_index_remove(shard, old);
    cr_assert_eq(shard->tokens.count, 0);
    record_unref(&old);
}

Test(token_index, a_device_is_heard_when_its_token_is_used_in_its_scene)
{
    register_to_hall(phone);
    cr_expect_eq(token_index_heard_us(shard, phone), 0);
    shard->heard_us = 12;
    cr_assert_null(device_of_token(shard, yard, token));
    cr_expect_eq(token_index_heard_us(shard, phone), 0);
    cr_expect_eq(shard->heard.count, 0);
    cr_assert_not_null(device_of_token(shard, hall, token));
    cr_expect_eq(token_index_heard_us(shard, phone), 12);
    token_index_remove(shard, phone);
    cr_expect_eq(shard->heard.count, 0);
    const frozen_t *old = device_with(NULL);
    cr_expect_eq(token_index_heard_us(shard, old), 0, "it was registered before there were tokens");
    record_unref(&old);
}
