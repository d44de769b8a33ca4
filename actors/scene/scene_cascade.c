// scene_cascade.c - where the farewell to the objects of a deleted scene is. After each slice the
// message goes to the streamer and comes back behind the events that went there before it, as that
// of a restream does.

#include "actors/scene/scene_cascade.h"

#include <stdlib.h>

#include "actors/scene/entity_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

enum { SLICE_EVENTS = 500, AT_ONCE = 50 };

struct cascade {
    struct cascade *next;
    struct scene_state *scene; // held
    const frozen_t *record;    // of the scene, one reference
    struct message *entities;  // frees them in slices when it is dispatched
    size_t told;               // so many of the objects
    struct message_queue waiting;
};

// The scene's, which is under way: a message CASCADE is there as long as it is.
static struct cascade **
place_of(struct shard *self, uint64_t scene_id)
{
    struct cascade **place = &self->cascades;
    while ((*place)->scene->id != scene_id)
        place = &(*place)->next;
    return place;
}

static struct cascade *
cascade_with_key(const struct shard *self, const struct text *key)
{
    struct cascade *cascade = self->cascades;
    while (cascade && !text_equal(cascade->scene->key, key))
        cascade = cascade->next;
    return cascade;
}

static void
cascade_destroy(struct cascade **self)
{
    message_destroy(&(*self)->entities);
    message_queue_finish(&(*self)->waiting);
    record_unref(&(*self)->record);
    scene_release(&(*self)->scene);
    free(*self);
    *self = NULL;
}

void
scene_cascade_tell_end(struct shard *self, struct scene_state *scene, const frozen_t *record)
{
    shard_emit(self, scene, record, EVENT_SCENE_DELETED);
    // The key may be used again in this epoch, and (epoch, seq) of a key never repeats.
    if (scene->seq > self->seq_floor)
        self->seq_floor = scene->seq;
}

void
scene_cascade_begin(struct shard *self, struct scene_state *scene, const frozen_t *record)
{
    struct message *entities = entity_cache_take(self, scene);
    if (!entities) {
        scene_cascade_tell_end(self, scene, record);
        return;
    }
    struct cascade *cascade = memory_take_zeroed(sizeof *cascade);
    struct message *message = message_create(CASCADE);
    scene_hold(scene);
    cascade->scene = scene;
    cascade->record = record_ref(record);
    cascade->entities = entities;
    cascade->next = self->cascades;
    self->cascades = cascade;
    message->scene_id = scene->id;
    actor_dispatch(&self->base, message);
}

// Tells of what a slice takes of the objects, in the order of their keys; true: of all.
static bool
tell_some(struct shard *self, struct cascade *cascade)
{
    size_t count;
    const frozen_t *const *objects =
        record_set_items(entity_cache_taken(cascade->entities, OBJECTS), &count);
    for (unsigned told = 0; cascade->told < count && told < SLICE_EVENTS; told++) {
        if (told % AT_ONCE == AT_ONCE - 1 && actor_must_pause(&self->base))
            break;
        shard_emit(self, cascade->scene, objects[cascade->told++], EVENT_OBJECT_DELETED);
    }
    return cascade->told == count;
}

static void
cascade_end(struct shard *self, struct cascade **place)
{
    struct cascade *cascade = *place;
    struct message_queue waiting = cascade->waiting;
    struct message *message, *entities = cascade->entities;
    scene_cascade_tell_end(self, cascade->scene, cascade->record);
    *place = cascade->next;
    cascade->entities = NULL;
    cascade->waiting = (struct message_queue){0};
    cascade_destroy(&cascade);
    actor_dispatch(&self->base, entities);
    while ((message = message_queue_pop(&waiting)) != NULL)
        actor_dispatch(&self->base, message);
}

enum error
scene_cascade_slice(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct cascade **place = place_of(self, message->scene_id);
    if (!tell_some(self, *place))
        return shard_wait_for_streamer(self, message);
    cascade_end(self, place);
    message_destroy(&message);
    return PARKED;
}

fallible
scene_cascade_await(struct shard *self, struct message *message)
{
    const struct text *key = message->params->scene;
    if (!self->settings.events_cascade)
        return OK;
    const struct scene_state *deleting = scenes_find(self, key);
    struct cascade *cascade = cascade_with_key(self, key);
    if (cascade)
        message_queue_push(&cascade->waiting, &message);
    else if (deleting && deleting->is_deleting)
        staging_wait(&self->staging, &message); // its deletion is not durable yet
    else
        return OK;
    return PARKED;
}

bool
scene_cascade_is_under_way(const struct shard *self, const struct text *key)
{
    return cascade_with_key(self, key) != NULL;
}

void
scene_cascades_finish(struct shard *self)
{
    for (struct cascade *cascade = self->cascades, *next; cascade; cascade = next) {
        next = cascade->next;
        cascade_destroy(&cascade);
    }
    self->cascades = NULL;
}
