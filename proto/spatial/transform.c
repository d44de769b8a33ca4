// transform.c - matrices, quaternions and Euler angles. Pure; any thread. The two orders of Euler
// angles are written out element by element; the tests compare them with products of elementary
// rotations.
#include "proto/spatial/transform.h"

#include <math.h>
#include <string.h>

// Largest cosine between two columns that counts as a right angle. Clients compute in single
// precision, so the axes of a correct rotation may be off by some 1e-7.
#define SHEAR_TOLERANCE 1e-5

#define GIMBAL_COSINE 1e-12 // below it two axes coincide: the rest is rounding

// Where element (row, column) of a row-major 4x4 matrix is.
#define AT(row, column) ((row)*4 + (column))

static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// The parts of a matrix: M = T * R * S.
struct parts {
    double translation[3];
    double rotation[9]; // row-major 3x3
    double scale[3];
};

static const struct parts identity_parts = {
    .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
    .scale = {1, 1, 1},
};

void
transform_identity(double *ret_matrix)
{
    memcpy(ret_matrix, identity, sizeof identity);
}

void
rotation_of_object_euler(const double *euler, double *ret_rotation)
{
    double sx = sin(euler[0]), cx = cos(euler[0]);
    double sy = sin(euler[1]), cy = cos(euler[1]);
    double sz = sin(euler[2]), cz = cos(euler[2]);
    // clang-format off
    const double rotation[9] = {
        cy * cz + sy * sx * sz,  sy * sx * cz - cy * sz, sy * cx,
        cx * sz,                 cx * cz,                -sx,
        cy * sx * sz - sy * cz,  sy * sz + cy * sx * cz, cy * cx,
    };
    // clang-format on
    memcpy(ret_rotation, rotation, sizeof rotation);
}

void
rotation_of_device_euler(const double *euler, double *ret_rotation)
{
    double sx = sin(euler[0]), cx = cos(euler[0]);
    double sy = sin(euler[1]), cy = cos(euler[1]);
    double sz = sin(euler[2]), cz = cos(euler[2]);
    // clang-format off
    const double rotation[9] = {
        cy * cz,                -cy * sz,               sy,
        cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy,
        sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy,
    };
    // clang-format on
    memcpy(ret_rotation, rotation, sizeof rotation);
}

static double
quaternion_norm_squared(const double *q)
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

void
rotation_of_quaternion(const double *quaternion, double *ret_rotation)
{
    // Twice each product divided by the squared norm: this normalises without a square root.
    double factor = 2 / quaternion_norm_squared(quaternion);
    double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    // clang-format off
    const double rotation[9] = {
        1 - factor * (y * y + z * z), factor * (x * y - w * z),     factor * (x * z + w * y),
        factor * (x * y + w * z),     1 - factor * (x * x + z * z), factor * (y * z - w * x),
        factor * (x * z - w * y),     factor * (y * z + w * x),     1 - factor * (x * x + y * y),
    };
    // clang-format on
    memcpy(ret_rotation, rotation, sizeof rotation);
}

// If the middle angle is near a right angle, the first angle is read from two small numbers and is
// imprecise. The last angle is read from the rotation that the first one leaves, so together they
// are as precise as the rotation itself, however near the gimbal lock. 0 - x: an angle of zero has
// no sign, whatever sign the zeros of the rotation have.
void
rotation_to_device_euler(const double *rotation, double *ret_euler)
{
    const double *r = rotation;
    double cosine = hypot(r[5], r[8]);
    double x = cosine < GIMBAL_COSINE ? 0 : atan2(0 - r[5], r[8]);
    double z = atan2(cos(x) * r[3] + sin(x) * r[6], cos(x) * r[4] + sin(x) * r[7]);
    const double euler[3] = {x, atan2(r[2], cosine), z};
    memcpy(ret_euler, euler, sizeof euler);
}

void
rotation_to_object_euler(const double *rotation, double *ret_euler)
{
    const double *r = rotation;
    double cosine = hypot(r[2], r[8]);
    double y = cosine < GIMBAL_COSINE ? 0 : atan2(r[2], r[8]);
    double z = atan2(sin(y) * r[7] - cos(y) * r[1], cos(y) * r[0] - sin(y) * r[6]);
    const double euler[3] = {atan2(0 - r[5], cosine), y, z};
    memcpy(ret_euler, euler, sizeof euler);
}

// Computed from the largest of the four members, so that nothing is divided by a number near zero.
void
quaternion_of_rotation(const double *r, double *ret_quaternion)
{
    const double squares[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8],
                               1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]};
    // Four times the products of w, x, y, z with each other.
    const double products[4][4] = {
        {squares[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
        {r[7] - r[5], squares[1], r[1] + r[3], r[2] + r[6]},
        {r[2] - r[6], r[1] + r[3], squares[2], r[5] + r[7]},
        {r[3] - r[1], r[2] + r[6], r[5] + r[7], squares[3]},
    };
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = squares[i] > squares[largest] ? i : largest;
    double sign = products[largest][0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        ret_quaternion[i] = sign * products[largest][i];
    double norm = sqrt(quaternion_norm_squared(ret_quaternion));
    for (int i = 0; i < 4; i++)
        ret_quaternion[i] /= norm;
}

bool
quaternion_is_usable(const double *quaternion)
{
    double squared = quaternion_norm_squared(quaternion);
    return squared >= 0.25 && squared <= 4.0; // a NaN fails both
}

static bool
is_affine(const double *matrix)
{
    return matrix[AT(3, 0)] == 0 && matrix[AT(3, 1)] == 0 && matrix[AT(3, 2)] == 0 &&
           matrix[AT(3, 3)] == 1;
}

static double
length3(const double *v)
{
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (largest == 0)
        return 0;
    double x = v[0] / largest, y = v[1] / largest, z = v[2] / largest;
    return largest * sqrt(x * x + y * y + z * z); // squares of the ratios cannot overflow
}

static double
dot_of_columns(const double *rotation, int a, int b)
{
    return rotation[a] * rotation[b] + rotation[3 + a] * rotation[3 + b] +
           rotation[6 + a] * rotation[6 + b];
}

static double
determinant3(const double *r)
{
    return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
           r[2] * (r[3] * r[7] - r[4] * r[6]);
}

// Splits the linear part. The columns divided by their lengths are the axes of the rotation.
static bool
split_linear(const double *matrix, struct parts *parts)
{
    for (int column = 0; column < 3; column++) {
        const double axis[3] = {matrix[AT(0, column)], matrix[AT(1, column)],
                                matrix[AT(2, column)]};
        double length = length3(axis);
        if (length == 0 || !isfinite(length))
            return false;
        parts->scale[column] = length;
        for (int row = 0; row < 3; row++)
            parts->rotation[row * 3 + column] = axis[row] / length;
    }
    return fabs(dot_of_columns(parts->rotation, 0, 1)) <= SHEAR_TOLERANCE &&
           fabs(dot_of_columns(parts->rotation, 0, 2)) <= SHEAR_TOLERANCE &&
           fabs(dot_of_columns(parts->rotation, 1, 2)) <= SHEAR_TOLERANCE;
}

// A left-handed basis is not a rotation: the first scale gets the mirror.
static void
move_mirror_to_scale(struct parts *parts)
{
    if (determinant3(parts->rotation) >= 0)
        return;
    parts->scale[0] = -parts->scale[0];
    for (int row = 0; row < 3; row++)
        parts->rotation[row * 3] = -parts->rotation[row * 3];
}

static bool
split(const double *matrix, struct parts *ret_parts)
{
    struct parts parts;
    if (!is_affine(matrix) || !split_linear(matrix, &parts))
        return false;
    move_mirror_to_scale(&parts);
    for (int row = 0; row < 3; row++)
        parts.translation[row] = matrix[AT(row, 3)];
    *ret_parts = parts;
    return true;
}

static void
join(const struct parts *parts, double *ret_matrix)
{
    transform_identity(ret_matrix);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            ret_matrix[AT(row, column)] = parts->rotation[row * 3 + column] * parts->scale[column];
        ret_matrix[AT(row, 3)] = parts->translation[row];
    }
}

// Changes only the fourth column, so this works for any stored matrix.
static void
move(const double *translation, const double *stored, double *ret_matrix)
{
    memmove(ret_matrix, stored, sizeof identity);
    for (int row = 0; row < 3; row++)
        ret_matrix[AT(row, 3)] = translation[row];
}

static void
replace_parts(const struct transform_parts *sent, struct parts *parts)
{
    if (sent->translation)
        memcpy(parts->translation, sent->translation, sizeof parts->translation);
    if (sent->scale)
        memcpy(parts->scale, sent->scale, sizeof parts->scale);
    if (sent->rotation)
        memcpy(parts->rotation, sent->rotation, sizeof parts->rotation);
    else if (sent->quaternion)
        rotation_of_quaternion(sent->quaternion, parts->rotation);
}

void
transform_compose(const struct transform_parts *parts, const double *stored, double *ret_matrix)
{
    const double *base = stored ? stored : identity;
    if (parts->matrix) {
        memmove(ret_matrix, parts->matrix, sizeof identity);
    } else if (parts->rotation || parts->quaternion || parts->scale) {
        struct parts whole = identity_parts;
        (void)split(base, &whole); // the identity, if it cannot be split
        replace_parts(parts, &whole);
        join(&whole, ret_matrix);
    } else if (parts->translation) {
        move(parts->translation, base, ret_matrix);
    } else {
        memmove(ret_matrix, base, sizeof identity);
    }
}

void
transform_transpose(double *matrix)
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < row; column++) {
            double value = matrix[row * 4 + column];
            matrix[row * 4 + column] = matrix[column * 4 + row];
            matrix[column * 4 + row] = value;
        }
}

bool
transform_decompose(const double *matrix, double *ret_translation, double *ret_rotation,
                    double *ret_scale)
{
    struct parts parts;
    if (!split(matrix, &parts))
        return false;
    memcpy(ret_translation, parts.translation, sizeof parts.translation);
    memcpy(ret_rotation, parts.rotation, sizeof parts.rotation);
    memcpy(ret_scale, parts.scale, sizeof parts.scale);
    return true;
}
