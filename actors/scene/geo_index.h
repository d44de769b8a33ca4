// geo_index.h - what lies where on the sphere of 6,371 km, to be found by distance (geo_search.h).
// Pure. Entries lie in the order of the Morton code of their place, in blocks of up to 64, so that
// what is near on the map is near in memory: a search costs what it finds and a small constant. 24
// bytes an entry; blocks are 7/8 full where many were put on it at once, so 28 bytes, and 3/8 full
// or more on the average whatever was removed, so at most 65. One thread.
#ifndef DIORAMA_ACTORS_SCENE_GEO_INDEX_H
#define DIORAMA_ACTORS_SCENE_GEO_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct geo_index_block;

// Where a block stands in the order: the least code in it.
struct geo_index_row {
    uint64_t first;
    struct geo_index_block *block; // never empty
};

// Embedded; all zero is a valid empty index.
struct geo_index {
    struct geo_index_row *rows;
    size_t row_count;
    size_t row_capacity;
    size_t count; // of entries
};

// Frees the index, not the values.
void geo_index_finish(struct geo_index *self);

// What is to be put on an empty map. Embedded; all zero is valid and has nothing.
struct geo_order;
struct geo_load {
    struct geo_order *orders;
    size_t count, capacity;
};

// Where a value lies: the place that it was put at.
typedef void geo_placer(const void *value, double *ret_latitude, double *ret_longitude);

void geo_load_add(struct geo_load *self, double latitude, double longitude, const void *value);
// Puts all of it into an index that is empty, and frees it. A million of them take a third of the
// time that as many geo_index_add take.
void geo_index_fill(struct geo_index *self, struct geo_load *load, geo_placer *place);

// Puts a value at a place of the map (geodesy_is_on_map). It is not there yet; any number of others
// may be.
void geo_index_add(struct geo_index *self, double latitude, double longitude, const void *value);

// Takes a value from the place where it was put; nothing happens where it is not there.
void geo_index_remove(struct geo_index *self, double latitude, double longitude, const void *value);

// Bytes of memory that the index takes.
size_t geo_index_size(const struct geo_index *self);

#endif
