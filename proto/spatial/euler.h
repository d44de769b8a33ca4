// euler.h - Euler angles in every order of axes. Angles stand as x, y, z in radians, whatever the
// order; its name is the product of matrices: YXZ is R = Ry * Rx * Rz, as three.js has it. Pure.
#ifndef DIORAMA_PROTO_SPATIAL_EULER_H
#define DIORAMA_PROTO_SPATIAL_EULER_H

#include <stdint.h>

#include "proto/base/text.h"

struct euler_order {
    const char *name;
    uint8_t axes[3]; // of the three matrices, from the left
};

enum {
    EULER_OF_OBJECTS, // YXZ: of angles of objects whose order nobody says
    EULER_OF_DEVICES, // XYZ
    EULER_ORDERS = 6
};

extern const struct euler_order euler_orders[EULER_ORDERS];

// The order of this name; no name is EULER_OF_OBJECTS. NULL if there is none of this name.
const struct euler_order *euler_order_find(const struct text *name);

// A rotation matrix (row-major 3x3) of the angles, and back. The angles are as precise as the
// matrix; at the gimbal lock, where the middle angle is a right one, the first one is 0.
void euler_to_rotation(const struct euler_order *order, const double *euler, double *ret_rotation);
void euler_of_rotation(const struct euler_order *order, const double *rotation, double *ret_euler);

#endif
