// area_search.c - searches the map for a list. Scenes that change while it pauses are found as they
// were: what leaves the map ahead of the search is looked back at, and is not found again.
#include "actors/scene/area_search.h"

#include <math.h>
#include <stdlib.h>

#include "actors/scene/geo_search.h"
#include "actors/scene/scene_keeper.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/base/text_set.h"
#include "proto/records/scene.h"

struct area_search {
    actor_t *actor;
    struct geo_search search;
    struct scene_keeper keeper; // what left the map since the search paused first
    size_t looked_back;         // at so many of those
    struct text_set left;       // their keys
    list_finder *find;
    void *context;
    bool is_looking_back;
    bool is_enough; // no more are wanted
};

struct area_search *
area_search_create(actor_t *actor)
{
    struct area_search *self = memory_take_zeroed(sizeof *self);
    self->actor = actor;
    return self;
}

void
area_search_destroy(void *search)
{
    struct area_search *self = search;
    text_set_finish(&self->left);
    scene_keeper_finish(&self->keeper);
    free(self);
}

static double
visit(void *context, const void *value, double distance_km)
{
    struct area_search *self = context;
    const packed_t *record = value;
    bool is_known = !self->is_looking_back && text_set_has(&self->left, packed_key(record));
    (void)distance_km;
    if (!self->is_enough && !is_known)
        self->is_enough = !self->find(self->context, packed_frozen(record));
    return INFINITY;
}

static bool
must_pause(void *context)
{
    const struct area_search *self = context;
    return self->is_enough || actor_must_pause(self->actor);
}

static void
look_back(struct area_search *self)
{
    self->is_looking_back = true;
    for (; self->looked_back < self->keeper.count; self->looked_back++) {
        const packed_t *record = self->keeper.records[self->looked_back];
        struct opened room;
        double latitude, longitude;
        if (text_set_add(&self->left, packed_key(record)) &&
            scene_place_on_map(packed_open(record, &room), &latitude, &longitude))
            geo_search_look_back(&self->search, latitude, longitude, record);
    }
    self->is_looking_back = false;
}

static struct geo_search
search_of(const struct list_area *area)
{
    return (struct geo_search){.latitude = area->latitude,
                               .longitude = area->longitude,
                               .radius_km = area->radius_km,
                               .box = area->form == LIST_BOX ? &area->box : NULL,
                               .visit = visit,
                               .must_pause = must_pause,
                               .reads_values = true};
}

bool
area_search_go_on(void *search, const struct list_area *area, list_finder *find, void *context)
{
    struct area_search *self = search;
    struct shard *shard = shard_of(self->actor);
    if (!self->find)
        self->search = search_of(area);
    self->search.context = self;
    self->find = find;
    self->context = context;
    look_back(self);
    if (geo_search_go_on(&self->search, &shard->map) || self->is_enough)
        return true;
    scene_keeper_begin(&self->keeper, shard);
    return false;
}
