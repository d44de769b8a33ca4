// use_slice.h - reads which objects and scenes name an asset, from the index records of the
// partitions of a scene actor (use_index.h). Its loader's thread.
#ifndef DIORAMA_ACTORS_SCENE_USE_SLICE_H
#define DIORAMA_ACTORS_SCENE_USE_SLICE_H

#include "actors/scene/scene_loader.h"

// Reads a slice of uses (slice_of_uses): parts, keys of index records, and the records that they
// lead to; NULL where one has gone meanwhile or cannot be read. `numbers` are the ids of the scenes
// of objects. `more`: the next slice begins at `part` and `low`, which were moved.
enum store_result use_slice_read(store_t *store, struct slice *slice);

#endif
