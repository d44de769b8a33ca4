// use_index.h - index records of the family "scene": which objects and scenes name an asset. They
// are in the commit of their record, so nothing may change its assets but a write that is staged
// over what the disk has, or will have (shard_stage_put, shard_stage_follower). Pure.
#ifndef DIORAMA_ACTORS_SCENE_USE_INDEX_H
#define DIORAMA_ACTORS_SCENE_USE_INDEX_H

#include "actors/runtime/index_records.h"

// Rows, in the order of lists of uses. Append-only: stored keys have them.
enum {
    INDEX_OBJECT_ASSET = 1,
    INDEX_SCENE_ASSET = 2,
    USE_ROWS = 2, // how many there are
};

// One row each, then the end.
extern const struct index_row object_asset_index[], scene_asset_index[];

// The kinds that are indexed, in all partitions.
struct index_family use_index_family(void);

// The assets that an object or a scene names; NULL = none, or another kind.
const struct texts *use_index_assets(const struct record *record);

// How many index records a write of `after` (NULL = none) over `before` (NULL = nothing) puts and
// deletes, at most. They may be of any kind; 0 of those that name no assets.
size_t use_index_writes(const struct record *before, const struct record *after);

// How many bytes of a commit these index records take, at most.
size_t use_index_bytes(const struct record *before, const struct record *after);

// Puts them into the batch of the write at `address`.
void use_index_stage(struct batch *batch, uint16_t part, const struct key *address,
                     const struct record *before, const struct record *after);

#endif
