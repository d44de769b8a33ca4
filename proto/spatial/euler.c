// euler.c - the six orders, made of the two that transform.c has. An order is XYZ or YXZ of other
// axes, which keep their handedness: x, y, z of the base become three others in a turn, and the
// matrix of the one is that of the other with rows and columns in other places.
#include "proto/spatial/euler.h"

#include <stdbool.h>
#include <stddef.h>

#include "proto/spatial/transform.h"

enum { X, Y, Z };

const struct euler_order euler_orders[EULER_ORDERS] = {
    [EULER_OF_OBJECTS] = {"YXZ", {Y, X, Z}},
    [EULER_OF_DEVICES] = {"XYZ", {X, Y, Z}},
    {"XZY", {X, Z, Y}},
    {"YZX", {Y, Z, X}},
    {"ZXY", {Z, X, Y}},
    {"ZYX", {Z, Y, X}},
};

const struct euler_order *
euler_order_find(const struct text *name)
{
    if (text_size(name) == 0)
        return &euler_orders[EULER_OF_OBJECTS];
    for (size_t i = 0; i < EULER_ORDERS; i++)
        if (text_is(name, euler_orders[i].name))
            return &euler_orders[i];
    return NULL;
}

// Whether the axes of the order follow each other as x, y, z, x, … do.
static bool
is_even(const struct euler_order *order)
{
    return (order->axes[0] + 1) % 3 == order->axes[1];
}

// The axis of the order that an axis of the base stands for.
static void
axes_of_base(const struct euler_order *order, uint8_t *ret_axes)
{
    static const uint8_t even[] = {X, Y, Z}, odd[] = {Y, X, Z};
    for (int i = 0; i < 3; i++)
        ret_axes[(is_even(order) ? even : odd)[i]] = order->axes[i];
}

void
euler_to_rotation(const struct euler_order *order, const double *euler, double *ret_rotation)
{
    uint8_t axes[3];
    double base[9];
    axes_of_base(order, axes);
    const double angles[] = {euler[axes[X]], euler[axes[Y]], euler[axes[Z]]};
    (is_even(order) ? rotation_of_device_euler : rotation_of_object_euler)(angles, base);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            ret_rotation[axes[row] * 3 + axes[column]] = base[row * 3 + column];
}

void
euler_of_rotation(const struct euler_order *order, const double *rotation, double *ret_euler)
{
    uint8_t axes[3];
    double base[9], angles[3];
    axes_of_base(order, axes);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            base[row * 3 + column] = rotation[axes[row] * 3 + axes[column]];
    (is_even(order) ? rotation_to_device_euler : rotation_to_object_euler)(base, angles);
    for (int axis = 0; axis < 3; axis++)
        ret_euler[axes[axis]] = angles[axis];
}
