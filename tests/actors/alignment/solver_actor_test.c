// solver_actor_test.c - corrections in by mailbox, solutions out by the atlas, notices to scene
// actors.
#include "actors/alignment/solver_actor.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/correction_changes.h"
#include "proto/message/metrics.h"
#include "tests/support/asker.h"
#include "tests/support/stated.h"

enum { HALL = 1, YARD = 2, START = 700, PATIENCE_MS = 5000 };

static atlas_t *atlas;
static solver_actor_t *solver;
static struct asker scene_actor; // its mailbox is that of the one scene actor
static struct arena arena;

static void
begin(void)
{
    const struct solver_settings settings = {
        .atlas = atlas = atlas_create(), .shards = 1, .start = START, .half_lives = ""};
    cr_assert_eq(mailbox_create("scene.0", true, &scene_actor.mailbox), OK);
    stated_scene(atlas, &arena, HALL, true);
    stated_scene(atlas, &arena, YARD, true);
    cr_assert_eq(solver_actor_create(&settings, &solver), OK);
}

static void
end(void)
{
    solver_actor_destroy(&solver, scene_actor.mailbox);
    asker_end(&scene_actor);
    atlas_destroy(&atlas);
    arena_finish(&arena);
}

TestSuite(solver_actor, .init = begin, .fini = end);

static void
send_correction(const struct stated *stated, bool is_gone)
{
    struct correction_changes *changes = NULL;
    const frozen_t *correction = stated_correction(&arena, stated);
    correction_changes_add(&changes, stated->scene_id, correction, is_gone);
    record_unref(&correction);
    struct message *message = message_create(EVIDENCE);
    message->parcel = &changes->base;
    cr_assert_eq(mailbox_send(scene_actor.mailbox, actor_mailbox(SOLVER_ACTOR), &message), OK);
}

#define PUT(...) send_correction(&(struct stated){__VA_ARGS__}, false)
#define REMOVE(...) send_correction(&(struct stated){__VA_ARGS__}, true)

static void
await_solution(void)
{
    struct message *ping = message_create(PING);
    uint64_t id = asker_send(&scene_actor, actor_mailbox(SOLVER_ACTOR), ping);
    cr_assert_eq(asker_outcome(&scene_actor, id), OK);
}

// Where the hall's origin is along x in the yard; the status.
static enum alignment_status
relate(double *ret_x)
{
    struct relation relation;
    solution_t *solution = atlas_solution(atlas, NULL);
    solution_relate(solution, HALL, YARD, NULL, NULL, &relation);
    solution_unref(&solution);
    free(relation.path);
    *ret_x = relation.motion.translation[0];
    return relation.status;
}

Test(solver_actor, the_first_solution_is_there_when_a_ping_is_answered)
{
    cr_assert_null(atlas_solution(atlas, NULL));
    await_solution();
    solution_t *solution = atlas_solution(atlas, NULL);
    cr_assert_not_null(solution);
    cr_assert_eq(atlas_epoch(atlas), START);
    solution_unref(&solution);
}

Test(solver_actor, corrections_before_a_ping_are_in_its_solution)
{
    double x;
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    await_solution();
    cr_assert_eq(relate(&x), ALIGNMENT_UNVERIFIED);
    cr_assert_float_eq(x, 3, 1e-9);
    cr_assert_eq(counter_get(GAUGE_UNSOLVED), 0);
}

Test(solver_actor, a_removed_correction_connects_nothing_any_more)
{
    double x;
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    await_solution();
    REMOVE("phone", YARD, 3, .time_us = 2, .since_us = 1);
    await_solution();
    cr_assert_eq(relate(&x), ALIGNMENT_NONE);
}

Test(solver_actor, scenes_are_told_of_links_that_moved_since_the_first_solution)
{
    await_solution();
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    struct message *message = mailbox_receive(scene_actor.mailbox, PATIENCE_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, ALIGNMENT_MOVED);
    const struct moved *moved = moved_of(message);
    cr_assert_eq(moved->count, 2);
    cr_assert_eq(moved->scene_ids[0], HALL);
    cr_assert_eq(moved->scene_ids[1], YARD);
    cr_assert_eq(atlas_epoch(atlas), START + 1);
    message_destroy(&message);
}

Test(solver_actor, a_start_with_corrections_tells_nobody)
{
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    await_solution();
    cr_assert_eq(atlas_epoch(atlas), START);
    cr_assert_null(mailbox_receive(scene_actor.mailbox, 0));
}

// Then clients were answered without it.
Test(solver_actor, a_first_solution_that_comes_late_is_told)
{
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    solver_actor_serve(solver);
    struct message *message = mailbox_receive(scene_actor.mailbox, PATIENCE_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, ALIGNMENT_MOVED);
    cr_assert_eq(moved_of(message)->count, 2);
    cr_assert_eq(atlas_epoch(atlas), START);
    message_destroy(&message);
}

// How often a scene was told until now: the notices that came before the answers.
static int
count_tellings(uint64_t scene_id)
{
    int tellings = 0;
    struct message *message;
    while ((message = message_queue_pop(&scene_actor.answers)) != NULL) {
        const struct moved *moved = moved_of(message);
        for (size_t i = 0; i < moved->count; i++)
            tellings += moved->scene_ids[i] == scene_id;
        message_destroy(&message);
    }
    return tellings;
}

// 30 steps of 6 mm, 18 cm in all, while a link of two other scenes jumps by 1 m each time.
Test(solver_actor, slow_drift_is_told_while_other_scenes_jump)
{
    enum { TOWER = 3, PARK = 4, STEPS = 30 };
    int tellings = 0;
    stated_scene(atlas, &arena, TOWER, true);
    stated_scene(atlas, &arena, PARK, true);
    PUT("phone", HALL, 0, .time_us = 1, .since_us = 1);
    PUT("phone", YARD, 3, .time_us = 2, .since_us = 1);
    PUT("drone", TOWER, 0, .time_us = 1, .since_us = 1);
    await_solution();
    for (int64_t step = 1; step <= STEPS; step++) {
        PUT("phone", YARD, 3 + 0.006 * (double)step, .time_us = 2 + step, .since_us = 1);
        PUT("drone", PARK, (double)(step % 2), .time_us = 2 + step, .since_us = 1);
        await_solution();
        tellings += count_tellings(YARD);
    }
    cr_assert_eq(tellings, STEPS / 2, "%d", tellings);
}
