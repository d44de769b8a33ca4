// tile_items.h - the objects of a scene that can be seen as tiles, each with a sphere around it.
// Pure.
#ifndef DIORAMA_GATEWAY_TILES_TILE_ITEMS_H
#define DIORAMA_GATEWAY_TILES_TILE_ITEMS_H

#include "proto/message/message.h"
#include "proto/records/asset.h"
#include "proto/records/object.h"

#define TILE_RADIUS_M 10.0 // of a model whose bounds are not known

struct tile_item {
    const struct object *object;
    const struct asset *asset; // its model
    double centre[3];          // of the sphere, in the scene, axes `enu`
    double radius;
    uint64_t code; // where it is in the octree (tile_tree.h)
};

// In the arena of a message. What is left out is counted.
struct tile_items {
    struct tile_item *items;
    uint32_t count;
    uint32_t objects, without_model, hidden, flat; // flat: no model could be drawn by its matrix
};

// Those of the objects in the reply of SCENE_LAYOUT, which they borrow from.
void tile_items_collect(struct message *message, struct tile_items *ret_items);

// The matrix of an object in the axes `enu`, row by row.
void tile_matrix(const struct object *object, double *ret_matrix);

// The sphere around a model in the axes of its tile, x, y, z and radius: those of the file, turned
// so that Z is up (3D Tiles 1.1, 5.4.1.1). `stretch`: of the radius, where a client that scales by
// the longest column of the matrix would make it too small.
void tile_sphere(const struct asset *asset, double stretch, double *ret_sphere);

// How much larger a sphere becomes by a matrix at most, and by its longest column.
double tile_scale_most(const double *matrix);
double tile_scale_of_columns(const double *matrix);

#endif
