// scene_keeper.h - what a query that pauses needs of the index: records that leave it meanwhile
// stay as long as the query. Plain data of the scene actor.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_KEEPER_H
#define DIORAMA_ACTORS_SCENE_SCENE_KEEPER_H

#include <stddef.h>

#include "proto/record/record_packed.h"

struct shard;

// Embedded in the work of a query; all zero is one that keeps nothing yet.
struct scene_keeper {
    struct shard *shard; // NULL: it has not begun
    struct scene_keeper *next;
    const packed_t **records; // in the order in which they left, one reference each
    size_t count, capacity;
};

// Keeps what leaves from now on; nothing happens where it has begun.
void scene_keeper_begin(struct scene_keeper *self, struct shard *shard);
void scene_keeper_finish(struct scene_keeper *self);

// The record of a scene leaves the index: another takes its place, or the scene is deleted.
void scene_keepers_keep(const struct shard *shard, const packed_t *record);

#endif
