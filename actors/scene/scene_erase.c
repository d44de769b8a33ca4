// scene_erase.c - walks through all scenes until a walk finds nothing of the user (scene_erase.h).
// So what a failed commit took back, and what was still staged, is found by the next walk. Which
// scenes have entities of the user, the sums of what they pay for tell: only these are read.
#include "actors/scene/scene_erase.h"

#include <stdlib.h>

#include "actors/runtime/effects.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_load.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_wake.h"
#include "actors/scene/scenes.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "proto/records/correction.h"
#include "proto/records/entity.h"

// The work of a message.
struct erasure {
    struct parcel base;
    const frozen_t *passed;  // record of the scene that the last slice ended behind, one reference
    bool has_found;          // something of the user, in this walk
    const frozen_t *reading; // record of the scene whose entities it waits for, one reference
    bool is_incomplete;      // those of another one could not be read
    unsigned place;          // of the kind of entities that it is at, in the next scene
    const frozen_t *entity;  // the last one of this kind that it has passed, one reference
    const frozen_t
        *checked; // the store was asked about scenes at rest up to this one, one reference
    uint64_t asked[SLICE_LIMIT]; // about these, by their ids; the first `held` have something of
    size_t held;                 // the user
};

static void
release(struct parcel *parcel)
{
    struct erasure *self = (struct erasure *)(void *)parcel;
    record_unref(&self->passed);
    record_unref(&self->reading);
    record_unref(&self->entity);
    record_unref(&self->checked);
    free(self);
}

// Notes a place, or forgets it (NULL).
static void
keep(const frozen_t **place, const frozen_t *record)
{
    if (record)
        record_ref(record);
    record_unref(place);
    *place = record;
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
    actor_end_sessions(&self->base, effect_asked(message)->key, ALL_SESSIONS);
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

// --- who pays ---

static fallible
take_payer(struct shard *self, struct message *message, struct scene_state *scene,
           const struct entity_kind *kind, const frozen_t *entity)
{
    const struct change *staged =
        staging_latest(&self->staging, kind->tag, scene, frozen_key(entity));
    const frozen_t *latest = staged ? staged->record : entity;
    if (!latest || !is_theirs(message, entity_of(frozen_record(latest))->user))
        return OK;
    erasure_of(message)->has_found = true;
    TRY(shard_make_room_in(self, message, scene, 1, record_size(latest)));
    owned(arena_finish) struct arena arena = {0}; // of its own: there may be many
    struct record *after = record_copy(&arena, kind->schema, frozen_record(latest));
    after->present &= ~FIELD_BIT(ENTITY_USER);
    ((struct entity *)(void *)after)->user = NULL;
    shard_stage_put(self, scene, kind->tag, after, latest,
                    kind->place == OBJECTS ? EVENT_OBJECT_UPDATED : EVENT_PROPERTY_UPDATED);
    return OK;
}

// Of the entities of one kind, from the noted place on.
static fallible
take_payer_of_kind(struct shard *self, struct message *message, struct scene_state *scene)
{
    enum { WATCHED = 32 };
    struct erasure *erasure = erasure_of(message);
    const struct entity_kind *kind = entity_kinds[erasure->place];
    struct record_set *set = &scene->entities[kind->place];
    size_t count,
        i = erasure->entity ? record_set_place_after(set, frozen_key(erasure->entity)) : 0;
    const frozen_t *const *entities = record_set_items(set, &count);
    for (size_t seen = 1; i < count; i++, seen++) {
        TRY(take_payer(self, message, scene, kind, entities[i]));
        if (seen % WATCHED != 0)
            continue;
        keep(&erasure->entity, entities[i]);
        if (actor_must_pause(&self->base))
            return actor_pause(&self->base, message);
    }
    keep(&erasure->entity, NULL);
    return OK;
}

// Whether an entity that they pay for is about to be there: this walk has not seen it.
static bool
has_arriving(struct shard *self, const struct message *message, const struct scene_state *scene)
{
    const struct change *change;
    for (unsigned i = 0; i < ENTITY_KIND_COUNT; i++)
        for (size_t cursor = 0;
             (change = staging_next(&self->staging, entity_kinds[i]->tag, &cursor)) != NULL;)
            if (change->owner == scene && change->record &&
                is_theirs(message, entity_of(frozen_record(change->record))->user))
                return true;
    return false;
}

// At last the sum: what is left of it are entities that name nobody, and that they paid for as the
// owner of the scene. It stays while more arrives, as it leads the next walk here.
static fallible
erase_payer(struct shard *self, struct message *message, struct scene_state *scene)
{
    struct erasure *erasure = erasure_of(message);
    const struct text *user = effect_asked(message)->key;
    if (!scene_holdings_have(scene, user))
        return OK;
    keep(&erasure->reading, scene->record);
    TRY(scene_cache_need(self, scene, message));
    keep(&erasure->reading, NULL);
    erasure->has_found = true;
    for (; erasure->place < ENTITY_KIND_COUNT; erasure->place++)
        TRY(take_payer_of_kind(self, message, scene));
    if (scene_holdings_have(scene, user) && !has_arriving(self, message, scene)) {
        TRY(shard_make_room_in(self, message, scene, 1, WRITE_BYTES));
        scene_holdings_forget(self, scene, user);
    }
    erasure->place = 0;
    return OK;
}

// --- scenes ---

static fallible
erase_from(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!scene || scene_is_deleting(self, scene))
        return OK;
    TRY(erase_corrections(self, message, scene));
    const frozen_t *record = scene_latest_record(self, scene);
    if (!is_theirs(message, scene_of(frozen_record(record))->user))
        return erase_payer(self, message, scene);
    erasure_of(message)->has_found = true;
    if (scene_of(frozen_record(record))->is_public)
        return take_owner(self, message, scene, record);
    return scene_stage_end(self, message, scene);
}

// --- scenes at rest ---

// Asks the store in which of the next scenes the user pays for something.
static enum error
ask_held(struct shard *self, struct message *message, const frozen_t *const *scenes, size_t count)
{
    struct erasure *erasure = erasure_of(message);
    const struct text *user = effect_asked(message)->key;
    struct slice *slice = slice_of_held(&message);
    size_t i = 0;
    for (; i < count && i < SLICE_LIMIT; i++) {
        struct opened room;
        const struct scene *scene = scene_of(packed_open(frozen_packed(scenes[i]), &room));
        if (scenes_find(self, scene->key))
            continue;
        erasure->asked[slice->count] = (uint64_t)scene->id;
        slice_add_key(slice, partition_of_scene(scene->key),
                      key_in_scene(KEY_HOLDING, (uint64_t)scene->id, user));
    }
    keep(&erasure->checked, scenes[i - 1]);
    erasure->held = 0;
    shard_load(self, slice, message_create(LOAD));
    return PARKED;
}

enum error
scene_erase_held(struct shard *self, struct message *answer)
{
    struct slice *slice = slice_of(answer);
    struct message *message = slice->asker;
    struct erasure *erasure = erasure_of(message);
    enum error error = store_error(slice->result);
    slice->asker = NULL;
    for (uint32_t i = 0; i < slice->count && error == OK; i++)
        if (slice->keys[i].size > 0)
            erasure->asked[erasure->held++] = erasure->asked[i];
    message_destroy(&answer);
    if (error == OK)
        actor_go_on(&self->base, message);
    else
        actor_finish(&self->base, message, fail(error, "", "what users hold cannot be read"));
    return PARKED;
}

static bool
is_held(const struct erasure *erasure, uint64_t scene_id)
{
    for (size_t i = 0; i < erasure->held; i++)
        if (erasure->asked[i] == scene_id)
            return true;
    return false;
}

// A scene that has something of the user wakes; the walk goes on with it then.
static fallible
erase_at_rest(struct shard *self, struct message *message, const frozen_t *const *scenes,
              size_t count)
{
    struct erasure *erasure = erasure_of(message);
    struct opened room;
    const packed_t *record = frozen_packed(scenes[0]);
    const struct scene *scene = scene_of(packed_open(record, &room));
    bool owns = is_theirs(message, scene->user);
    if (!owns && (!erasure->checked || text_compare(scene->key, frozen_key(erasure->checked)) > 0))
        return ask_held(self, message, scenes, count);
    if (!owns && !is_held(erasure, (uint64_t)scene->id))
        return OK;
    keep(&erasure->reading, scenes[0]);
    return is_held(erasure, (uint64_t)scene->id)
               ? scene_wake_whole(self, record, NEED_WHOLE, message)
               : scene_wake(self, record, message);
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
    keep(&erasure->reading, NULL);
    TRY(repeats_erase(&self->repeats, message, effect_asked(message)->key, &erasure->has_found));
    if (erasure->passed)
        i = record_set_place_after(&self->catalogue, frozen_key(erasure->passed));
    const frozen_t *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t seen = 1; i < count; i++, seen++) {
        struct scene_state *scene = scenes_find(self, frozen_key(scenes[i]));
        TRY(scene ? erase_from(self, message, scene)
                  : erase_at_rest(self, message, scenes + i, count - i));
        keep(&erasure->passed, scenes[i]);
        if (seen % WATCHED == 0 && actor_must_pause(actor))
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
    keep(&erasure->passed, NULL);
    keep(&erasure->checked, NULL);
    return has_found;
}

enum error
scene_erase_ends(actor_t *actor, struct message *message, enum error error)
{
    struct erasure *erasure = erasure_of(message);
    if (error != OK && erasure && erasure->reading) {
        erasure->is_incomplete = true;
        keep(&erasure->passed, erasure->reading);
        keep(&erasure->reading, NULL);
        actor_dispatch(actor, message);
        return PARKED;
    }
    if (error == OK && erasure->is_incomplete)
        return fail(ERR_UNAVAILABLE, "", "what is in a scene cannot be read");
    return error;
}
