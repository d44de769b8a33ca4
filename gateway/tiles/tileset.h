// tileset.h - a scene as a tileset (OGC 22-025r4, 3D Tiles 1.1): each object that shows a glTF
// model is a tile of its own. The worker's thread.
#ifndef DIORAMA_GATEWAY_TILES_TILESET_H
#define DIORAMA_GATEWAY_TILES_TILESET_H

#include "gateway/reply/answer.h"

// Writes the scene in the reply of SCENE_LAYOUT, or the part of it that `node` names. Fails with
// ERR_INVALID where `node` is no name, with ERR_NOT_FOUND where there is no such part, and as
// tile_place_find does.
fallible tileset_serve(const struct answer_source *source, struct http_answer *answer);

#endif
