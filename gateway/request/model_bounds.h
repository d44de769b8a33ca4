// model_bounds.h - how large a glTF model is (Khronos glTF 2.0), as its file says: the smallest and
// largest positions of each mesh, where its nodes put it. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_MODEL_BOUNDS_H
#define DIORAMA_GATEWAY_REQUEST_MODEL_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/arena.h"

enum {
    MODEL_HEAD_BYTES = 20,      // of a binary file: its header and that of its first chunk (4.4)
    MODEL_JSON_BYTES = 4 << 20, // of JSON that is looked at
    MODEL_NODES_MOST = 65536,   // and of nodes
};

// Where the JSON of a file of `file_size` bytes stands, whose first `size` bytes are `head`. False:
// nowhere, or it is larger than is looked at.
bool model_json_find(const char *head, size_t size, uint64_t file_size, uint64_t *ret_first,
                     size_t *ret_size);

// A sphere around the model: x, y, z of its centre and its radius in metres, in the axes of the
// file. What moves or bends (animations, skins) gets twice the radius that it has at rest. False:
// the JSON does not say. Bounds that are not finite or the wrong way around say nothing. Takes
// memory of the arena as json_parse does (json_cost), and MODEL_WORK_BYTES at most.
bool model_bounds_read(struct arena *arena, const char *json, size_t size, double *ret_sphere);

enum { MODEL_WORK_BYTES = 8 << 20 };

#endif
