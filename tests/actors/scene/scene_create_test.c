// scene_create_test.c - a request in slices goes on in the scene that its first slice went into.

#include "actors/scene/scene_create.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/owned.h"
#include "tests/support/bare_shard.h"
#include "tests/support/scene_service.h"

static struct shard *shard;
static struct message *message;
static struct scene_state *hall;

static void
begin(void)
{
    shard = bare_shard_begin();
    message = message_create(OBJECT_CREATE);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "hall"));
    hall = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    message_destroy(&message);
    bare_shard_end();
}

TestSuite(scene_create, .init = begin, .fini = end);

Test(scene_create, a_first_slice_takes_any_scene_or_none)
{
    cr_assert_eq(scene_check_slice(message, hall), OK);
    cr_assert_eq(scene_check_slice(message, NULL), OK);
}

Test(scene_create, request_is_told_whether_it_makes_the_scene)
{
    message->makes_scene = true; // by a commit that failed
    scenes_latest_or_new(shard, message, hall->key);
    cr_assert_not(message->makes_scene);
    struct scene_state *yard =
        scenes_latest_or_new(shard, message, text_from(&message->arena, "yard"));
    cr_assert(message->makes_scene);
    message->progress = 300;
    cr_assert_eq(scenes_latest_or_new(shard, message, yard->key), yard);
    cr_assert(message->makes_scene, "its first slice did");
}

Test(scene_create, the_next_slice_takes_the_same_scene_only)
{
    cr_assert_eq(scenes_latest_or_new(shard, message, hall->key), hall);
    message->progress = 300;
    cr_assert_eq(scene_check_slice(message, hall), OK);
    cr_assert_eq(scene_check_slice(message, NULL), ERR_NOT_FOUND);
    message->scene_id++; // another scene has the key now
    cr_assert_eq(scene_check_slice(message, hall), ERR_NOT_FOUND);
}

#define MAKE_PART(service, seed_, ...)                                                             \
    ASK(service, SCENE_CREATE, .scene = "part", .seed = (seed_), __VA_ARGS__)

static void
expect(struct message *answer, enum error error, bool is_replayed, const char *name)
{
    cr_expect_eq(answer->reply.fault.error, error, "%s", answer->reply.fault.detail);
    cr_expect_eq(answer->reply.is_replayed, is_replayed);
    if (name)
        cr_expect(text_is(reply_scene(answer, 0)->name, name));
    message_destroy(&answer);
}

SHARDED_TEST(scene_parts, what_made_a_scene_gets_its_answer_again)
{
    expect(MAKE_PART(service, "the first's seed", .records = "{'name':'a'}"), OK, false, "a");
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "part", .records = "{'name':'b'}"), OK);
    service_restart(service);
    expect(MAKE_PART(service, "the first's seed", .records = "{'name':'a'}"), OK, true, "a");
    expect(MAKE_PART(service, "another one seed", .records = "{}"), ERR_CONFLICT, false, NULL);
    expect(MAKE_PART(service, NULL, .records = "{}"), ERR_CONFLICT, false, NULL);
}

SERVICE_TEST(scene_parts, a_repeat_is_answered_when_the_scene_of_the_first_is_durable)
{
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = SEND(service, SCENE_CREATE, .scene = "part", .seed = "the first's seed",
                          .records = "{'name':'a'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t again = SEND(service, SCENE_CREATE, .scene = "part", .seed = "the first's seed",
                          .records = "{'name':'a'}");
    gate_open(service->store, GATE_COMMITS);
    cr_expect_eq(service_outcome(service, first), OK);
    expect(service_answer(service, again), OK, true, "a");
}

SERVICE_TEST(scene_parts, a_repeat_makes_the_scene_that_was_not_stored)
{
    service_set_faults(service, "unavailable=1");
    expect(MAKE_PART(service, "the first's seed", .records = "{}"), ERR_UNAVAILABLE, false, NULL);
    service_set_faults(service, "");
    expect(MAKE_PART(service, "the first's seed", .records = "{}"), OK, false, NULL);
}

// --- the claim of a request that makes several scenes ---

static void
claim(struct service *service, bool is_replayed, unsigned char *ret_seed)
{
    struct message *answer =
        ASK(service, REPEAT_CLAIM, .scene = "k", .repeat_key = "k", .repeat_print = "x");
    cr_expect_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_expect_eq(answer->reply.is_replayed, is_replayed);
    cr_assert_not_null(answer->seed);
    memcpy(ret_seed, answer->seed, KEY_SEED_SIZE);
    message_destroy(&answer);
}

SERVICE_TEST(scene_claims, a_claim_that_is_released_is_another_one_the_next_time)
{
    unsigned char first[KEY_SEED_SIZE], second[KEY_SEED_SIZE];
    claim(service, false, first);
    cr_assert_eq(DO(service, REPEAT_RELEASE, .scene = "k", .repeat_print = "x"), OK);
    claim(service, false, second);
    cr_expect_arr_neq(first, second, KEY_SEED_SIZE);
}

// The repeat may have made some of its scenes by now, whose keys follow from the seed.
SERVICE_TEST(scene_claims, a_claim_that_a_repeat_relies_on_is_not_released)
{
    unsigned char first[KEY_SEED_SIZE], second[KEY_SEED_SIZE], third[KEY_SEED_SIZE];
    claim(service, false, first);
    claim(service, true, second);
    cr_assert_eq(DO(service, REPEAT_RELEASE, .scene = "k", .repeat_print = "x"), OK);
    claim(service, true, third);
    cr_expect_arr_eq(first, second, KEY_SEED_SIZE);
    cr_expect_arr_eq(first, third, KEY_SEED_SIZE);
}
