// scene_rest.c - see the header.
#include "actors/scene/scene_rest.h"

#include <stdlib.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

// Where the events of a scene at rest stand, and whether memory cannot hold what is in it.
struct rested {
    uint64_t scene_id;
    uint64_t seq : 63;
    uint64_t is_vast : 1;
};

static bool
rested_has_id(const void *value, const void *key)
{
    const struct rested *rested = value;
    const uint64_t *id = key;
    return rested->scene_id == *id;
}

// What acts on a scene without a request for it.
static bool
is_needed(const struct scene_state *scene)
{
    return record_set_count(&scene->devices) > 0 || record_set_count(&scene->leaving) > 0 ||
           scene->leases || scene->history || scene->walks || scene->restream ||
           scene->is_release_queued || scene->waiting.count > 0;
}

bool
scene_may_rest(const struct shard *self, const struct scene_state *scene)
{
    // The only hold is that of the index: nothing is staged, and nobody waits.
    return scene->holds == 1 && scene->is_indexed && !scene->is_deleting && !scene->was_aligned &&
           !scene->is_count_behind && scene->bytes == 0 && scene->cache_state != SCENE_LOADING &&
           scene->kept_until <= self->commits && !is_needed(scene);
}

static void
keep_seq(struct shard *self, const struct scene_state *scene)
{
    if (scene->seq == 0 && !scene->is_vast)
        return;
    struct rested *rested = memory_take_zeroed(sizeof *rested);
    *rested = (struct rested){
        .scene_id = scene->id, .seq = scene->seq & INT64_MAX, .is_vast = scene->is_vast};
    table_add(&self->rested, table_hash_u64(scene->id), rested);
}

void
scene_lie_down(struct shard *self, struct scene_state *scene)
{
    keep_seq(self, scene);
    scene_release(&scene);
}

void
scene_rest(struct shard *self, struct scene_state *scene)
{
    keep_seq(self, scene);
    if (scene->fence > self->fence_floor)
        self->fence_floor = scene->fence; // fences that were not stored are never given out again
    scenes_leave(self, scene);
}

struct scene_state *
scene_rise(struct shard *self, const packed_t *record)
{
    struct opened room;
    const struct record *opened = packed_open(record, &room);
    struct scene_state *scene = scene_state_create(scene_of(opened));
    uint64_t hash = table_hash_u64(scene->id);
    struct rested *rested = table_find(&self->rested, hash, rested_has_id, &scene->id);
    scene->record = record_freeze(&scene_schema, opened);
    scene->revision = ++self->risen << 32; // no revision of an earlier state is met again
    if (rested) {
        scene->seq = rested->seq;
        scene->is_vast = rested->is_vast;
        table_remove(&self->rested, hash, rested);
        free(rested);
    }
    return scene;
}

void
scene_rest_finish(struct shard *self)
{
    struct rested *rested;
    for (size_t cursor = 0; (rested = table_next(&self->rested, &cursor)) != NULL;)
        free(rested);
    table_finish(&self->rested);
}
