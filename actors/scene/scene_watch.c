// scene_watch.c - how a stream of events joins a scene without a gap or a double. The answer is the
// state of the scene after one of its events; a marker after that event tells the streamer that the
// stream's queue gets the events that follow.

#include "actors/scene/scene_watch.h"

#include "actors/scene/entity_walk.h"
#include "actors/scene/event_history.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/feed/event_queue.h"

static void
emit_marker(struct shard *self, const struct scene_state *scene, const struct watching *watching)
{
    struct watching *joined = watching_create(watching->queue, watching->scene);
    events_add(&self->events, &(struct event){.seq = scene->seq,
                                              .time_us = clock_calendar_us(),
                                              .scene_id = scene->id,
                                              .scene = record_ref(scene->record),
                                              .msg_type = EVENT_QUEUE_JOINED,
                                              .parcel = &joined->base});
}

// Whether the caller could see the scene at each event: what happened while it was private is not
// for who may see it since.
static bool
could_see(const struct caller *caller, const struct events *events)
{
    for (uint32_t i = 0; events && i < events->count; i++)
        if (!scene_is_seen(caller, frozen_record(events->items[i].scene)))
            return false;
    return true;
}

// Whether what the client missed can be told event by event.
static bool
resumes(const struct shard *self, const struct scene_state *scene, const struct caller *caller,
        struct watching *watching)
{
    if (watching->epoch != self->settings.epoch)
        return false;
    if (watching->seq == scene->seq)
        return true;
    if (!event_history_since(scene->history, watching->seq, &watching->missed))
        return false;
    if (could_see(caller, watching->missed))
        return true;
    events_destroy(&watching->missed);
    return false;
}

// Answers the scene's entities as they are when the first slice begins.
static enum error
add_snapshot(actor_t *actor, struct message *message, struct scene_state *scene)
{
    struct entity_walk *walk;
    const frozen_t *entity;
    TRY(entity_walk_resume(message, scene, 0, ENTITY_KIND_COUNT, &walk));
    while ((entity = entity_walk_next(walk)) != NULL) {
        reply_add(message, entity);
        if (entity_walk_must_pause(walk, actor, 0))
            return actor_pause(actor, message);
    }
    return OK;
}

enum error
scene_watch(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct watching *watching = watching_of(message);
    struct scene_state *scene = scenes_find(self, message->params->scene);
    TRY(scene_to_read(self, message, message->params->scene, scene));
    if (message->work)
        return add_snapshot(actor, message, scene);
    bool resumed = watching && resumes(self, scene, &message->caller, watching);
    if (watching && !resumed)
        TRY(scene_cache_need(self, scene, message));
    event_histories_watch(&self->histories, &scene->history, scene->seq, clock_now_ms());
    shard_tell_place(self, scene, message);
    if (!watching)
        return OK;
    watching->resumed = resumed;
    emit_marker(self, scene, watching);
    return resumed ? OK : add_snapshot(actor, message, scene);
}
