// tile_place.h - where the axes of a tileset stand: on Earth, in the coordinates of its scene
// alone, or where alignment says that the scene is in another one that has a place. Pure.
#ifndef DIORAMA_GATEWAY_TILES_TILE_PLACE_H
#define DIORAMA_GATEWAY_TILES_TILE_PLACE_H

#include "proto/message/message.h"
#include "proto/records/relation.h"

struct tile_place {
    bool is_on_earth;                       // else the coordinates are those of the scene
    double transform[16];                   // column by column, as 3D Tiles has it: enu to ECEF
    const struct relation_record *relation; // that it rests on; NULL: none
};

// Reads it from the reply of SCENE_LAYOUT, which it borrows from. Fails with ERR_INVALID where a
// scene has no place, with ERR_CONFLICT where the two are not aligned.
fallible tile_place_find(const struct message *message, struct tile_place *ret_place);

#endif
