// write_behind_test.c - the newest states that came by UDP get into a batch, each once.

#include "actors/scene/entity/write_behind.h"

#include <criterion/criterion.h>

#include "actors/scene/entity_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_staging.h"
#include "proto/base/clock.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct scene_state *hall;
static const frozen_t *older, *newer;

static void
begin(void)
{
    struct arena arena = {0};
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    const char *key = text_chars(key_generate(&arena, hall->part));
    older = bare_object("hall", key, "older");
    newer = bare_object("hall", key, "newer");
    entity_cache_put(shard, hall, older);
    arena_finish(&arena);
}

static void
end(void)
{
    record_unref(&older);
    record_unref(&newer);
    bare_shard_end();
}

TestSuite(write_behind, .init = begin, .fini = end);

static size_t
staged(void)
{
    return shard->staging.filling.batch->count;
}

// A turn at the time at which what is dirty is due.
static void
due_turn(void)
{
    shard->dirty_deadline_ms = clock_now_ms();
    write_behind_turn(shard);
}

Test(write_behind, nothing_is_staged_before_it_is_due)
{
    write_behind_put(shard, hall, older);
    write_behind_turn(shard);
    cr_assert_eq(staged(), 0);
    cr_assert_neq(shard->dirty_deadline_ms, 0);
}

Test(write_behind, the_newest_state_of_an_entity_is_staged_once)
{
    write_behind_put(shard, hall, older);
    write_behind_put(shard, hall, newer);
    due_turn();
    cr_assert_eq(staged(), 1);
    cr_assert_eq(shard->staging.filling.batch->writes[0].record, newer);
    cr_assert_eq(shard->dirty.count, 0);
}

Test(write_behind, a_state_that_could_not_be_written_waits_again)
{
    write_behind_again(shard, hall, older);
    cr_assert_eq(shard->dirty.count, 1);
}

Test(write_behind, a_state_that_could_not_be_written_gives_way_to_a_newer_one)
{
    write_behind_put(shard, hall, newer);
    write_behind_again(shard, hall, older);
    due_turn();
    cr_assert_eq(staged(), 1);
    cr_assert_eq(shard->staging.filling.batch->writes[0].record, newer);
}

Test(write_behind, the_newest_state_is_written_where_two_of_them_could_not_be)
{
    entity_cache_put(shard, hall, newer);
    write_behind_again(shard, hall, older); // both were in one batch, the older one first
    write_behind_again(shard, hall, newer);
    due_turn();
    cr_assert_eq(staged(), 1);
    cr_assert_eq(shard->staging.filling.batch->writes[0].record, newer);
}

Test(write_behind, a_state_that_must_not_wait_is_staged_at_once)
{
    write_behind_put(shard, hall, older);
    write_behind_stage(shard, hall, newer);
    cr_assert_eq(staged(), 1);
    cr_assert_eq(shard->staging.filling.batch->writes[0].record, newer);
    cr_assert_eq(shard->dirty.count, 0);
}

Test(write_behind, a_state_of_an_entity_that_is_gone_is_not_kept)
{
    entity_cache_remove(shard, hall, older);
    write_behind_again(shard, hall, older);
    cr_assert_eq(shard->dirty.count, 0);
}

Test(write_behind, an_entity_that_is_clean_is_not_staged)
{
    write_behind_put(shard, hall, older);
    write_behind_forget(shard, hall, older);
    due_turn();
    cr_assert_eq(staged(), 0);
}

Test(write_behind, an_entity_with_a_staged_write_waits_for_that)
{
    write_behind_put(shard, hall, older);
    shard_stage_put(shard, hall, KEY_OBJECT, frozen_record(newer), older, EVENT_OBJECT_UPDATED);
    due_turn();
    cr_assert_eq(staged(), 1);
    cr_assert_eq(shard->dirty.count, 1);
}

Test(write_behind, entities_of_a_scene_that_left_the_index_are_dropped)
{
    write_behind_put(shard, hall, older);
    entity_cache_remove(shard, hall, older);
    scenes_unindex(shard, hall);
    due_turn();
    cr_assert_eq(staged(), 0);
    cr_assert_eq(shard->dirty.count, 0);
}

Test(write_behind, an_actor_that_ends_stages_at_once)
{
    write_behind_put(shard, hall, older);
    shard->base.stopping = true;
    write_behind_turn(shard);
    cr_assert_eq(staged(), 1);
}
