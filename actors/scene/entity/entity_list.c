// entity_list.c - lists the objects of a scene while it is in memory (entity_list.h).
#include "actors/scene/entity/entity_list.h"

#include "actors/runtime/list_page.h"
#include "actors/scene/entity/entities.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_place.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/message/list_area.h"

static void
release(void *held)
{
    struct scene_state *scene = held;
    scene_release(&scene);
}

// Whether it is the scene that earlier slices were about.
static fallible
check_same(const struct message *message, const struct scene_state *scene)
{
    const void *held = list_page_held(message);
    if (!held || held == scene)
        return OK;
    return fail(ERR_NOT_FOUND, "", "scene %s was deleted meanwhile", text_chars(scene->key));
}

// Entities of which those are wanted that lie in an area.
struct narrowed {
    struct list_area area;
    const struct entity_kind *kind;
    bool has_place; // their scene has one
    struct geo_frame frame;
};

// Reads the area that the request names; everywhere, where it asks for no places.
static fallible
narrow(const struct message *message, const struct entity_kind *kind, const frozen_t *scene,
       struct narrowed *ret_narrowed)
{
    ret_narrowed->kind = kind;
    ret_narrowed->area.form = LIST_EVERYWHERE;
    if (!kind->find_place || !message->params->placed)
        return OK;
    TRY(list_area_read(message->params, &ret_narrowed->area));
    ret_narrowed->has_place = scene_place_find(frozen_record(scene), &ret_narrowed->frame);
    return OK;
}

static bool
lies_in(const void *viewer, const struct record *entity)
{
    const struct narrowed *self = viewer;
    struct geo_pose pose;
    return self->has_place && self->kind->find_place(&self->frame, entity, &pose) &&
           list_area_has(&self->area, pose.position.latitude_deg, pose.position.longitude_deg);
}

enum error
entity_list(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_operation *work = actor_operation_of(actor, message)->of;
    const struct text *key = message->params->scene;
    struct scene_state *scene = scenes_find(self, key);
    TRY(scene_to_read(self, message, key, scene));
    TRY(check_same(message, scene));
    TRY(scene_cache_need(self, scene, message));
    struct narrowed narrowed;
    TRY(narrow(message, work->kind, scene->record, &narrowed));
    const struct list_source source = {.set = &scene->entities[work->kind->place],
                                       .orders = &scene->orders,
                                       .sees =
                                           narrowed.area.form == LIST_EVERYWHERE ? NULL : lies_in,
                                       .viewer = &narrowed};
    const struct list_hold hold = {release, scene};
    size_t before = scene->orders.bytes;
    if (!message->work)
        scene_hold(scene);
    enum error error =
        list_page(actor, message, list_kind_of(work->kind->schema), scene->id, &source, &hold);
    entity_cache_count_orders(self, scene, before);
    if (error == OK && work->kind->show_places && params_want_geopose(message->params))
        work->kind->show_places(message, frozen_record(scene->record));
    return error;
}
