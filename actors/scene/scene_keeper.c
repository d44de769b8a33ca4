// scene_keeper.c - the list of queries that pause, and what each of them keeps (scene_keeper.h).
#include "actors/scene/scene_keeper.h"

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"

void
scene_keeper_begin(struct scene_keeper *self, struct shard *shard)
{
    if (self->shard)
        return;
    self->shard = shard;
    self->next = shard->keepers;
    shard->keepers = self;
}

void
scene_keeper_finish(struct scene_keeper *self)
{
    if (!self->shard)
        return;
    struct scene_keeper **place = &self->shard->keepers;
    while (*place != self)
        place = &(*place)->next;
    *place = self->next;
    for (size_t i = 0; i < self->count; i++)
        packed_unref(&self->records[i]);
    free(self->records);
    *self = (struct scene_keeper){0};
}

static void
keep(struct scene_keeper *self, const packed_t *record)
{
    enum { FIRST_CAPACITY = 16 };
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_CAPACITY;
        self->records = memory_resize(self->records, self->capacity * sizeof self->records[0]);
    }
    self->records[self->count++] = packed_ref(record);
}

void
scene_keepers_keep(const struct shard *shard, const packed_t *record)
{
    for (struct scene_keeper *keeper = shard->keepers; keeper; keeper = keeper->next)
        keep(keeper, record);
}
