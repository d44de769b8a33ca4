// scene_wake.c - see the header. Scenes that wake stand in `waking` until they are read; they are
// in the index from then on.
#include "actors/scene/scene_wake.h"

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_load.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_rest.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/message/partition.h"

static bool
scene_has_id(const void *value, const void *key)
{
    const struct scene_state *scene = value;
    const uint64_t *id = key;
    return scene->id == *id;
}

static struct scene_state *
find_waking(const struct shard *self, uint64_t id)
{
    return table_find(&self->waking, table_hash_u64(id), scene_has_id, &id);
}

static struct scene_state *
wake(struct shard *self, const frozen_t *record)
{
    struct scene_state *scene = find_waking(self, (uint64_t)scene_of(frozen_record(record))->id);
    if (scene)
        return scene;
    scene = scene_rise(self, record);
    table_add(&self->waking, table_hash_u64(scene->id), scene);
    shard_load(self, slice_of_scene(SLICE_SCENE, KEY_HOLDING, scene->part, scene->id),
               message_create(LOAD));
    return scene;
}

enum error
scene_wake(struct shard *self, const frozen_t *record, struct message *message)
{
    message_queue_push(&wake(self, record)->waiting, &message);
    return PARKED;
}

enum error
scene_wake_whole(struct shard *self, const frozen_t *record, struct message *message)
{
    wake(self, record)->wakes_whole = true;
    return scene_wake(self, record, message);
}

enum error
scene_wake_of(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->scene;
    if (text_size(key) == 0)
        return OK;
    struct scene_state *scene = scenes_find(self, key);
    const frozen_t *record = scene ? NULL : scenes_known(self, key);
    if (scene)
        scene_cache_mark_use(self, scene);
    return record ? scene_wake(self, record, message) : OK;
}

static void
know(struct scene_state *scene, const struct slice *slice)
{
    struct arena arena = {0};
    for (uint32_t i = 0; i < slice->count; i++) {
        const struct text *payer = key_text_in_scene(&arena, key_bytes(&slice->keys[i]));
        if (payer)
            scene_holdings_remembered(scene, payer, (int64_t)slice->numbers[i]);
    }
    if (slice->value.size > 0)
        lock_ledger_fence_known(scene, key_bytes(&slice->value));
    arena_finish(&arena);
}

static void
go_on(struct shard *self, struct message_queue *waiting, enum error error)
{
    struct message *message;
    while ((message = message_queue_pop(waiting)) != NULL) {
        if (error == OK)
            actor_go_on(&self->base, message);
        else
            actor_finish(&self->base, message, fail(error, "", "the scene cannot be read"));
    }
}

// It is awake (OK), or cannot be read.
static void
end(struct shard *self, struct scene_state *scene, enum error error)
{
    struct message_queue waiting = scene->waiting;
    table_remove(&self->waking, table_hash_u64(scene->id), scene);
    if (error != OK) {
        scene->waiting = (struct message_queue){0};
        scene_lie_down(self, scene);
    } else if (scene->wakes_whole) {
        waiting = (struct message_queue){0}; // they wait for what is in it
        scenes_enter(self, scene);
        scene_cache_read(self, scene);
        scene_release(&scene); // the index holds it
    } else {
        scene->waiting = (struct message_queue){0};
        scenes_enter(self, scene);
        scene_cache_mark_use(self, scene);
        scene_release(&scene);
    }
    go_on(self, &waiting, error);
}

enum error
scene_wake_loaded(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct scene_state *scene = find_waking(self, slice->scene_id);
    enum error error = store_error(slice->result);
    if (error == OK)
        know(scene, slice);
    if (error == OK && slice->more) {
        slice_continue(slice);
        shard_load(self, slice, answer);
        return PARKED;
    }
    message_destroy(&answer);
    end(self, scene, error);
    return PARKED;
}

struct scene_state *
scene_wake_at_start(struct shard *self, const frozen_t *record)
{
    struct scene_state *scene = scene_rise(self, record), *woken = scene;
    scenes_enter(self, scene);
    scene_release(&scene); // the index holds it
    return woken;
}

void
scene_wake_finish(struct shard *self)
{
    struct scene_state *scene;
    for (size_t cursor = 0; (scene = table_next(&self->waking, &cursor)) != NULL;)
        scene_release(&scene);
    table_finish(&self->waking);
}
