// matrix.h - transforms: 16 numbers, row-major; quaternions are w x y z (diorama.h).
#ifndef DIORAMA_MATRIX_H
#define DIORAMA_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const double dio_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// M = T * R * S.
struct dio_parts {
    double translation[3], quaternion[4], scale[3];
};

// The order of operations is that of the server, so the numbers are the same to the bit.
static void
dio_compose(const struct dio_parts *parts, double *ret_matrix)
{
    double w = parts->quaternion[0], x = parts->quaternion[1], y = parts->quaternion[2],
           z = parts->quaternion[3];
    double f = 2 / (w * w + x * x + y * y + z * z);
    const double rotation[9] = {
        1 - f * (y * y + z * z), f * (x * y - w * z),     f * (x * z + w * y),
        f * (x * y + w * z),     1 - f * (x * x + z * z), f * (y * z - w * x),
        f * (x * z - w * y),     f * (y * z + w * x),     1 - f * (x * x + y * y),
    };
    memcpy(ret_matrix, dio_identity, sizeof dio_identity);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            ret_matrix[4 * row + column] = rotation[3 * row + column] * parts->scale[column];
        ret_matrix[4 * row + 3] = parts->translation[row];
    }
}

static uint64_t
dio_little(const unsigned char *at, unsigned size)
{
    uint64_t bits = 0;
    for (unsigned i = size; i > 0; i--)
        bits = bits << 8 | at[i - 1];
    return bits;
}

static double
dio_little_double(const unsigned char *at)
{
    uint64_t bits = dio_little(at, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double
dio_little_float(const unsigned char *at)
{
    uint32_t bits = (uint32_t)dio_little(at, 4);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

// The transform of a packed datagram. False: it is none.
static bool
dio_matrix_from(const char *data, size_t size, double *ret_matrix)
{
    const unsigned char *at = (const unsigned char *)data;
    struct dio_parts parts;
    double squared = 0;
    if (size == 128) {
        for (int i = 0; i < 16; i++)
            ret_matrix[i] = dio_little_double(at + 8 * i);
    } else if (size == 52) {
        for (int i = 0; i < 3; i++)
            parts.translation[i] = dio_little_double(at + 8 * i);
        for (int i = 0; i < 4; i++)
            parts.quaternion[i] = dio_little_float(at + 24 + 4 * i);
        for (int i = 0; i < 3; i++)
            parts.scale[i] = dio_little_float(at + 40 + 4 * i);
        for (int i = 0; i < 4; i++)
            squared += parts.quaternion[i] * parts.quaternion[i];
        if (!(squared >= 0.25 && squared <= 4))
            return false;
        dio_compose(&parts, ret_matrix);
    } else {
        return false;
    }
    for (int i = 0; i < 16; i++)
        if (!isfinite(ret_matrix[i]))
            return false;
    return true;
}

static double
dio_dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// From the largest member, so that nothing is divided by little.
static void
dio_quaternion_of(double axes[3][3], double *ret_quaternion)
{
    const double *a = axes[0], *b = axes[1], *c = axes[2];
    const double rows[4][4] = {
        {1 + a[0] + b[1] + c[2], b[2] - c[1], c[0] - a[2], a[1] - b[0]},
        {b[2] - c[1], 1 + a[0] - b[1] - c[2], b[0] + a[1], c[0] + a[2]},
        {c[0] - a[2], b[0] + a[1], 1 - a[0] + b[1] - c[2], c[1] + b[2]},
        {a[1] - b[0], c[0] + a[2], c[1] + b[2], 1 - a[0] - b[1] + c[2]},
    };
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = rows[i][i] > rows[largest][largest] ? i : largest;
    double norm = sqrt(dio_dot(rows[largest], rows[largest], 4)) * (rows[largest][0] < 0 ? -1 : 1);
    for (int i = 0; i < 4; i++)
        ret_quaternion[i] = rows[largest][i] / norm;
}

// False: it is sheared, flat or not affine. A mirror is in the first scale.
static bool
dio_decompose(const double *m, struct dio_parts *ret_parts)
{
    double axes[3][3];
    if (fabs(m[12]) + fabs(m[13]) + fabs(m[14]) + fabs(m[15] - 1) > 0)
        return false;
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {m[i], m[4 + i], m[8 + i]};
        double length = sqrt(dio_dot(axis, axis, 3));
        if (!(length > 0) || !isfinite(length))
            return false;
        ret_parts->translation[i] = m[4 * i + 3];
        ret_parts->scale[i] = length;
        for (int j = 0; j < 3; j++)
            axes[i][j] = axis[j] / length;
    }
    if (fabs(dio_dot(axes[0], axes[1], 3)) > 1e-5 || fabs(dio_dot(axes[0], axes[2], 3)) > 1e-5 ||
        fabs(dio_dot(axes[1], axes[2], 3)) > 1e-5)
        return false;
    const double *b = axes[1], *c = axes[2];
    const double cross[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                             b[0] * c[1] - b[1] * c[0]};
    double mirror = dio_dot(axes[0], cross, 3) < 0 ? -1 : 1;
    ret_parts->scale[0] *= mirror;
    for (int j = 0; j < 3; j++)
        axes[0][j] *= mirror;
    dio_quaternion_of(axes, ret_parts->quaternion);
    return true;
}

// `share` 0: before, 1: after. Matrices that do not split jump.
static void
dio_between(const double *before, const double *after, double share, double *ret_matrix)
{
    struct dio_parts a, b;
    if (share <= 0 || share >= 1 || !dio_decompose(before, &a) || !dio_decompose(after, &b)) {
        memcpy(ret_matrix, share <= 0 ? before : after, sizeof dio_identity);
        return;
    }
    double sign = dio_dot(a.quaternion, b.quaternion, 4) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        a.translation[i] += share * (b.translation[i] - a.translation[i]);
        a.scale[i] += share * (b.scale[i] - a.scale[i]);
    }
    for (int i = 0; i < 4; i++)
        a.quaternion[i] = (1 - share) * a.quaternion[i] + share * sign * b.quaternion[i];
    dio_compose(&a, ret_matrix);
}

#endif
