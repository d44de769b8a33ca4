// trajectory_format.c - the table of formats, and the rotations of their rows. Pure.
#include "tools/cli/trajectory_format.h"

#include <math.h>
#include <string.h>

#include "proto/spatial/transform.h"

#define NO_ROTATION                                                                                \
    {                                                                                              \
        NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN                                                 \
    }

// clang-format off
const struct trajectory_format trajectory_formats[] = {
    {"walk",  "id frame x y z",           5, false, false, 0,         1,         {2, 3, 4},         NO_ROTATION,  1,    16, 0.01, "enu"},
    // TUM RGB-D: seconds, and poses in the axes of a room whose z is up.
    {"tum",   "timestamp tx ty tz qx qy qz qw", 8, false, false, NO_COLUMN, 0,   {1, 2, 3},         {7, 4, 5, 6}, 1,    1,  1,    "enu"},
    // KITTI odometry: [R|t] of the camera in the axes of its first image; 10 images a second.
    {"kitti", "r11 r12 r13 tx r21 r22 r23 ty r31 r32 r33 tz", 12, false, true, NO_COLUMN, NO_COLUMN, {3, 7, 11}, NO_ROTATION, 1, 10, 1, "cv"},
    // EuRoC MAV: nanoseconds; velocity and biases follow.
    {"euroc", "timestamp,px,py,pz,qw,qx,qy,qz", 8, true, false, NO_COLUMN, 0,    {1, 2, 3},         {4, 5, 6, 7}, 1e-9, 1,  1,    "enu"},
    // ETH Walking Pedestrians, obsmat.txt: 15 frames a second; what is called z is the height.
    {"eth",   "frame id x z y vx vz vy",  8, false, false, 1,         0,         {2, 4, 3},         NO_ROTATION,  1,    15, 1,    "enu"},
    // UCY Crowds, as text in metres: 25 frames a second.
    {"ucy",   "frame id x y",             4, false, false, 1,         0,         {2, 3, NO_COLUMN}, NO_ROTATION,  1,    25, 1,    "enu"},
};
// clang-format on

const size_t trajectory_formats_count = sizeof trajectory_formats / sizeof trajectory_formats[0];

const struct trajectory_format *
trajectory_format_find(const char *name)
{
    for (size_t i = 0; i < trajectory_formats_count; i++)
        if (strcmp(trajectory_formats[i].name, name) == 0)
            return &trajectory_formats[i];
    return NULL;
}

// Eight columns may be of eth too, which must be named.
const struct trajectory_format *
trajectory_format_guess(size_t columns)
{
    for (size_t i = 0; i < trajectory_formats_count; i++)
        if (trajectory_formats[i].columns == columns)
            return &trajectory_formats[i];
    return columns == TRAJECTORY_COLUMNS ? trajectory_format_find("euroc") : NULL;
}

bool
trajectory_format_has_rotation(const struct trajectory_format *self)
{
    return self->has_matrix || self->rotation[0] != NO_COLUMN;
}

static bool
rotation_of_matrix(const double *numbers, double ret_rotation[4])
{
    static const double close_to_one = 1e-3; // of rows that were printed with few digits
    const double matrix[16] = {
        numbers[0], numbers[1], numbers[2],  0, numbers[4], numbers[5], numbers[6], 0,
        numbers[8], numbers[9], numbers[10], 0, 0,          0,          0,          1};
    double translation[3], rotation[9], scale[3];
    if (!transform_decompose(matrix, translation, rotation, scale))
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(scale[i] - 1) > close_to_one)
            return false;
    quaternion_of_rotation(rotation, ret_rotation);
    return true;
}

bool
trajectory_format_rotation(const struct trajectory_format *self, const double *numbers,
                           double ret_rotation[4])
{
    double rotation[9], quaternion[4];
    if (self->has_matrix)
        return rotation_of_matrix(numbers, ret_rotation);
    for (int i = 0; i < 4; i++)
        quaternion[i] = numbers[self->rotation[i]];
    if (!quaternion_is_usable(quaternion))
        return false;
    rotation_of_quaternion(quaternion, rotation);
    quaternion_of_rotation(rotation, ret_rotation);
    return true;
}
