// scene_preconditions.c - If-Match and If-None-Match of requests on scenes and on what is in them
// (preconditions.h). A lock is decided by its object, a registration by its scene.

#include "actors/scene/scene_preconditions.h"

#include <stdlib.h>

#include "actors/runtime/preconditions.h"
#include "actors/runtime/record_set.h"
#include "actors/runtime/sliced_tag.h"
#include "actors/scene/device/device_set.h"
#include "actors/scene/device/device_view.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

enum {
    SMALL_BYTES = 64 << 10, // an entity whose tag is worked out at once
    BEGUN_MOST = 8,         // times
};

// What a request is about, as it will be: a scene, or an entity in it.
struct subject {
    const frozen_t *record;
    const struct view *view;
    struct scene_state *scene;
    bool has_devices; // they are shown with it: it is the scene
};

// How far a request is with the tag of what it is about.
struct condition {
    struct parcel base;
    const frozen_t *record;    // one reference: no other record has its address
    struct scene_state *scene; // held: read again from the disk, it would be another record
    uint64_t revision;         // of the scene and its devices
    struct showing *showing;   // of them, in the message's arena
    struct sliced_tag tag;
    bool is_begun; // the tag is being worked out, or it is met
    bool has_paused;
    bool is_met;
    unsigned begun; // how often
};

static void
clear(struct condition *self)
{
    record_unref(&self->record);
    scene_release(&self->scene);
    showing_destroy(&self->showing);
    sliced_tag_finish(&self->tag);
    self->is_begun = self->has_paused = self->is_met = false;
}

static void
release(struct parcel *parcel)
{
    struct condition *self = (struct condition *)(void *)parcel;
    clear(self);
    free(self);
}

static struct condition *
condition_of(struct message *message)
{
    if (!message->condition) {
        struct condition *fresh = memory_take_zeroed(sizeof *fresh);
        fresh->base.destroy = release;
        message->condition = &fresh->base;
    }
    return (struct condition *)(void *)message->condition;
}

static uint64_t
revision_of(const struct subject *subject)
{
    return subject->has_devices ? subject->scene->revision : 0;
}

static bool
is_of(const struct condition *self, const struct subject *subject)
{
    return self->record == subject->record && self->revision == revision_of(subject);
}

static fallible
begin(struct shard *self, struct message *message, const struct subject *subject,
      struct condition *condition)
{
    const struct record *shown = frozen_record(subject->record);
    clear(condition);
    if (condition->begun++ == BEGUN_MOST)
        return fail(ERR_UNAVAILABLE, "", "the record changes faster than its state is compared");
    condition->record = record_ref(subject->record);
    condition->scene = subject->scene;
    scene_hold(subject->scene);
    condition->revision = revision_of(subject);
    if (subject->has_devices) {
        struct record_set devices = {0};
        devices_latest(self, subject->scene, &devices);
        condition->showing = showing_new(&message->arena, shown, &devices);
        record_set_finish(&devices);
        shown = showing_record(condition->showing);
    }
    sliced_tag_begin(&condition->tag, shown, subject->view);
    condition->is_begun = true;
    return OK;
}

// PARKED: goes on in a later turn. What follows on many slices begins in a turn of its own.
static enum error
work_out(struct shard *self, struct message *message, struct condition *condition)
{
    bool has_paused = condition->has_paused;
    struct etag etag;
    condition->has_paused = true;
    bool is_shown = !condition->showing || showing_goes_on(self, message, condition->showing);
    if (!is_shown || !sliced_tag_goes_on(&condition->tag, &self->base, &etag))
        return actor_pause(&self->base, message);
    enum error decided = preconditions_decide(message, &etag);
    condition->is_met = decided == OK;
    if (!condition->is_met)
        clear(condition); // the request runs again where what this rests on is never durable
    return condition->is_met && has_paused ? actor_pause(&self->base, message) : decided;
}

static enum error
check(struct shard *self, struct message *message, const struct subject *subject)
{
    struct condition *condition = condition_of(message);
    while (!condition->is_met || !is_of(condition, subject)) {
        if (!condition->is_begun || condition->is_met) // of a state that is over
            TRY(begin(self, message, subject, condition));
        TRY(work_out(self, message, condition));
    }
    return OK;
}

enum error
preconditions_check_scene(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!preconditions_are_open(message))
        return OK;
    const struct view *view = operation_rows[SCENE_GET].reply;
    if (!scene)
        return preconditions_check_none(message);
    const frozen_t *record = scene_latest_record(self, scene);
    if (preconditions_need_no_tag(message))
        return preconditions_check(message, frozen_record(record), view);
    return check(
        self, message,
        &(struct subject){.record = record, .view = view, .scene = scene, .has_devices = true});
}

enum error
preconditions_check_entity(struct shard *self, struct message *message,
                           const struct entity_kind *kind, struct scene_state *scene,
                           const frozen_t *entity)
{
    const struct view *view = operation_rows[kind->get].reply;
    if (!preconditions_are_open(message))
        return OK;
    if (record_size(entity) <= SMALL_BYTES || preconditions_need_no_tag(message))
        return preconditions_check(message, frozen_record(entity), view);
    return check(self, message, &(struct subject){.record = entity, .view = view, .scene = scene});
}

enum error
preconditions_go_on(struct shard *self, struct message *message, const struct entity_kind *kind,
                    struct scene_state *scene, const frozen_t *entity)
{
    return message->condition ? preconditions_check_entity(self, message, kind, scene, entity) : OK;
}

enum error
preconditions_still_hold(struct shard *self, const struct message *message,
                         const struct scene_state *scene)
{
    const struct condition *condition = (const struct condition *)(void *)message->condition;
    bool is_any = text_is(message->params->if_match, "*");
    if (message->progress == 0 || (!condition && !is_any))
        return OK;
    if (scene && (is_any || scene_latest_record(self, scene) == condition->record))
        return OK;
    return fail(ERR_PRECONDITION, "", "the scene was changed while its devices were leaving");
}
