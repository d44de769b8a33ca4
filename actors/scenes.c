// scenes.c - the scenes of one scene actor: create, update, read, delete, find (interface 4.3,
// decisions 7).

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include "actors/geodesy.h"
#include "actors/shard.h"
#include "proto/base/limits.h"
#include "proto/partition.h"
#include "proto/records/device.h"

enum { DEFAULT_NUM_RECORDS = 10 };

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
        return change->record ? change->scene : NULL;
    return scenes_find(self, key);
}

const struct record *
scene_latest_record(const struct shard *self, const struct scene_state *scene)
{
    const struct change *change = staging_latest(&self->staging, KEY_SCENE, NULL, scene->key);
    return change && change->scene == scene && change->record ? change->record : scene->record;
}

void
scenes_index(struct shard *self, struct scene_state *scene)
{
    scene_hold(scene);
    table_add(&self->scenes, table_hash_text(scene->key), scene);
    record_set_put(&self->catalogue, scene->record);
    scene->is_indexed = true;
    if (scene->residence == SCENE_ON_DISK)
        self->scenes_on_disk++;
    else
        residency_admit_new(self, scene);
}

void
scenes_unindex(struct shard *self, struct scene_state *scene)
{
    table_remove(&self->scenes, table_hash_text(scene->key), scene);
    record_set_remove(&self->catalogue, scene->key);
    scene->is_indexed = false;
    scene_release(&scene); // not the last hold: the change that deletes has one
}

// --- create and update ---

static struct scene *
scene_with_defaults(struct arena *arena, const struct text *key)
{
    struct scene *scene = (struct scene *)(void *)record_new(arena, &scene_schema);
    uint64_t id;
    randombytes_buf(&id, sizeof id);
    scene->id = (int64_t)((id >> 1) | 1); // positive and not 0
    scene->is_public = scene->active = true;
    record_set_text(&scene->base, SCENE_KEY, key);
    record_mark(&scene->base, SCENE_ID);
    record_mark(&scene->base, SCENE_PUBLIC);
    record_mark(&scene->base, SCENE_ACTIVE);
    return scene;
}

static struct scene_state *
stage_new_scene(struct shard *self, const struct scene *scene)
{
    struct scene_state *state = scene_state_create(scene);
    residency_admit_new(self, state);
    shard_stage_put(self, state, KEY_SCENE, &scene->base, NULL, EVENT_SCENE_CREATED);
    struct scene_state *staged = state; // lives on by the hold of its change
    scene_release(&state);
    return staged;
}

struct scene_state *
scenes_latest_or_new(struct shard *self, struct message *message, const struct text *key)
{
    struct scene_state *scene = scenes_latest(self, key);
    return scene ? scene : stage_new_scene(self, scene_with_defaults(&message->arena, key));
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
    const struct scene *empty = scene_with_defaults(&message->arena, message->params->scene);
    TRY(merge_all(message, &empty->base, &merged));
    TRY(conditions_check_none(message));
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
    TRY(conditions_check_scene(self, message, scene));
    if (restreams)
        TRY(residency_need(self, scene, message));
    TRY(shard_make_room(self, message, 1, 0));
    const struct record *after =
        shard_stage_put(self, scene, KEY_SCENE, merged, before, EVENT_SCENE_UPDATED);
    self->staging.filling.last->restream = restreams;
    return answer_scene(self, message, after);
}

static fallible
need_scene(struct scene_state *scene, const struct text *key)
{
    if (!scene)
        return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(key));
    return OK;
}

enum error
scene_put(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    return scene ? overwrite(self, message, scene, false) : create(self, message);
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
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(need_scene(scene, message->params->scene));
    return overwrite(self, message, scene, true);
}

static enum error
change_asset(actor_t *actor, struct message *message, enum list_mode mode)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(need_scene(scene, message->params->scene));
    struct scene *edit = (struct scene *)(void *)record_new(&message->arena, &scene_schema);
    edit->assets = texts_of_one(&message->arena, message->params->asset);
    record_mark(&edit->base, SCENE_ASSETS);
    const struct record *before = scene_latest_record(self, scene);
    struct record *merged;
    TRY(record_merge(&message->arena, &scene_schema, before, &edit->base, mode, &merged));
    TRY(conditions_check_scene(self, message, scene));
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
    TRY(need_scene(scene, message->params->scene));
    const struct scene *shown = scene_with_devices(&message->arena, scene->record, &scene->devices);
    const struct record *full = record_freeze(&scene_schema, &shown->base);
    reply_add(message, full);
    record_unref(&full);
    return OK;
}

// --- delete ---

enum error
scene_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(need_scene(scene, message->params->scene));
    TRY(conditions_check_scene(self, message, scene));
    if (self->settings.events_cascade) // the events need the objects
        TRY(residency_need(self, scene, message));
    TRY(shard_make_room(self, message, 2, 0));
    const struct record *before = scene_latest_record(self, scene);
    shard_stage_delete(self, scene, KEY_SCENE, before, EVENT_SCENE_DELETED);
    return answer_scene(self, message, before);
}

// --- query ---

// Whether latitude, longitude and distance come together or not at all (interface 4.3, rule 1).
static fallible
check_filter(struct message *message, size_t index)
{
    const struct record *filter = message->records->items[index];
    int given = record_has(filter, SCENE_LATITUDE) + record_has(filter, SCENE_LONGITUDE) +
                record_has(filter, SCENE_DISTANCE);
    if (given != 0 && given != 3)
        return fail(ERR_MISSING, message_pointer(message, index, ""),
                    "latitude, longitude and distance come together or not at all");
    return OK;
}

static bool
asks_near(const struct record *filter)
{
    return record_has(filter, SCENE_DISTANCE);
}

// How far the scene lies from the filter's point; infinite where it is on no map.
static double
distance_km(const struct scene *scene, const struct scene *filter)
{
    bool has_place =
        record_has(&scene->base, SCENE_LATITUDE) && record_has(&scene->base, SCENE_LONGITUDE);
    if (!has_place || !geodesy_is_on_map(scene->latitude, scene->longitude))
        return INFINITY;
    return geodesy_distance_km(scene->latitude, scene->longitude, filter->latitude,
                               filter->longitude);
}

// Whether a filter of the request finds the scene. `ret_distance_km` is the shortest distance from
// the points of those that do, infinite where none of them has a point.
static bool
scene_is_wanted(const struct message *message, const struct record *scene, double *ret_distance_km)
{
    *ret_distance_km = INFINITY;
    bool is_wanted = !message->records || message->records->count == 0;
    for (size_t i = 0; message->records && i < message->records->count; i++) {
        const struct record *filter = message->records->items[i];
        if (!record_matches(scene, filter))
            continue;
        double away_km = asks_near(filter) ? distance_km(as_scene(scene), as_scene(filter)) : 0;
        if (asks_near(filter) && away_km > as_scene(filter)->distance)
            continue;
        is_wanted = true;
        if (asks_near(filter))
            *ret_distance_km = fmin(*ret_distance_km, away_km);
    }
    return is_wanted;
}

// A scene as the answer shows it, with its distance from the query point where there is one.
static void
add_found(struct message *message, const struct record *scene, double away_km)
{
    if (isinf(away_km)) {
        reply_add(message, scene);
        return;
    }
    struct record *placed = record_thaw_numbers(scene);
    ((struct scene *)(void *)placed)->distance = away_km;
    record_mark(placed, SCENE_DISTANCE);
    const struct record *frozen = placed;
    reply_add(message, frozen);
    record_unref(&frozen);
}

static double
found_distance_km(const struct record *found)
{
    return record_has(found, SCENE_DISTANCE) ? as_scene(found)->distance : INFINITY;
}

// Nearest first, then what no point found, in the order of keys.
static int
compare_found(const void *a, const void *b)
{
    const struct record *one = *(const struct record *const *)a;
    const struct record *other = *(const struct record *const *)b;
    double one_km = found_distance_km(one), other_km = found_distance_km(other);
    if (one_km != other_km)
        return one_km < other_km ? -1 : 1;
    return text_compare(record_key(one), record_key(other));
}

static bool
any_asks_near(const struct message *message)
{
    for (size_t i = 0; message->records && i < message->records->count; i++)
        if (asks_near(message->records->items[i]))
            return true;
    return false;
}

// Leaves the first `wanted` of all that were found.
static void
cut_page(struct message *message, uint64_t wanted)
{
    struct reply *reply = &message->reply;
    if (reply->count > 1 && any_asks_near(message))
        qsort(reply->records, reply->count, sizeof reply->records[0], compare_found);
    if (reply->count > wanted) {
        reply_truncate(message, (uint32_t)wanted);
        reply->more = 1;
    }
}

// Answers the first start + num records of this shard, by distance or by key; whoever asked all
// shards merges them and cuts the page out.
enum error
scene_query(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct params *params = message->params;
    for (size_t i = 0; message->records && i < message->records->count; i++)
        TRY(check_filter(message, i));
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : DEFAULT_NUM_RECORDS);
    uint64_t wanted = (uint64_t)params->start_record + num;
    bool is_by_key = !any_asks_near(message);
    size_t count;
    const struct record *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t i = 0; i < count && !(is_by_key && message->reply.count > wanted); i++) {
        double away_km;
        if (scene_is_wanted(message, scenes[i], &away_km))
            add_found(message, scenes[i], away_km);
    }
    cut_page(message, wanted);
    return OK;
}
