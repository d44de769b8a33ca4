// scene_keeper_test.c - records that leave the index live as long as the queries that may need
// them.
#include "actors/scene/scene_keeper.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_state.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;

static void
begin(void)
{
    shard = bare_shard_begin();
}

TestSuite(scene_keeper, .init = begin, .fini = bare_shard_end);

// The old record has no other reference then.
static void
change(struct scene_state *scene)
{
    struct arena arena = {0};
    const frozen_t *old = scene->record;
    scene->record =
        record_freeze(&scene_schema, record_copy(&arena, &scene_schema, frozen_record(old)));
    scenes_reindex(shard, scene);
    record_unref(&old);
    arena_finish(&arena);
}

Test(scene_keeper, keeps_what_leaves_from_its_beginning_on)
{
    struct scene_keeper keeper = {0};
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    change(hall);
    scene_keeper_begin(&keeper, shard);
    scene_keeper_begin(&keeper, shard); // it has begun
    cr_assert_eq(keeper.count, 0);
    const packed_t *second = scenes_known(shard, hall->key);
    change(hall);
    change(hall);
    cr_assert_eq(keeper.count, 2);
    cr_expect_eq(keeper.records[0], second);
    cr_expect(text_is(packed_key(keeper.records[1]), "hall"));
    scene_keeper_finish(&keeper);
    cr_expect_null(shard->keepers);
}

Test(scene_keeper, of_several_each_keeps_its_own_in_any_order)
{
    struct scene_keeper one = {0}, other = {0}, last = {0};
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    scene_keeper_begin(&one, shard);
    change(hall);
    scene_keeper_begin(&other, shard);
    scene_keeper_begin(&last, shard);
    change(hall);
    cr_expect_eq(one.count, 2);
    cr_expect_eq(other.count, 1);
    scene_keeper_finish(&other);
    change(hall);
    cr_expect_eq(one.count, 3);
    cr_expect_eq(last.count, 2);
    scene_keeper_finish(&one);
    scene_keeper_finish(&last);
    scene_keeper_finish(&last); // it has ended
    cr_expect_null(shard->keepers);
}
