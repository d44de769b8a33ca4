// use_slice.h - reads which objects and scenes name an asset, from the index records of the
// partitions of a scene actor (use_index.h). Its loader's thread.
#ifndef DIORAMA_ACTORS_SCENE_USE_SLICE_H
#define DIORAMA_ACTORS_SCENE_USE_SLICE_H

#include "actors/scene/scene_loader.h"

// Reads a slice of uses (slice_of_uses): parts, keys of index records, and what lists show of the
// records that they lead to (proto/records/asset_use.h, without the place); NULL where one has
// gone, names the asset no more, or cannot be read. `numbers` are the ids of the scenes that the
// uses are in, or are. `more`: the next slice begins at `part` and `low`, which were moved.
enum store_result use_slice_read(store_t *store, struct slice *slice);

#endif
