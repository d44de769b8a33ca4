// glb.h - makes models as glTF 2.0 binary files (GLB): round and square shapes with a colour at
// each vertex. Right-handed, Y up, metres, as glTF has it.
#ifndef DIORAMA_TOOLS_CLI_GLB_H
#define DIORAMA_TOOLS_CLI_GLB_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buffer.h"

// What a shape is made of; each is a material of the file if something is made of it.
enum glb_layer {
    GLB_SURFACE, // lit
    GLB_GLOW,    // as bright as its colour, whatever the light
    GLB_SHADE,   // the same, and seen through by the alpha of its colour
    GLB_LAYERS
};

struct glb_color {
    float red, green, blue, alpha; // 0 to 1, linear
};

struct glb_point {
    float x, y, z;
};

// A point of the outline of a round shape.
struct glb_ring {
    float radius, y;
};

struct glb_part {
    struct buffer positions, normals, colors, indices;
    uint32_t count; // of vertices
    struct glb_point least, most;
};

// A model that is being made. Embedded; all zero is an empty one.
struct glb {
    struct glb_part parts[GLB_LAYERS];
};

void glb_finish(struct glb *self);

// A colour as in a style sheet, 0xRRGGBB, opaque.
struct glb_color glb_color(uint32_t rgb);

// Turns an outline about the vertical through `at`; it goes upwards where one looks at the outside.
// The same ring twice makes an edge, all else is smooth.
void glb_turned(struct glb *self, enum glb_layer layer, struct glb_point at,
                const struct glb_ring *rings, size_t count, struct glb_color color);

// A ball, of `radius.x`, `.y`, `.z` along the axes.
void glb_ball(struct glb *self, enum glb_layer layer, struct glb_point at, struct glb_point radius,
              struct glb_color color);

// A box around `at`.
void glb_box(struct glb *self, enum glb_layer layer, struct glb_point at, struct glb_point size,
             struct glb_color color);

// Four corners of a plane, counterclockwise where one looks at its front.
void glb_quad(struct glb *self, enum glb_layer layer, const struct glb_point corners[4],
              struct glb_color color);

// The soft shade of something that stands at the origin: a disc at height `y`, dark in its middle.
void glb_shade(struct glb *self, float radius, float y, float alpha);

// Appends the file. `name` is that of the model, without characters that JSON escapes.
void glb_put(const struct glb *self, const char *name, struct buffer *out);

#endif
