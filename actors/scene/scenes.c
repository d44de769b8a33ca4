// scenes.c - the scenes of one scene actor: create, update, read, delete (interface 4.3,
// decisions 7).

#include <sodium.h>
#include <stdlib.h>
#include "actors/runtime/access.h"
#include "actors/scene/geodesy.h"
#include "actors/scene/scene_shard.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"

static const struct scene *
as_scene(const struct record *record)
{
    return (const struct scene *)(const void *)record;
}

// --- the index ---

static bool
scene_has_key(const void *value, const void *key)
{
    const struct scene_state *scene = value;
    return text_equal(scene->key, key);
}

struct scene_state *
scenes_find(const struct shard *self, const struct text *key)
{
    return table_find(&self->scenes, table_hash_text(key), scene_has_key, key);
}

struct scene_state *
scenes_latest(const struct shard *self, const struct text *key)
{
    const struct change *change = staging_latest(&self->staging, KEY_SCENE, NULL, key);
    if (change)
        return change->record ? change->owner : NULL;
    return scenes_find(self, key);
}

const struct record *
scene_latest_record(const struct shard *self, const struct scene_state *scene)
{
    const struct change *change = staging_latest(&self->staging, KEY_SCENE, NULL, scene->key);
    return change && change->owner == scene && change->record ? change->record : scene->record;
}

// Whether a distance query can find it.
static bool
is_on_map(const struct scene *scene)
{
    return record_has(&scene->base, SCENE_LATITUDE) && record_has(&scene->base, SCENE_LONGITUDE) &&
           geodesy_is_on_map(scene->latitude, scene->longitude);
}

static void
put_on_map(struct shard *self, const struct record *record)
{
    const struct scene *scene = as_scene(record);
    if (is_on_map(scene))
        geo_index_add(&self->map, scene->latitude, scene->longitude, record);
}

static void
take_off_map(struct shard *self, const struct record *record)
{
    const struct scene *scene = as_scene(record);
    if (is_on_map(scene))
        geo_index_remove(&self->map, scene->latitude, scene->longitude, record);
}

void
scenes_index(struct shard *self, struct scene_state *scene)
{
    scene_hold(scene);
    table_add(&self->scenes, table_hash_text(scene->key), scene);
    record_set_put(&self->catalogue, scene->record);
    put_on_map(self, scene->record);
    atlas_put_scene(self->settings.atlas, scene->record);
    scene->is_indexed = true;
    if (scene->cache_state == SCENE_ON_DISK)
        self->scenes_on_disk++;
    else
        scene_cache_admit_new(self, scene);
}

void
scenes_reindex(struct shard *self, struct scene_state *scene, const struct record *old)
{
    record_set_put(&self->catalogue, scene->record);
    take_off_map(self, old);
    put_on_map(self, scene->record);
    atlas_put_scene(self->settings.atlas, scene->record);
}

void
scenes_unindex(struct shard *self, struct scene_state *scene)
{
    table_remove(&self->scenes, table_hash_text(scene->key), scene);
    take_off_map(self, scene->record);
    atlas_remove_scene(self->settings.atlas, scene->id);
    record_set_remove(&self->catalogue, scene->key);
    scene->is_indexed = false;
    scene_release(&scene); // not the last hold: the change that deletes has one
}

// --- who may do what ---

static struct access_item
item_of(const struct record *scene)
{
    return (struct access_item){as_scene(scene)->user, as_scene(scene)->is_public};
}

bool
scene_is_seen(const struct caller *caller, const struct record *scene)
{
    const struct access_item item = item_of(scene);
    return access_sees(caller, &item);
}

static fallible
no_scene(const struct text *key)
{
    return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(key));
}

// What may not be seen is answered in the words of what is not there.
static fallible
check(const struct message *message, const struct text *key, const struct record *scene)
{
    if (message->caller.role == CALLER_TRUSTED)
        return OK;
    const struct access_item item = item_of(scene);
    enum error error = access_check(message, &item);
    return error == ERR_NOT_FOUND ? no_scene(key) : error;
}

fallible
scene_to_read(struct shard *self, const struct message *message, const struct text *key,
              const struct scene_state *scene)
{
    if (!scene)
        return no_scene(key);
    return check(message, key, scene->record ? scene->record : scene_latest_record(self, scene));
}

fallible
scene_to_write(struct shard *self, const struct message *message, const struct text *key,
               const struct scene_state *scene)
{
    return scene ? check(message, key, scene_latest_record(self, scene)) : no_scene(key);
}

// --- create and update ---

// A scene with nothing but its key, which belongs to who asks for it.
static struct scene *
scene_with_defaults(struct message *message, const struct text *key)
{
    struct arena *arena = &message->arena;
    struct scene *scene = (struct scene *)(void *)record_new(arena, &scene_schema);
    uint64_t id;
    randombytes_buf(&id, sizeof id);
    scene->id = (int64_t)((id >> 1) | 1); // positive and not 0
    scene->is_public = scene->active = true;
    record_set_text(&scene->base, SCENE_KEY, key);
    record_mark(&scene->base, SCENE_ID);
    record_mark(&scene->base, SCENE_PUBLIC);
    record_mark(&scene->base, SCENE_ACTIVE);
    if (message->caller.user[0])
        record_set_text(&scene->base, SCENE_USER, text_from(arena, message->caller.user));
    return scene;
}

static struct scene_state *
stage_new_scene(struct shard *self, const struct scene *scene)
{
    struct scene_state *state = scene_state_create(scene);
    scene_cache_admit_new(self, state);
    shard_stage_put(self, state, KEY_SCENE, &scene->base, NULL, EVENT_SCENE_CREATED);
    struct scene_state *staged = state; // lives on by the hold of its change
    scene_release(&state);
    return staged;
}

struct scene_state *
scenes_latest_or_new(struct shard *self, struct message *message, const struct text *key)
{
    struct scene_state *scene = scenes_latest(self, key);
    return scene ? scene : stage_new_scene(self, scene_with_defaults(message, key));
}

// The loose result of the request's records, merged in order onto `base`.
static fallible
merge_all(struct message *message, const struct record *base, struct record **ret_scene)
{
    enum list_mode mode = params_list_mode(message->params);
    struct record *merged = record_copy(&message->arena, &scene_schema, base);
    for (size_t i = 0; message->records && i < message->records->count; i++)
        TRY(record_merge(&message->arena, &scene_schema, merged, message->records->items[i], mode,
                         &merged));
    // A key in the body never moves a scene.
    record_set_text(merged, SCENE_KEY, as_scene(base)->key);
    *ret_scene = merged;
    return OK;
}

static enum error
answer_scene(struct shard *self, struct message *message, const struct record *scene)
{
    reply_add(message, scene);
    return shard_answer_durable(self, message);
}

static enum error
create(struct shard *self, struct message *message)
{
    struct record *merged;
    const struct scene *empty = scene_with_defaults(message, message->params->scene);
    TRY(merge_all(message, &empty->base, &merged));
    TRY(preconditions_check_none(message));
    TRY(shard_make_room(self, message, 1, 0));
    struct scene_state *scene = stage_new_scene(self, as_scene(merged));
    return answer_scene(self, message, scene_latest_record(self, scene));
}

// `restreams`: the state of the scene's objects is streamed after the update (interface 6.3).
static enum error
overwrite(struct shard *self, struct message *message, struct scene_state *scene, bool restreams)
{
    const struct record *before = scene_latest_record(self, scene);
    struct record *merged;
    TRY(merge_all(message, before, &merged));
    TRY(preconditions_check_scene(self, message, scene));
    bool hides = as_scene(before)->is_public && !as_scene(merged)->is_public;
    if (restreams || hides)
        TRY(scene_cache_need(self, scene, message));
    TRY(shard_make_room(self, message, 1 + (hides ? DEPARTURE_WRITES : 0), 0));
    if (hides)
        TRY(departures_hide(self, message, scene));
    const struct record *after =
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
    if (!scene)
        return create(self, message);
    TRY(scene_to_write(self, message, scene->key, scene));
    return overwrite(self, message, scene, false);
}

enum error
scene_create(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->scene;
    if (scenes_latest(self, key))
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
    const struct record *before = scene_latest_record(self, scene);
    struct record *merged;
    TRY(record_merge(&message->arena, &scene_schema, before, &edit->base, mode, &merged));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(shard_make_room(self, message, 1, 0));
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
    const struct scene *shown = scene_with_devices(self, message, scene->record, &scene->devices);
    const struct record *full = record_freeze(&scene_schema, &shown->base);
    reply_add(message, full);
    record_unref(&full);
    shard_tell_place(self, scene, message);
    return OK;
}

// --- delete ---

enum error
scene_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(latest(self, message, &scene));
    TRY(preconditions_check_scene(self, message, scene));
    if (self->settings.events_cascade) // the events need the objects
        TRY(scene_cache_need(self, scene, message));
    TRY(shard_make_room(self, message, 3, 0));
    const struct record *before = scene_latest_record(self, scene);
    shard_stage_delete(self, scene, KEY_SCENE, before, EVENT_SCENE_DELETED);
    struct effect *effect = outbox_effect(message, RELATED_GONE, scene->key);
    record_set_integer(&effect->base, EFFECT_SCENE_ID, (int64_t)scene->id);
    outbox_stage(&self->outbox, message, scene->part, effect);
    return answer_scene(self, message, before);
}
