// scene_cache.c - which scenes have their entities (entity_kind.h) in memory: lazy loading in
// slices; and which scenes leave memory, by last use: first what is in them, then all of them.

#include "actors/scene/scene_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/scene/entity_cache.h"
#include "actors/scene/event_history.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_load.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_rest.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_state.h"
#include "proto/base/log.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"

enum {
    READ_APART_MOST = 256, // of a large scene: who asks for the last one has all of it read
    HELD_PASSED_OVER = 64, // scenes that cannot go now, at most, per turn
};

// --- order of use ---

static void
unlink_use(struct shard *self, struct scene_state *scene)
{
    if (!scene->older && !scene->newer && self->oldest != scene)
        return;
    *(scene->older ? &scene->older->newer : &self->oldest) = scene->newer;
    *(scene->newer ? &scene->newer->older : &self->newest) = scene->older;
    scene->older = scene->newer = NULL;
    self->in_use--;
}

// Only scenes of the index are in the order, so a scene whose creation fails leaves nothing behind.
void
scene_cache_mark_use(struct shard *self, struct scene_state *scene)
{
    if (self->newest == scene || !scene->is_indexed)
        return;
    unlink_use(self, scene);
    scene->older = self->newest;
    *(self->newest ? &self->newest->newer : &self->oldest) = scene;
    self->newest = scene;
    self->in_use++;
}

void
scene_cache_admit_new(struct shard *self, struct scene_state *scene)
{
    scene->cache_state = SCENE_IN_MEMORY;
    scene_cache_mark_use(self, scene);
}

void
scene_cache_enter(struct shard *self, struct scene_state *scene)
{
    if (scene->cache_state == SCENE_ON_DISK)
        self->scenes_on_disk++;
    else
        scene_cache_admit_new(self, scene);
}

// --- loading ---

static bool
scene_has_id(const void *value, const void *key)
{
    const struct scene_state *scene = value;
    const uint64_t *id = key;
    return scene->id == *id;
}

static void
begin_loading(struct shard *self, struct scene_state *scene)
{
    scene->cache_state = SCENE_LOADING;
    scene->is_large = false; // what is read says it
    scene_hold(scene);
    table_add(&self->loading, table_hash_u64(scene->id), scene);
}

void
scene_cache_read(struct shard *self, struct scene_state *scene)
{
    begin_loading(self, scene);
    shard_load(self, slice_of_scene(SLICE_RECORDS, 0, scene->part, scene->id),
               message_create(LOAD));
}

void
scene_cache_read_on(struct shard *self, struct scene_state *scene, struct message *first)
{
    begin_loading(self, scene);
    slice_of(first)->kind = SLICE_RECORDS; // nothing else is left to be read
    scene_cache_loaded(self, first);
}

static fallible
need(struct shard *self, struct scene_state *scene, struct message *message)
{
    if (scene->cache_state == SCENE_IN_MEMORY) {
        scene_cache_mark_use(self, scene);
        return OK;
    }
    message_queue_push(&scene->waiting, &message);
    if (scene->cache_state == SCENE_ON_DISK && scene->unread == 0)
        scene_cache_read(self, scene);
    return PARKED;
}

// Whether what is in it can be written although it is not in memory: nobody waits for a reading,
// which would begin before that is durable, and miss it.
static bool
takes_unread(const struct scene_state *scene)
{
    return scene->cache_state == SCENE_ON_DISK && scene->waiting.count == 0;
}

fallible
scene_cache_need(struct shard *self, struct scene_state *scene, struct message *message)
{
    scene->is_needed_whole |= scene->cache_state != SCENE_IN_MEMORY;
    return need(self, scene, message);
}

fallible
scene_cache_need_to_read(struct shard *self, struct scene_state *scene, struct message *message,
                         bool *ret_is_vast)
{
    *ret_is_vast = scene->is_vast && scene->cache_state != SCENE_IN_MEMORY;
    if (!*ret_is_vast) {
        scene->is_needed_to_read |= scene->cache_state != SCENE_IN_MEMORY;
        return need(self, scene, message);
    }
    scene_cache_mark_use(self, scene);
    return OK;
}

// How often single writes leave it on disk: together they cost about what it costs to read it.
static bool
stays_on_disk(const struct scene_state *scene)
{
    return scene->is_vast || (scene->is_large && scene->read_apart < READ_APART_MOST);
}

fallible
scene_cache_need_to_write(struct shard *self, struct scene_state *scene, struct message *message,
                          bool *ret_is_apart)
{
    *ret_is_apart = takes_unread(scene) && stays_on_disk(scene);
    if (!*ret_is_apart) {
        scene->is_needed_to_read |=
            scene->cache_state != SCENE_IN_MEMORY && scene->is_large && !stays_on_disk(scene);
        return need(self, scene, message);
    }
    scene_cache_mark_use(self, scene);
    return OK;
}

fallible
scene_cache_need_for(struct shard *self, enum scene_need what, struct scene_state *scene,
                     struct message *message, bool *ret_is_apart)
{
    if (what == NEED_TO_WRITE)
        return scene_cache_need_to_write(self, scene, message, ret_is_apart);
    if (what == NEED_TO_READ)
        return scene_cache_need_to_read(self, scene, message, ret_is_apart);
    *ret_is_apart = false;
    return scene_cache_need(self, scene, message);
}

fallible
scene_cache_need_to_create(struct shard *self, struct scene_state *scene, struct message *message)
{
    return takes_unread(scene) ? OK : need(self, scene, message);
}

// A reading that begins before would miss some of them.
void
scene_cache_unread_settled(struct shard *self, struct scene_state *scene)
{
    scene->unread--;
    if (scene->unread == 0 && scene->waiting.count > 0)
        scene_cache_read(self, scene);
}

// Requests that waited for the scene run again (OK), or are answered with the failure.
static void
wake(struct shard *self, struct scene_state *scene, enum error error)
{
    struct message_queue waiting = scene->waiting;
    scene->waiting = (struct message_queue){0};
    struct message *message;
    while ((message = message_queue_pop(&waiting)) != NULL) {
        if (error == OK)
            actor_go_on(&self->base, message);
        else
            actor_finish(&self->base, message,
                         fail(error, "", "what is in the scene cannot be read"));
    }
}

static bool
is_too_large(const struct shard *self, const struct scene_state *scene)
{
    return scene->bytes > self->settings.memory;
}

static void
forget_needs(struct scene_state *scene)
{
    scene->is_needed_whole = scene->is_needed_to_read = false;
    scene->read_apart = 0;
}

// Whether those who wait for it do without the rest, of which there is some.
static bool
must_give_up(const struct shard *self, const struct scene_state *scene)
{
    return !scene->is_needed_whole && (is_too_large(self, scene) || !scene->is_needed_to_read);
}

// Whoever reads, or writes one entity, goes on without it; whoever needs it whole begins to read it
// anew.
static void
give_up_loading(struct shard *self, struct scene_state *scene)
{
    scene->is_vast |= is_too_large(self, scene);
    log_debug("scene_not_loaded", "actor=%s is_vast=%d cached_bytes=%zu", self->base.name,
              scene->is_vast, scene->bytes);
    forget_needs(scene);
    table_remove(&self->loading, table_hash_u64(scene->id), scene);
    scene_holdings_counted(self, scene, false);
    entity_cache_drop(self, scene);
    scene->cache_state = SCENE_ON_DISK;
    counter_add(COUNT_LOADS_GIVEN_UP, 1);
    wake(self, scene, OK);
    scene_release(&scene);
}

static void
end_loading(struct shard *self, struct scene_state *scene, enum store_result result)
{
    table_remove(&self->loading, table_hash_u64(scene->id), scene);
    scene_holdings_counted(self, scene, result == STORE_OK);
    forget_needs(scene);
    if (result == STORE_OK) {
        scene->is_vast = is_too_large(self, scene);
        counter_add(COUNT_LOADS_WHOLE, 1);
        scene_cache_admit_new(self, scene);
        self->scenes_on_disk--;
    } else {
        entity_cache_drop(self, scene);
        scene->cache_state = SCENE_ON_DISK;
    }
    wake(self, scene, store_error(result));
    scene_release(&scene);
}

static void
put_all(struct shard *self, struct scene_state *scene, const struct slice *slice)
{
    for (uint32_t i = 0; i < slice->count; i++) {
        if (!slice->records[i]) // what somebody holds in it
            continue;
        const frozen_t *shown = lease_states_shown(self, scene, slice->records[i]);
        entity_cache_put(self, scene, shown);
        scene_holdings_count(scene, shown);
        record_unref(&shown);
    }
}

enum error
scene_cache_loaded(struct shard *self, struct message *message)
{
    struct slice *slice = slice_of(message);
    struct scene_state *scene =
        table_find(&self->loading, table_hash_u64(slice->scene_id), scene_has_id, &slice->scene_id);
    if (scene && slice->result == STORE_OK) {
        scene->is_large |= slice->more;
        if (!slice->more || !must_give_up(self, scene)) // else nobody needs these
            put_all(self, scene, slice);
        if (slice->more && must_give_up(self, scene)) {
            give_up_loading(self, scene);
            scene = NULL;
        } else if (slice->more) {
            slice_continue(slice);
            shard_load(self, slice, message);
            return PARKED;
        }
    }
    if (scene)
        end_loading(self, scene, slice->result);
    message_destroy(&message);
    return PARKED;
}

void
scene_cache_forget(struct shard *self, struct scene_state *scene)
{
    unlink_use(self, scene);
    entity_cache_drop(self, scene);
    event_histories_forget(&self->histories, &scene->history);
    if (scene->cache_state == SCENE_LOADING) {
        table_remove(&self->loading, table_hash_u64(scene->id), scene);
        struct scene_state *held = scene;
        scene_release(&held); // cannot be the last hold: the change that deletes has one
    }
    if (scene->cache_state != SCENE_IN_MEMORY)
        self->scenes_on_disk--;
    scene->cache_state = SCENE_IN_MEMORY; // nothing of it is left to be read
    // They run again when all changes of this commit are visible, not before.
    struct message *message;
    while ((message = message_queue_pop(&scene->waiting)) != NULL)
        staging_wait(&self->staging, &message);
}

// --- eviction ---

// A scene that must stay awake leaves the order; its next use puts it back.
static void
let_go(struct shard *self, struct scene_state *scene)
{
    unlink_use(self, scene);
    bool has_entities = scene->bytes > 0;
    if (has_entities)
        entity_cache_drop(self, scene);
    bool rests = scene_may_rest(self, scene);
    if (scene->cache_state == SCENE_IN_MEMORY && (has_entities || rests)) {
        scene->cache_state = SCENE_ON_DISK;
        self->scenes_on_disk++;
    }
    if (has_entities)
        log_debug("scene_evicted", "actor=%s cached_bytes=%zu", self->base.name, self->bytes);
    if (rests)
        scene_rest(self, scene);
}

static bool
is_too_much(const struct shard *self)
{
    return self->bytes + self->in_use * SCENE_AWAKE_BYTES > self->settings.memory;
}

void
scene_cache_evict(struct shard *self)
{
    unsigned passed = 0;
    struct scene_state *scene = self->oldest;
    while (scene && passed < HELD_PASSED_OVER && is_too_much(self)) {
        struct scene_state *newer = scene->newer;
        bool was_read = scene_shown_was_read(scene);
        if (was_read)
            scene_cache_mark_use(self, scene);
        // The only hold is that of the index: nothing is staged or dirty, and nobody waits.
        if (!was_read && scene->holds == 1 && !scene->restream &&
            scene->kept_until <= self->commits)
            let_go(self, scene);
        else
            passed++;
        scene = newer;
    }
}

void
scene_cache_finish(struct shard *self)
{
    event_histories_finish(&self->histories);
    size_t cursor;
    struct scene_state *scene;
    for (cursor = 0; (scene = table_next(&self->loading, &cursor)) != NULL;)
        scene_release(&scene);
    for (cursor = 0; (scene = table_next(&self->scenes, &cursor)) != NULL;)
        scene_release(&scene);
    record_orders_finish(&self->orders);
    record_set_finish(&self->catalogue);
    geo_index_finish(&self->map);
    table_finish(&self->scenes);
    table_finish(&self->entities);
    table_finish(&self->loading);
    message_queue_finish(&self->applied_next);
    message_queue_finish(&self->base.paused); // updates behind those that waited
    table_finish(&self->waiting_edits); // those that waited went with their scenes and look-ups
}
