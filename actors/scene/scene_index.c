// scene_index.c - the scenes of one scene actor by key, in the order of their keys, on the map and
// in the atlas; and the one place that decides who may reach a scene.

#include "actors/scene/scene_index.h"

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_keeper.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_state.h"
#include "proto/message/access_item.h"

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

const packed_t *
scenes_known(const struct shard *self, const struct text *key)
{
    return frozen_packed(record_set_find(&self->catalogue, key));
}

struct scene_state *
scenes_latest(const struct shard *self, const struct text *key)
{
    const struct change *change = staging_latest(&self->staging, KEY_SCENE, NULL, key);
    if (change)
        return change->record ? change->owner : NULL;
    return scenes_find(self, key);
}

const frozen_t *
scene_latest_record(const struct shard *self, const struct scene_state *scene)
{
    const struct change *change = staging_latest(&self->staging, KEY_SCENE, NULL, scene->key);
    return change && change->owner == scene && change->record ? change->record : scene->record;
}

size_t
scenes_place(struct shard *self, const struct text *key)
{
    size_t place = record_set_place_after(&self->catalogue, key);
    return record_set_find(&self->catalogue, key) ? place - 1 : place;
}

bool
scene_is_deleting(const struct shard *self, const struct scene_state *scene)
{
    if (scene->is_deleting)
        staging_show(&self->staging);
    return scene->is_deleting;
}

static void
put_on_map(struct shard *self, const packed_t *record)
{
    struct opened room;
    const struct scene *scene = scene_of(packed_open(record, &room));
    if (scene_is_on_map(scene))
        geo_index_add(&self->map, scene->latitude, scene->longitude, record);
}

static void
take_off_map(struct shard *self, const packed_t *record)
{
    struct opened room;
    const struct scene *scene = scene_of(packed_open(record, &room));
    if (scene_is_on_map(scene))
        geo_index_remove(&self->map, scene->latitude, scene->longitude, record);
}

// Puts the record of the scene, packed, into all that finds scenes; `old` (NULL = none) was there.
static void
put_everywhere(struct shard *self, const struct scene_state *scene, const packed_t *old)
{
    const packed_t *packed = record_pack(&scene_schema, frozen_record(scene->record));
    record_orders_replace(&self->orders, packed_frozen(old), packed_frozen(packed));
    if (old)
        take_off_map(self, old);
    record_set_put(&self->catalogue, packed_frozen(packed));
    put_on_map(self, packed);
    atlas_put_scene(self->settings.atlas, packed);
    packed_unref(&packed);
}

void
scenes_enter(struct shard *self, struct scene_state *scene)
{
    scene_hold(scene);
    table_add(&self->scenes, table_hash_text(scene->key), scene);
    scene->is_indexed = true;
}

void
scenes_leave(struct shard *self, struct scene_state *scene)
{
    table_remove(&self->scenes, table_hash_text(scene->key), scene);
    scene_shown_take(self, scene);
    scene->is_indexed = false;
    scene_release(&scene);
}

static void
place_of(const void *value, double *ret_latitude, double *ret_longitude)
{
    struct opened room;
    scene_place_on_map(packed_open(value, &room), ret_latitude, ret_longitude);
}

void
scenes_fill_map(struct shard *self)
{
    enum { FETCHED_AHEAD = 16 };
    struct geo_load load = {0};
    size_t count;
    const frozen_t *const *records = record_set_items(&self->catalogue, &count);
    for (size_t i = 0; i < count; i++) {
        struct opened room;
        if (i + FETCHED_AHEAD < count)
            packed_fetch(records[i + FETCHED_AHEAD]);
        const struct scene *scene = scene_of(packed_open(frozen_packed(records[i]), &room));
        if (scene_is_on_map(scene))
            geo_load_add(&load, scene->latitude, scene->longitude, records[i]);
    }
    geo_index_fill(&self->map, &load, place_of);
}

void
scenes_index(struct shard *self, struct scene_state *scene)
{
    scenes_enter(self, scene);
    put_everywhere(self, scene, NULL);
}

void
scenes_reindex(struct shard *self, struct scene_state *scene)
{
    const packed_t *old = packed_ref(scenes_known(self, scene->key));
    scene_keepers_keep(self, old);
    scene_shown_change(self, scene);
    put_everywhere(self, scene, old);
    packed_unref(&old);
}

void
scenes_unindex(struct shard *self, struct scene_state *scene)
{
    const packed_t *known = scenes_known(self, scene->key);
    scene_keepers_keep(self, known);
    scene_shown_take(self, scene);
    table_remove(&self->scenes, table_hash_text(scene->key), scene);
    take_off_map(self, known);
    atlas_remove_scene(self->settings.atlas, scene->id);
    record_orders_replace(&self->orders, packed_frozen(known), NULL);
    record_set_remove(&self->catalogue, scene->key);
    scene->is_indexed = false;
    self->devices -= record_set_count(&scene->devices);
    scene_holdings_gone(self, scene);
    lock_ledger_gone(self, scene);
    scene_release(&scene); // not the last hold: the change that deletes has one
}

// --- who may do what ---

static struct access_item
item_of(const struct record *scene)
{
    return (struct access_item){scene_of(scene)->user, scene_of(scene)->is_public};
}

bool
scene_is_seen(const struct caller *caller, const struct record *scene)
{
    const struct access_item item = item_of(scene);
    return access_sees(caller, &item);
}

bool
scene_shows(const struct shard *self, const struct message *message,
            const struct scene_state *scene)
{
    return scene &&
           scene_is_seen(&message->caller, frozen_record(scene_latest_record(self, scene)));
}

// Whether it is the scene that the request's slices went into, not another one that has its key.
static bool
scene_is_that_of(const struct message *message, const struct scene_state *scene)
{
    return scene && scene->id == message->scene_id;
}

static fallible
no_scene(const struct text *key)
{
    return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(key));
}

// A scene that the caller may not see is answered in the same words as one that does not exist.
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
    return check(message, key,
                 frozen_record(scene->record ? scene->record : scene_latest_record(self, scene)));
}

fallible
scene_check_slice(const struct message *message, const struct scene_state *scene)
{
    if (message->progress == 0 || !message->scene_id || scene_is_that_of(message, scene))
        return OK;
    return fail(ERR_NOT_FOUND, "", "scene %s was deleted after %u of the records were stored",
                text_chars(message->params->scene), message->progress);
}

fallible
scene_to_write(struct shard *self, const struct message *message, const struct text *key,
               const struct scene_state *scene)
{
    TRY(scene_check_slice(message, scene));
    return scene ? check(message, key, frozen_record(scene_latest_record(self, scene)))
                 : no_scene(key);
}

fallible
scene_to_show(struct shard *self, const struct message *message, struct scene_state **ret_scene)
{
    const struct text *key = message->params->scene;
    *ret_scene = scenes_find(self, key);
    return scene_is_that_of(message, *ret_scene) ? scene_to_read(self, message, key, *ret_scene)
                                                 : no_scene(key);
}
