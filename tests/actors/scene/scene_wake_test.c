// scene_wake_test.c - what waited for the entities of a scene runs in its order, a slice at a time.

#include "actors/scene/scene_wake.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_cache.h"
#include "tests/support/bare_shard.h"

enum { MOST = 8 };

static struct shard *shard;
static struct scene_state *hall;
static int64_t ran[MOST];
static unsigned ran_count;

static enum error
note(actor_t *actor, struct message *message)
{
    TRY(scene_cache_need(shard_of(actor), hall, message));
    ran[ran_count++] = message->params->num_records;
    return OK;
}

static const struct actor_behaviour behaviour = {
    .operations =
        {
            [OBJECT_GET] = {note},
            [SCENE_WAKE] = {scene_wake_slice},
        },
};

static void
begin(void)
{
    ran_count = 0;
    shard = bare_shard_begin();
    shard->base.behaviour = &behaviour;
    shard->base.turn.slice_us = 1; // each slice is over at once
    hall = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    message_queue_finish(&shard->base.paused);
    bare_shard_end();
}

TestSuite(scene_wake, .init = begin, .fini = end);

static struct message *
request(int64_t number)
{
    struct message *message = message_create(OBJECT_GET);
    record_set_integer(&message->params->base, PARAMS_NUM_RECORDS, number);
    return message;
}

static void
wait_for_scene(int64_t number)
{
    struct message *message = request(number);
    message_queue_push(&hall->waiting, &message);
}

static void
run_paused(void)
{
    actor_dispatch(&shard->base, message_queue_pop(&shard->base.paused));
}

Test(scene_wake, each_that_waited_is_a_slice_where_the_turn_is_over)
{
    for (int64_t number = 1; number <= 3; number++)
        wait_for_scene(number);
    scene_wake_begin(shard, hall);
    for (unsigned turns = 1; turns < 3; turns++) {
        cr_assert_eq(ran_count, turns);
        cr_assert_eq(shard->base.paused.count, 1);
        run_paused();
    }
    cr_assert_eq(ran_count, 3);
    cr_assert_eq(shard->base.paused.count, 0);
    cr_assert_eq(hall->holds, 1);
}

Test(scene_wake, all_run_at_once_where_there_is_time)
{
    shard->base.turn.slice_us = UINT64_MAX;
    for (int64_t number = 1; number <= 3; number++)
        wait_for_scene(number);
    scene_wake_begin(shard, hall);
    cr_assert_eq(ran_count, 3);
}

Test(scene_wake, what_comes_meanwhile_runs_behind_them)
{
    wait_for_scene(1);
    wait_for_scene(2);
    scene_wake_begin(shard, hall);
    actor_dispatch(&shard->base, request(3));
    cr_assert_eq(ran_count, 1);
    run_paused();
    run_paused();
    cr_assert_eq(ran_count, 3);
    for (int64_t number = 1; number <= 3; number++)
        cr_assert_eq(ran[number - 1], number);
    actor_dispatch(&shard->base, request(4));
    cr_assert_eq(ran_count, 4);
}

Test(scene_wake, a_scene_that_nobody_waits_for_has_no_slice)
{
    scene_wake_begin(shard, hall);
    cr_assert_eq(shard->base.paused.count, 0);
    cr_assert_eq(hall->holds, 1);
}
