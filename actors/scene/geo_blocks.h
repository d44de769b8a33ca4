// geo_blocks.h - how entries lie in the blocks of a geo_index: for geo_index.c, which keeps them,
// and geo_search.c, which looks at them.
#ifndef DIORAMA_ACTORS_SCENE_GEO_BLOCKS_H
#define DIORAMA_ACTORS_SCENE_GEO_BLOCKS_H

#include <stdbool.h>

#include "actors/scene/geo_index.h"

enum { GEO_BLOCK_ENTRIES = 64 };

// 24 bytes: the code of a place follows from it.
struct geo_entry {
    double latitude, longitude;
    const void *value;
};

// Where an entry stands in the order: by code, then by value. No two entries are equal.
struct geo_order {
    uint64_t code;
    uintptr_t value;
};

struct geo_index_block {
    size_t count;
    struct geo_entry entries[GEO_BLOCK_ENTRIES];
};

// --- codes: 32 bits of longitude and latitude each, the bits in turn ---

// 0 to 2^32 - 1 over the range from -limit to limit; grows with the angle.
static inline uint32_t
geo_quantised(double angle, double limit)
{
    double steps = (angle + limit) * (0x1p32 / (2 * limit));
    return steps <= 0 ? 0 : steps >= UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
}

// Each bit of `number` followed by a free one.
static inline uint64_t
geo_spread(uint32_t number)
{
    uint64_t bits = number;
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

static inline uint64_t
geo_code_of(uint32_t x, uint32_t y)
{
    return geo_spread(x) | geo_spread(y) << 1;
}

// --- the order of entries ---

static inline uint64_t
geo_code_at(double latitude, double longitude)
{
    return geo_code_of(geo_quantised(longitude, 180), geo_quantised(latitude, 90));
}

static inline struct geo_order
geo_order_of(const struct geo_entry *entry)
{
    return (struct geo_order){geo_code_at(entry->latitude, entry->longitude),
                              (uintptr_t)entry->value};
}

static inline bool
geo_order_before(const struct geo_order *a, const struct geo_order *b)
{
    return a->code != b->code ? a->code < b->code : a->value < b->value;
}

// Index of the first entry of the block that does not stand before the place.
static inline size_t
geo_block_lower_bound(const struct geo_index_block *self, const struct geo_order *place)
{
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct geo_order order = geo_order_of(&self->entries[middle]);
        if (geo_order_before(&order, place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool
geo_row_begins_behind(const struct geo_index_row *row, const struct geo_order *place)
{
    return row->first != place->code ? row->first > place->code
                                     : (uintptr_t)row->block->entries[0].value > place->value;
}

// Of the rows from `begin` to `end` - 1, the last one that does not begin behind the place; the
// first one if all do.
static inline size_t
geo_row_among(const struct geo_index *self, size_t begin, size_t end, const struct geo_order *place)
{
    size_t low = begin, high = end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (geo_row_begins_behind(&self->rows[middle], place))
            high = middle;
        else
            low = middle + 1;
    }
    return low > begin ? low - 1 : begin;
}

// The row that holds what stands at the place or should.
static inline size_t
geo_row_of(const struct geo_index *self, const struct geo_order *place)
{
    return geo_row_among(self, 0, self->row_count, place);
}

#endif
