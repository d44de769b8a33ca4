// scene_rest_test.c - which scenes may rest, and what of them comes back.
#include "actors/scene/scene_rest.h"

#include <criterion/criterion.h>

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_index.h"
#include "tests/support/bare_shard.h"

// A scene in the index of a shard that has no use for it now.
static struct scene_state *
begin(struct shard **ret_shard)
{
    *ret_shard = bare_shard_begin();
    return bare_shard_add_scene(*ret_shard, "hall", "");
}

static void
end(struct shard *shard)
{
    scene_rest_finish(shard);
    bare_shard_end();
}

Test(scene_rest, nothing_but_the_record_of_a_scene_at_rest_is_in_memory)
{
    struct shard *shard;
    struct scene_state *scene = begin(&shard);
    struct arena arena = {0};
    const struct text *hall = text_from(&arena, "hall");
    cr_assert(scene_may_rest(shard, scene));
    shard->settings.memory = 0;
    scene_cache_evict(shard);
    cr_assert_eq(shard->scenes.count, 0);
    cr_assert_eq(shard->rested.count, 0);
    cr_assert_eq(shard->in_use, 0);
    cr_assert_eq(shard->scenes_on_disk, 1);
    cr_assert_null(scenes_find(shard, hall));
    cr_assert_not_null(scenes_known(shard, hall));
    arena_finish(&arena);
    end(shard);
}

Test(scene_rest, events_and_revisions_go_on_behind_those_before)
{
    struct shard *shard;
    struct scene_state *scene = begin(&shard);
    const packed_t *record = packed_ref(scenes_known(shard, scene->key));
    scene->seq = 42;
    uint64_t before = scene->revision = 7;
    scene_cache_forget(shard, scene); // out of the order of use
    scene_rest(shard, scene);
    cr_assert_eq(shard->rested.count, 1);
    struct scene_state *risen = scene_rise(shard, record), *again = scene_rise(shard, record);
    cr_assert_eq(risen->seq, 42);
    cr_assert_eq(shard->rested.count, 0);
    cr_assert_gt(risen->revision, before);
    cr_assert_gt(again->revision, risen->revision + UINT32_MAX - 1);
    scene_release(&risen);
    scene_release(&again);
    packed_unref(&record);
    end(shard);
}

Test(scene_rest, a_fence_that_was_given_out_is_not_given_out_again)
{
    struct shard *shard;
    struct scene_state *scene = begin(&shard);
    const packed_t *record = packed_ref(scenes_known(shard, scene->key));
    int64_t given = fence_next(shard, scene);
    given = fence_next(shard, scene);
    scene_cache_forget(shard, scene);
    scene_rest(shard, scene);
    struct scene_state *risen = scene_rise(shard, record);
    cr_assert_eq(fence_next(shard, risen), given + 1);
    scene_release(&risen);
    packed_unref(&record);
    end(shard);
}

// What keeps a scene awake, each alone.
static void
stage(struct scene_state *scene)
{
    scene->holds++;
}

static void
align(struct scene_state *scene)
{
    scene->was_aligned = true;
}

static void
fall_behind(struct scene_state *scene)
{
    scene->is_count_behind = true;
}

static void
load(struct scene_state *scene)
{
    scene->cache_state = SCENE_LOADING;
}

static void delete (struct scene_state *scene)
{
    scene->is_deleting = true;
}

static void
keep(struct scene_state *scene)
{
    scene->kept_until = 1;
}

static void
queue(struct scene_state *scene)
{
    scene->is_release_queued = true;
}

Test(scene_rest, a_scene_stays_awake_while_something_of_it_must_be_at_hand)
{
    static void (*const reasons[])(struct scene_state *) = {stage,  align, fall_behind, load,
                                                            delete, keep,  queue};
    struct shard *shard;
    struct scene_state *scene = begin(&shard);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct scene_state was = *scene;
        reasons[i](scene);
        cr_assert_not(scene_may_rest(shard, scene), "reason %zu", i);
        *scene = was;
    }
    const frozen_t *device = bare_object("hall", "phone", ""); // any record with a key
    record_set_put(&scene->devices, device);
    cr_assert_not(scene_may_rest(shard, scene));
    record_set_remove(&scene->devices, frozen_key(device));
    cr_assert(scene_may_rest(shard, scene));
    record_unref(&device);
    end(shard);
}
