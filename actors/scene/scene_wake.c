// scene_wake.c - see the header. Scenes that wake stand in `waking` until they are read; they are
// in the index from then on.
#include "actors/scene/scene_wake.h"

#include "actors/scene/lock_ledger.h"
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

struct scene_state *
scene_that_wakes(const struct shard *self, const packed_t *record)
{
    struct opened room;
    return find_waking(self, (uint64_t)scene_of(packed_open(record, &room))->id);
}

static void
read(struct shard *self, const struct scene_state *scene, enum slice_kind kind)
{
    shard_load(self, slice_of_scene(kind, 0, scene->part, scene->id), message_create(LOAD));
}

// What a message needs of the entities of a scene that wakes.
enum entities_needed { NO_ENTITIES, ONE_TO_WRITE, ALL_ENTITIES };

// Who writes one entity has all of a small scene read too, and of a large one no more than shows
// that it is large.
static enum error
wake(struct shard *self, const packed_t *record, enum entities_needed needed,
     struct message *message)
{
    struct scene_state *scene = scene_that_wakes(self, record);
    bool is_waking = scene != NULL;
    if (!is_waking) {
        scene = scene_rise(self, record);
        table_add(&self->waking, table_hash_u64(scene->id), scene);
    }
    bool is_whole = needed == ALL_ENTITIES || (needed == ONE_TO_WRITE && !scene->is_vast);
    scene->wakes_whole |= is_whole;
    scene->is_needed_to_read |= needed == ALL_ENTITIES;
    message_queue_push(&scene->waiting, &message);
    if (!is_waking)
        read(self, scene, is_whole ? SLICE_WHOLE : SLICE_SCENE);
    return PARKED;
}

enum error
scene_wake(struct shard *self, const packed_t *record, struct message *message)
{
    return wake(self, record, NO_ENTITIES, message);
}

enum error
scene_wake_whole(struct shard *self, const packed_t *record, enum scene_need need,
                 struct message *message)
{
    return wake(self, record, need == NEED_TO_WRITE ? ONE_TO_WRITE : ALL_ENTITIES, message);
}

// Whoever creates some may need none of those that are there.
static enum entities_needed
needed_by(const struct message *message)
{
    const struct params *params = message->params;
    enum operation operation = message->operation;
    if (operation == OBJECT_QUERY || operation == OBJECT_LIST || operation == PROPERTY_QUERY ||
        operation == DATAGRAMS)
        return ALL_ENTITIES;
    if (text_size(params->object) == 0 && text_size(params->property) == 0)
        return NO_ENTITIES;
    bool is_to_read = operation == OBJECT_GET || operation == PROPERTY_GET;
    return is_to_read ? ALL_ENTITIES : ONE_TO_WRITE;
}

enum error
scene_wake_of(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->scene;
    if (text_size(key) == 0)
        return OK;
    struct scene_state *scene = scenes_find(self, key);
    const packed_t *record = scene ? NULL : scenes_known(self, key);
    if (scene)
        scene_cache_mark_use(self, scene);
    return record ? wake(self, record, needed_by(message), message) : OK;
}

static void
know(struct scene_state *scene, const struct slice *slice)
{
    struct arena arena = {0};
    for (uint32_t i = 0; i < slice->count; i++) {
        const struct text *payer =
            slice->records[i] ? NULL : key_text_in_scene(&arena, key_bytes(&slice->keys[i]));
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

// It is awake, and the slice has entities.
static void
end_whole(struct shard *self, struct scene_state *scene, struct message *answer)
{
    table_remove(&self->waking, table_hash_u64(scene->id), scene);
    scenes_enter(self, scene);
    scene_cache_read_on(self, scene, answer);
    scene_release(&scene); // the index holds it
}

enum error
scene_wake_loaded(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct scene_state *scene = find_waking(self, slice->scene_id);
    enum error error = store_error(slice->result);
    if (error == OK)
        know(scene, slice);
    if (error == OK && !slice_has_come_to_entities(slice)) {
        slice_continue(slice);
        shard_load(self, slice, answer);
        return PARKED;
    }
    if (error == OK && slice->kind == SLICE_WHOLE) {
        end_whole(self, scene, answer);
        return PARKED;
    }
    // One entity that is broken keeps nobody from the scene.
    bool may_be_without = slice->kind == SLICE_WHOLE && slice->result == STORE_BAD;
    message_destroy(&answer);
    if (may_be_without)
        read(self, scene, SLICE_SCENE);
    else
        end(self, scene, error);
    return PARKED;
}

struct scene_state *
scene_wake_at_start(struct shard *self, const packed_t *record)
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
