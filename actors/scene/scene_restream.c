// scene_restream.c - where the streaming of a scene's objects is. After each slice the message goes
// to the streamer and comes back behind the events that went there before it: no more than a slice
// or two wait there.

#include "actors/scene/scene_restream.h"

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/feed/event.h"

enum { SLICE_EVENTS = 1000, AT_ONCE = 50 };

static void
remember(const frozen_t **place, const frozen_t *object)
{
    record_unref(place);
    *place = object ? record_ref(object) : NULL;
}

// This round goes on to the end, another one to where this one is now.
static void
plan_next_round(struct restream *self)
{
    remember(&self->last, NULL);
    remember(&self->next, self->passed);
    self->has_next_round = self->passed != NULL;
}

void
scene_restream(struct shard *self, struct scene_state *scene)
{
    if (scene->restream) {
        plan_next_round(scene->restream);
        return;
    }
    struct message *message = message_create(RESTREAM);
    scene->restream = memory_take_zeroed(sizeof *scene->restream);
    message->scene_id = scene->id;
    // A copy: the scene may end while the message is with the streamer.
    record_set_text(&message->params->base, PARAMS_SCENE, text_copy(&message->arena, scene->key));
    actor_dispatch(&self->base, message);
}

static bool
is_behind(const struct restream *self, const frozen_t *object)
{
    return self->last && text_compare(frozen_key(object), frozen_key(self->last)) > 0;
}

// Streams what a slice takes of this round; true: the round is over.
static bool
stream_some(struct shard *self, struct scene_state *scene)
{
    struct restream *restream = scene->restream;
    const frozen_t *passed = restream->passed;
    struct record_set *objects = &scene->entities[OBJECTS];
    size_t count, index = passed ? record_set_place_after(objects, frozen_key(passed)) : 0;
    const frozen_t *const *items = record_set_items(objects, &count);
    bool is_over = false;
    for (unsigned streamed = 0; !is_over && streamed < SLICE_EVENTS; streamed++, index++) {
        is_over = index == count || is_behind(restream, items[index]);
        if (is_over || (streamed % AT_ONCE == AT_ONCE - 1 && actor_must_pause(&self->base)))
            break;
        shard_emit(self, scene, items[index], EVENT_OBJECT_UPDATED);
        passed = items[index];
    }
    if (passed != restream->passed)
        remember(&restream->passed, passed);
    return is_over;
}

static void
begin_round(struct restream *self)
{
    remember(&self->passed, NULL);
    remember(&self->last, self->next);
    remember(&self->next, NULL);
    self->has_next_round = false;
}

enum error
scene_restream_slice(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_find(self, message->params->scene);
    if (scene && scene->id == message->scene_id) { // else it was deleted
        bool is_over = stream_some(self, scene);
        if (is_over && scene->restream->has_next_round) {
            begin_round(scene->restream);
            is_over = false;
        }
        if (!is_over)
            return shard_wait_for_streamer(self, message);
        restream_destroy(&scene->restream);
    }
    message_destroy(&message);
    return PARKED;
}
