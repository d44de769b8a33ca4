// scenes.c - the scenes of one scene actor: create, update, read, delete.

#include "actors/scene/scenes.h"

#include <assert.h>

#include "actors/runtime/preconditions.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/departures.h"
#include "actors/scene/device/device_view.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_cascade.h"
#include "actors/scene/scene_create.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_remains.h"
#include "actors/scene/scene_restream.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/records/effect.h"

// --- create and update ---

// The result of the request's records, merged in order onto `base`, which it borrows from.
static fallible
merge_all(struct message *message, const struct record *base, struct record **ret_scene)
{
    enum list_mode mode = params_list_mode(message->params);
    struct record *merged = record_copy_flat(&message->arena, &scene_schema, base);
    TRY(message_check_edits(message));
    for (size_t i = 0; message->records && i < message->records->count; i++)
        TRY(record_merge_flat(&message->arena, &scene_schema, merged, message->records->items[i],
                              mode, &merged));
    // A key in the body does not rename a scene.
    record_set_text(merged, SCENE_KEY, scene_of(base)->key);
    *ret_scene = merged;
    return OK;
}

static enum error
answer_scene(struct shard *self, struct message *message, const frozen_t *scene)
{
    reply_add(message, scene);
    return shard_answer_durable(self, message);
}

static enum error
create(struct shard *self, struct message *message)
{
    TRY(scene_cascade_await(self, message));
    struct record *merged;
    const struct scene *empty = scene_with_defaults(message, message->params->scene);
    TRY(merge_all(message, &empty->base, &merged));
    TRY(preconditions_check_none(message));
    TRY(scene_dues_check_new(self, message, merged));
    TRY(shard_make_room(self, message, 1, record_frozen_size(&scene_schema, merged)));
    struct scene_state *scene = scene_stage_new(self, message, scene_of(merged));
    return answer_scene(self, message, scene_latest_record(self, scene));
}

// With `restreams` the state of the scene's objects is streamed after the update.
static enum error
overwrite(struct shard *self, struct message *message, struct scene_state *scene, bool restreams)
{
    const frozen_t *before = scene_latest_record(self, scene);
    struct record *merged;
    TRY(merge_all(message, frozen_record(before), &merged));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(preconditions_still_hold(self, message, scene));
    TRY(scene_dues_check_change(self, message, before, merged));
    bool hides = scene_of(frozen_record(before))->is_public && !scene_of(merged)->is_public;
    if (restreams)
        TRY(scene_cache_need(self, scene, message));
    size_t bytes = record_frozen_size(&scene_schema, merged);
    if (hides)
        TRY(departures_hide(self, message, scene, bytes));
    else
        TRY(shard_make_room_in(self, message, scene, 1, bytes));
    const frozen_t *after =
        shard_stage_put(self, scene, KEY_SCENE, merged, before, EVENT_SCENE_UPDATED);
    self->staging.filling.last->restream = restreams;
    return answer_scene(self, message, after);
}

// The scene that the request names, as it will be.
static fallible
latest(struct shard *self, const struct message *message, struct scene_state **ret_scene)
{
    const struct text *key = message->params->scene;
    *ret_scene = scenes_latest(self, key);
    return scene_to_write(self, message, key, *ret_scene);
}

enum error
scene_put(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    message->makes_scene = false;
    if (!scene) {
        TRY(preconditions_still_hold(self, message, NULL));
        return create(self, message);
    }
    TRY(scene_to_write(self, message, scene->key, scene));
    return overwrite(self, message, scene, false);
}

// The answer to a request that came before and made its scene: as the scene was then.
static enum error
answer_again(struct message *message)
{
    struct record *made;
    const struct scene *empty = scene_with_defaults(message, message->params->scene);
    TRY(merge_all(message, &empty->base, &made));
    reply_add_loose(message, &scene_schema, made);
    message->reply.is_replayed = true;
    return OK;
}

static bool
was_made(struct shard *self, const struct message *message, struct scene_state *scene)
{
    return message->params->repeat_done ||
           (scene && scene_is_of_request(scene_of(frozen_record(scene_latest_record(self, scene))),
                                         message));
}

enum error
scene_create(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->scene;
    struct scene_state *scene = scenes_latest(self, key);
    if (was_made(self, message, scene))
        return answer_again(message);
    if (scene)
        return fail(ERR_CONFLICT, message_pointer(message, 0, "/key"), "scene %s exists already",
                    text_chars(key));
    return create(self, message);
}

enum error
scene_update(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(latest(self, message, &scene));
    return overwrite(self, message, scene, true);
}

static enum error
change_asset(actor_t *actor, struct message *message, enum list_mode mode)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(latest(self, message, &scene));
    struct scene *edit = (struct scene *)(void *)record_new(&message->arena, &scene_schema);
    edit->assets = texts_of_one(&message->arena, message->params->asset);
    record_mark(&edit->base, SCENE_ASSETS);
    const frozen_t *before = scene_latest_record(self, scene);
    struct record *merged;
    TRY(record_merge(&message->arena, &scene_schema, frozen_record(before), &edit->base, mode,
                     &merged));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(scene_dues_check_change(self, message, before, merged));
    TRY(shard_make_room(self, message, 1, record_frozen_size(&scene_schema, merged)));
    return answer_scene(
        self, message,
        shard_stage_put(self, scene, KEY_SCENE, merged, before, EVENT_SCENE_UPDATED));
}

enum error
scene_add_asset(actor_t *actor, struct message *message)
{
    return change_asset(actor, message, LIST_APPEND);
}

enum error
scene_drop_asset(actor_t *actor, struct message *message)
{
    return change_asset(actor, message, LIST_REMOVE);
}

// --- read ---

enum error
scene_get(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_find(self, message->params->scene);
    TRY(scene_to_read(self, message, message->params->scene, scene));
    scene_shown_put(self, scene);
    return scene_answer(self, message, scene);
}

// --- delete ---

fallible
scene_stage_end(struct shard *self, struct message *message, struct scene_state *scene)
{
    TRY(shard_make_room(self, message, 3, 3 * WRITE_BYTES));
    shard_stage_delete(self, scene, KEY_SCENE, scene_latest_record(self, scene),
                       EVENT_SCENE_DELETED);
    struct effect *effect = effect_new(message, RELATED_GONE, scene->key, shard_moment(self));
    record_set_integer(&effect->base, EFFECT_SCENE_ID, (int64_t)scene->id);
    outbox_stage(&self->outbox, message, scene->part, effect);
    return OK;
}

enum error
scene_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(latest(self, message, &scene));
    TRY(preconditions_check_scene(self, message, scene));
    if (self->settings.events_cascade) // the events need the objects
        TRY(scene_cache_need(self, scene, message));
    const frozen_t *before = scene_latest_record(self, scene);
    TRY(scene_stage_end(self, message, scene));
    return answer_scene(self, message, before);
}

// --- what is durable, or is not ---

// Whether some who could read the scene cannot any more.
static bool
hides(const frozen_t *before, const frozen_t *after)
{
    return scene_of(frozen_record(before))->is_public && !scene_of(frozen_record(after))->is_public;
}

static void
put_committed(struct shard *self, struct scene_state *scene, const struct change *change)
{
    const frozen_t *old = scene->record;
    scene->record = record_ref(change->record);
    uint8_t reason = old && hides(old, change->record) ? REASON_HIDDEN : REASON_NONE;
    if (old) {
        scenes_reindex(self, scene);
    } else {
        assert(!scene_cascade_is_under_way(self, scene->key));
        scenes_index(self, scene);
        scene_cache_enter(self, scene);
        scene->seq = self->seq_floor;
    }
    record_unref(&old);
    shard_emit_why(self, scene, change->record, change->msg_type, reason);
    if (change->restream)
        scene_restream(self, scene);
}

static void
delete_committed(struct shard *self, struct scene_state *scene, const struct change *change)
{
    if (self->settings.events_cascade)
        scene_cascade_begin(self, scene, change->before);
    else
        scene_cascade_tell_end(self, scene, change->before);
    scenes_unindex(self, scene);
    actor_dispatch(&self->base, scene_remains_message(scene));
    scene_cache_forget(self, scene); // its sweep begins when its relationships are gone
}

void
scene_committed(struct shard *self, const struct change *change)
{
    if (change->record)
        put_committed(self, change->owner, change);
    else
        delete_committed(self, change->owner, change);
}

void
scene_dropped(struct shard *self, const struct change *change)
{
    (void)self;
    struct scene_state *scene = change->owner;
    if (!change->record)
        scene->is_deleting = false;
}
