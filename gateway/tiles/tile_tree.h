// tile_tree.h - the octree of a scene's tiles. Its cells halve a cube around the origin whose side
// is a power of two, so that what does not move stays in its cell whatever else moves. Where cells
// would be too small, things that stand together are told apart by their keys. Pure.
#ifndef DIORAMA_GATEWAY_TILES_TILE_TREE_H
#define DIORAMA_GATEWAY_TILES_TILE_TREE_H

#include "gateway/tiles/tile_items.h"

enum {
    TILE_LEVELS_IN_SPACE = 16,
    TILE_LEVELS = 21, // a digit from 0 to 7 each
    TILE_WHOLE = 500, // tiles of a tileset that has no parts
    TILE_LEAF = 200,  // of a part that has none
};

// Items that follow each other, and the digits that they have in common.
struct tile_range {
    uint32_t first, count;
    unsigned level;
};

// Gives all items their place in the tree, and sorts them by it.
void tile_tree_build(struct tile_items *items);

// Whether the text names a part: digits from 0 to 7, TILE_LEVELS of them at most.
bool tile_tree_is_name(const struct text *name);

// The part of this name ("" = all); its count is 0 if there is none.
struct tile_range tile_tree_find(const struct tile_items *items, const struct text *name);

// Cuts it into parts, 8 at most; returns how many. 0: it is small enough, or cannot be cut.
unsigned tile_tree_split(const struct tile_items *items, struct tile_range range,
                         struct tile_range ret_parts[8]);

// The name of a part.
void tile_tree_name(const struct tile_items *items, struct tile_range range,
                    char ret_name[TILE_LEVELS + 1]);

#endif
