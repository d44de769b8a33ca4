// scene_erase.c - walks through all scenes until a walk finds nothing of the user (scene_erase.h).
// So what a failed commit took back, and what was still staged, is found by the next walk.
#include "actors/scene/scene_erase.h"

#include <stdlib.h>

#include "actors/runtime/effects.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scenes.h"
#include "proto/base/memory.h"
#include "proto/feed/event.h"
#include "proto/records/correction.h"

// The work of a message.
struct erasure {
    struct parcel base;
    const frozen_t *passed; // record of the scene that the last slice ended behind, one reference
    bool has_found;         // something of the user, in this walk
};

static void
release(struct parcel *parcel)
{
    struct erasure *self = (struct erasure *)(void *)parcel;
    record_unref(&self->passed);
    free(self);
}

static struct erasure *
erasure_of(const struct message *message)
{
    return (struct erasure *)(void *)message->work;
}

// Scenes that are being made when the first walk begins are found by the second.
static void
begin(struct shard *self, struct message *message)
{
    struct erasure *erasure = memory_take_zeroed(sizeof *erasure);
    erasure->base.destroy = release;
    erasure->has_found = staging_is_busy(&self->staging);
    message->work = &erasure->base;
}

static bool
is_theirs(const struct message *message, const struct text *user)
{
    return text_equal(user, effect_asked(message)->key);
}

static fallible
erase_corrections(struct shard *self, struct message *message, struct scene_state *scene)
{
    size_t count;
    const frozen_t *const *items = record_set_items(&scene->evidence, &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *latest = correction_latest(self, scene, frozen_key(items[i]));
        if (!latest || !is_theirs(message, correction_record_of(frozen_record(latest))->user))
            continue;
        erasure_of(message)->has_found = true;
        TRY(shard_make_room(self, message, 1, WRITE_BYTES));
        shard_stage_delete(self, scene, KEY_EVIDENCE, latest, 0);
    }
    return OK;
}

static fallible
take_owner(struct shard *self, struct message *message, struct scene_state *scene,
           const frozen_t *before)
{
    TRY(shard_make_room(self, message, 1, record_size(before)));
    struct record *after = record_copy(&message->arena, &scene_schema, frozen_record(before));
    after->present &= ~FIELD_BIT(SCENE_USER);
    ((struct scene *)(void *)after)->user = NULL;
    shard_stage_put(self, scene, KEY_SCENE, after, before, EVENT_SCENE_UPDATED);
    return OK;
}

static fallible
erase_from(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!scene || scene_is_deleting(self, scene))
        return OK;
    TRY(erase_corrections(self, message, scene));
    const frozen_t *record = scene_latest_record(self, scene);
    if (!is_theirs(message, scene_of(frozen_record(record))->user))
        return OK;
    erasure_of(message)->has_found = true;
    if (scene_of(frozen_record(record))->is_public)
        return take_owner(self, message, scene, record);
    return scene_stage_end(self, message, scene);
}

static void
pass(struct erasure *self, const frozen_t *scene)
{
    record_ref(scene);
    record_unref(&self->passed);
    self->passed = scene;
}

enum error
scene_erase(actor_t *actor, struct message *message)
{
    enum { WATCHED = 16 }; // so many scenes cost more than a look at the clock
    struct shard *self = shard_of(actor);
    if (!message->work)
        begin(self, message);
    struct erasure *erasure = erasure_of(message);
    size_t count, i = 0;
    if (erasure->passed)
        i = record_set_place_after(&self->catalogue, frozen_key(erasure->passed));
    const frozen_t *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t seen = 1; i < count; i++, seen++) {
        TRY(erase_from(self, message, scenes_find(self, frozen_key(scenes[i]))));
        if (seen % WATCHED != 0 || !actor_must_pause(actor))
            continue;
        pass(erasure, scenes[i]);
        return actor_pause(actor, message);
    }
    return shard_answer_durable(self, message);
}

bool
scene_erase_goes_on(struct message *message)
{
    struct erasure *erasure = erasure_of(message);
    bool has_found = erasure->has_found;
    erasure->has_found = false;
    record_unref(&erasure->passed);
    return has_found;
}
