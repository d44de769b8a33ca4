// scene_cache.c - which scenes have their entities (entity_kind.h) in memory: lazy loading in
// slices, look-up of generated keys that are not in memory, and eviction by last use.

#include "actors/scene/scene_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/scene/entity_cache.h"
#include "actors/scene/event_history.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/log.h"
#include "proto/message/partition.h"

enum {
    HELD_PASSED_OVER = 64, // scenes that cannot go now, at most, per turn
};

// A request that waits for the place of a generated key.
struct lookup {
    uint64_t id; // of the LOAD message
    struct message *message;
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

// Sends a slice to the loader; the message comes back as LOADED.
static void
send_slice(struct shard *self, struct slice *slice, struct message *message)
{
    message->operation = LOAD;
    message->parcel = &slice->base;
    message->id = ++self->next_id;
    if (mailbox_send(self->base.mailbox, self->loader_name, &message) == OK)
        return;
    // The loader's queue is full: answer as the loader does when it fails.
    slice->result = STORE_UNAVAILABLE;
    message->operation = LOADED;
    if (scene_cache_loaded(&self->base, message) != PARKED)
        message_destroy(&message);
}

// Reads the scene's entities of one kind, from the first on.
static void
load_kind(struct shard *self, struct scene_state *scene, enum entity_place place,
          struct message *message)
{
    send_slice(self,
               slice_of_scene(SLICE_RECORDS, entity_kinds[place]->tag, scene->part, scene->id),
               message);
}

static void
start_loading(struct shard *self, struct scene_state *scene)
{
    scene->cache_state = SCENE_LOADING;
    scene_hold(scene);
    table_add(&self->loading, table_hash_u64(scene->id), scene);
    load_kind(self, scene, 0, message_create(LOAD));
}

fallible
scene_cache_need(struct shard *self, struct scene_state *scene, struct message *message)
{
    if (scene->cache_state == SCENE_IN_MEMORY) {
        scene_cache_mark_use(self, scene);
        return OK;
    }
    message_queue_push(&scene->waiting, &message);
    if (scene->cache_state == SCENE_ON_DISK)
        start_loading(self, scene);
    return PARKED;
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
            actor_dispatch(&self->base, message);
        else
            actor_finish(&self->base, message,
                         fail(error, "", "what is in the scene cannot be read"));
    }
}

static void
end_loading(struct shard *self, struct scene_state *scene, enum store_result result)
{
    table_remove(&self->loading, table_hash_u64(scene->id), scene);
    scene_holdings_counted(self, scene, result == STORE_OK);
    if (result == STORE_OK) {
        scene_cache_admit_new(self, scene);
        self->scenes_on_disk--;
    } else {
        entity_cache_drop(self, scene);
        scene->cache_state = SCENE_ON_DISK;
    }
    wake(self, scene, store_error(result));
    scene_release(&scene);
}

// Whether something of the scene is still to be read; the message is on its way then.
static bool
load_rest(struct shard *self, struct scene_state *scene, struct message *message)
{
    struct slice *slice = slice_of(message);
    enum entity_place next = entity_kind_of_tag(slice->tag)->place + 1;
    if (slice->more) {
        slice_continue(slice);
        send_slice(self, slice, message);
        return true;
    }
    if (next == ENTITY_KIND_COUNT)
        return false;
    slice_destroy(&slice);
    load_kind(self, scene, next, message);
    return true;
}

static enum error
records_loaded(struct shard *self, struct message *message)
{
    struct slice *slice = slice_of(message);
    struct scene_state *scene =
        table_find(&self->loading, table_hash_u64(slice->scene_id), scene_has_id, &slice->scene_id);
    if (scene && slice->result == STORE_OK) {
        for (uint32_t i = 0; i < slice->count; i++) {
            const frozen_t *shown = lease_states_shown(self, scene, slice->records[i]);
            entity_cache_put(self, scene, shown);
            scene_holdings_count(scene, shown);
            record_unref(&shown);
        }
        if (load_rest(self, scene, message))
            return PARKED;
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

// --- look-up of generated keys ---

static bool
lookup_has_id(const void *value, const void *key)
{
    const struct lookup *lookup = value;
    const uint64_t *id = key;
    return lookup->id == *id;
}

fallible
scene_cache_look_up(struct shard *self, const struct entity_kind *kind, const struct text *key,
                    struct message *message)
{
    uint16_t part;
    bool is_of_another_kind = entity_cache_is_known(self, key);
    if (self->scenes_on_disk == 0 || is_of_another_kind || !partition_of_key(key, &part) ||
        part % self->settings.shards != self->settings.shard)
        return fail(ERR_NOT_FOUND, "", "there is no %s %s", kind->noun, text_chars(key));
    struct lookup *lookup = malloc(sizeof *lookup);
    if (!lookup)
        abort();
    *lookup = (struct lookup){self->next_id + 1, message};
    table_add(&self->lookups, table_hash_u64(lookup->id), lookup);
    send_slice(self, slice_of_lookup(part, key), message_create(LOAD));
    return PARKED;
}

// The scene that a look-up found: the value is its id and its key.
static struct scene_state *
looked_up_scene(struct shard *self, const struct slice *slice)
{
    if (slice->value.size < sizeof(uint64_t))
        return NULL;
    struct arena arena = {0};
    const struct text *key = text_new(&arena, (const char *)slice->value.data + sizeof(uint64_t),
                                      slice->value.size - sizeof(uint64_t));
    struct scene_state *scene = scenes_find(self, key);
    arena_finish(&arena);
    bool is_same =
        scene && scene->id == key_get_u64(slice->value.data) && !scene_is_deleting(self, scene);
    return is_same ? scene : NULL;
}

// The request goes on once the scene is there; it runs again from the start.
static void
go_on(struct shard *self, struct scene_state *scene, struct message *message)
{
    if (scene_cache_need(self, scene, message) == OK)
        actor_dispatch(&self->base, message);
}

static enum error
looked_up(struct shard *self, struct message *answer)
{
    const struct slice *slice = slice_of(answer);
    struct lookup *lookup =
        table_find(&self->lookups, table_hash_u64(answer->id), lookup_has_id, &answer->id);
    assert(lookup); // each LOAD comes back once
    struct message *message = lookup->message;
    table_remove(&self->lookups, table_hash_u64(lookup->id), lookup);
    free(lookup);
    struct scene_state *scene = slice->result == STORE_OK ? looked_up_scene(self, slice) : NULL;
    enum store_result result = slice->result;
    message_destroy(&answer);
    if (scene) {
        go_on(self, scene, message);
        return PARKED;
    }
    bool is_absent = result == STORE_OK || result == STORE_ABSENT;
    enum error error = fail(is_absent ? ERR_NOT_FOUND : store_error(result), "", "%s",
                            is_absent ? "nothing has that key" : "the key cannot be looked up");
    actor_answer(&self->base, &message, error);
    return PARKED;
}

enum error
scene_cache_loaded(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    return slice_of(message)->kind == SLICE_LOOKUP ? looked_up(self, message)
                                                   : records_loaded(self, message);
}

// --- eviction ---

static void
let_go(struct shard *self, struct scene_state *scene)
{
    unlink_use(self, scene);
    if (scene->bytes == 0)
        return; // it has no entities; its next use puts it back into the order
    entity_cache_drop(self, scene);
    scene->cache_state = SCENE_ON_DISK;
    self->scenes_on_disk++;
    log_debug("scene_evicted", "actor=%s cached_bytes=%zu", self->base.name, self->bytes);
}

void
scene_cache_evict(struct shard *self)
{
    unsigned passed = 0;
    struct scene_state *scene = self->oldest;
    while (scene && passed < HELD_PASSED_OVER && self->bytes > self->settings.memory) {
        struct scene_state *newer = scene->newer;
        // The only hold is that of the index: nothing is staged or dirty, and nobody waits.
        if (scene->holds == 1 && !scene->restream && scene->kept_until <= self->commits)
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
    size_t cursor = 0;
    struct lookup *lookup;
    while ((lookup = table_next(&self->lookups, &cursor)) != NULL) {
        message_destroy(&lookup->message);
        free(lookup);
    }
    struct scene_state *scene;
    for (cursor = 0; (scene = table_next(&self->loading, &cursor)) != NULL;)
        scene_release(&scene);
    for (cursor = 0; (scene = table_next(&self->scenes, &cursor)) != NULL;)
        scene_release(&scene);
    record_set_finish(&self->catalogue);
    geo_index_finish(&self->map);
    table_finish(&self->scenes);
    table_finish(&self->entities);
    table_finish(&self->loading);
    table_finish(&self->lookups);
    message_queue_finish(&self->applied_next);
    message_queue_finish(&self->base.paused); // updates behind those that waited
    table_finish(&self->waiting_edits); // those that waited went with their scenes and look-ups
}
