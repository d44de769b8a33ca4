// scene_state.c - how long the state of a scene lives: until nobody holds it.

#include "actors/scene/scene_state.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/message/partition.h"

struct scene_state *
scene_state_create(const struct scene *scene)
{
    struct scene_state *self = calloc(1, sizeof *self);
    size_t key_size = sizeof *scene->key + text_size(scene->key) + 1;
    struct text *key = malloc(key_size);
    if (!self || !key)
        abort();
    memcpy(key, scene->key, key_size);
    self->holds = 1;
    self->key = key;
    self->part = partition_of_scene(key);
    self->id = (uint64_t)scene->id;
    return self;
}

void
scene_hold(struct scene_state *scene)
{
    scene->holds++;
}

void
restream_destroy(struct restream **self)
{
    if (!*self)
        return;
    record_unref(&(*self)->passed);
    record_unref(&(*self)->last);
    record_unref(&(*self)->next);
    free(*self);
    *self = NULL;
}

void
holdings_finish(struct table *holdings)
{
    struct holding *holding;
    for (size_t cursor = 0; (holding = table_next(holdings, &cursor)) != NULL;) {
        free((void *)(uintptr_t)holding->payer);
        free(holding);
    }
    table_finish(holdings);
}

void
scene_release(struct scene_state **scene)
{
    struct scene_state *self = *scene;
    *scene = NULL;
    if (!self || --self->holds > 0)
        return;
    assert(!self->leases);
    restream_destroy(&self->restream);
    record_unref(&self->record);
    record_set_finish(&self->devices);
    record_set_finish(&self->leaving);
    record_set_finish(&self->evidence);
    device_evidence_finish(&self->device_evidence);
    for (int place = 0; place < ENTITY_KIND_COUNT; place++)
        record_set_finish(&self->entities[place]);
    lock_index_finish(&self->locks);
    record_orders_finish(&self->orders);
    holdings_finish(&self->holdings);
    message_queue_finish(&self->waiting);
    free((void *)(uintptr_t)self->key);
    free(self);
}
