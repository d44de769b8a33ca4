// entity_list.c - lists the objects of a scene that is in memory; by key, also those of one that
// memory does not hold (entity_list.h).
#include "actors/scene/entity/entity_list.h"

#include "actors/runtime/list_page.h"
#include "actors/scene/entity/entities.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_place.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/message/list_area.h"
#include "proto/message/list_query.h"

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

// --- in pages, in the order of keys ---

// The work of a message.
struct paged_list {
    struct entity_pages pages;
    struct list_query query;
    int64_t counted; // that were found, to the end of the page or, at the first one, of all
    bool has_more;
};

static struct paged_list *
paged_list_of(const struct message *message)
{
    return (struct paged_list *)(void *)entity_pages_of(message);
}

// *ret_goes: whether pages are a way to the list. The store knows no order but that of keys.
static fallible
begin_pages(struct message *message, struct scene_state *scene, const struct entity_kind *kind,
            bool *ret_goes)
{
    struct paged_list *self =
        (struct paged_list *)(void *)entity_pages_begin(message, scene, kind, sizeof *self);
    struct list_query *query = &self->query;
    TRY(list_query_read(message, list_kind_of(kind->schema), scene->id, query));
    *ret_goes = query->sort == LIST_KEY && !query->descending;
    if (query->key)
        entity_pages_begin_one(&self->pages, query->key);
    else if (query->has_place)
        entity_pages_begin_behind(&self->pages, query->place.key);
    if (!*ret_goes)
        message_end_work(message);
    return OK;
}

// Whether more of it changes nothing in the answer.
static bool
is_told(const struct paged_list *self)
{
    return self->has_more && (self->query.has_place || self->counted > LIST_TOTAL_EXACT);
}

static void
take(struct paged_list *self, struct message *message, const frozen_t *entity)
{
    self->counted++;
    if (message->reply.count < self->query.limit)
        reply_add(message, entity);
    else
        self->has_more = true;
}

static bool
is_listed(const struct paged_list *self, const struct narrowed *narrowed,
          const struct record *entity)
{
    return list_query_finds(&self->query, entity, &(struct list_known){0}) &&
           (narrowed->area.form == LIST_EVERYWHERE || lies_in(narrowed, entity));
}

static enum error
list_in_pages(actor_t *actor, struct message *message, const struct scene_state *scene,
              const struct narrowed *narrowed)
{
    struct shard *shard = shard_of(actor);
    struct paged_list *self = paged_list_of(message);
    const struct list_query *query = &self->query;
    const frozen_t *entity;
    TRY(entity_pages_check(&self->pages, scene));
    while (!is_told(self) && (entity = entity_pages_next(shard, &self->pages)) != NULL) {
        if (is_listed(self, narrowed, frozen_record(entity)))
            take(self, message, entity);
        if (entity_pages_must_pause(&self->pages, actor, query->filter_count))
            return actor_pause(actor, message);
    }
    if (!is_told(self))
        TRY(entity_pages_go_on(shard, &self->pages, message));
    int64_t total = query->has_place                   ? query->total
                    : self->counted > LIST_TOTAL_EXACT ? -1
                                                       : self->counted;
    const struct reply *reply = &message->reply;
    message->reply.more = self->has_more;
    list_answer(message, query, total,
                self->has_more ? reply_record(reply, reply->count - 1) : NULL);
    return OK;
}

// --- in memory ---

static enum error
list_in_memory(actor_t *actor, struct message *message, struct scene_state *scene,
               const struct entity_kind *kind, const struct narrowed *narrowed)
{
    struct shard *self = shard_of(actor);
    const bool is_everywhere = narrowed->area.form == LIST_EVERYWHERE;
    const struct list_source source = {.set = &scene->entities[kind->place],
                                       .orders = &scene->orders,
                                       .sees = is_everywhere ? NULL : lies_in,
                                       .viewer = narrowed};
    const struct list_hold hold = {release, scene};
    size_t before = scene->orders.bytes;
    if (!message->work)
        scene_hold(scene);
    enum error error =
        list_page(actor, message, list_kind_of(kind->schema), scene->id, &source, &hold);
    entity_cache_count_orders(self, scene, before);
    return error;
}

// OK: the way is known. PARKED, until what it needs is in memory.
static fallible
choose_way(struct shard *self, struct message *message, struct scene_state *scene,
           const struct entity_kind *kind)
{
    bool is_vast, goes = true;
    if (paged_list_of(message))
        return OK;
    TRY(check_same(message, scene));
    TRY(scene_cache_need_to_read(self, scene, message, &is_vast));
    if (is_vast)
        TRY(begin_pages(message, scene, kind, &goes));
    return goes ? OK : scene_cache_need(self, scene, message);
}

enum error
entity_list(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_operation *work = actor_operation_of(actor, message)->of;
    const struct text *key = message->params->scene;
    struct scene_state *scene = scenes_find(self, key);
    TRY(scene_to_read(self, message, key, scene));
    TRY(choose_way(self, message, scene, work->kind));
    struct narrowed narrowed;
    TRY(narrow(message, work->kind, scene->record, &narrowed));
    enum error error = paged_list_of(message)
                           ? list_in_pages(actor, message, scene, &narrowed)
                           : list_in_memory(actor, message, scene, work->kind, &narrowed);
    if (error == OK && work->kind->show_places && params_want_geopose(message->params))
        work->kind->show_places(message, frozen_record(scene->record));
    return error;
}
