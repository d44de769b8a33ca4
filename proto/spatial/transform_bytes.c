// transform_bytes.c - parts and matrices as little-endian numbers (transform_bytes.h).
#include "proto/spatial/transform_bytes.h"

#include <endian.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "proto/spatial/transform.h"

#define TOLERANCE 1e-6 // of a matrix made of parts in float32, in lengths of a column

// A matrix as it is sent: 3 doubles, then 4 + 3 floats.
struct packed_parts {
    double translation[3];
    float quaternion[4];
    float scale[3];
};

static unsigned char *
put_double(unsigned char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    memcpy(at, &bits, sizeof bits);
    return at + sizeof bits;
}

static unsigned char *
put_float(unsigned char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole32(bits);
    memcpy(at, &bits, sizeof bits);
    return at + sizeof bits;
}

static const unsigned char *
get_double(const unsigned char *at, double *ret_value)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    bits = le64toh(bits);
    memcpy(ret_value, &bits, sizeof bits);
    return at + sizeof bits;
}

static const unsigned char *
get_float(const unsigned char *at, float *ret_value)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    bits = le32toh(bits);
    memcpy(ret_value, &bits, sizeof bits);
    return at + sizeof bits;
}

static void
parts_compose(const struct packed_parts *parts, double *ret_matrix)
{
    double quaternion[4], scale[3];
    for (int i = 0; i < 4; i++)
        quaternion[i] = (double)parts->quaternion[i];
    for (int i = 0; i < 3; i++)
        scale[i] = (double)parts->scale[i];
    transform_compose(&(struct transform_parts){.translation = parts->translation,
                                                .quaternion = quaternion,
                                                .scale = scale},
                      NULL, ret_matrix);
}

// Whether the receiver gets the matrix that was sent, as precisely as float32 allows.
static bool
parts_are(const struct packed_parts *parts, const double *matrix)
{
    double again[16];
    parts_compose(parts, again);
    for (int column = 0; column < 3; column++) {
        double allowed = TOLERANCE * fabs((double)parts->scale[column]);
        for (int row = 0; row < 3; row++)
            if (!(fabs(again[row * 4 + column] - matrix[row * 4 + column]) <= allowed))
                return false;
    }
    return true;
}

static bool
parts_of(const double *matrix, struct packed_parts *ret_parts)
{
    double rotation[9], quaternion[4], scale[3];
    if (!transform_decompose(matrix, ret_parts->translation, rotation, scale))
        return false;
    quaternion_of_rotation(rotation, quaternion);
    for (int i = 0; i < 4; i++)
        ret_parts->quaternion[i] = (float)quaternion[i];
    for (int i = 0; i < 3; i++) {
        if (fabs(scale[i]) < (double)FLT_MIN || fabs(scale[i]) > (double)FLT_MAX)
            return false;
        ret_parts->scale[i] = (float)scale[i];
    }
    return parts_are(ret_parts, matrix);
}

size_t
transform_to_bytes(const double *matrix, unsigned char *ret_bytes)
{
    struct packed_parts parts;
    unsigned char *at = ret_bytes;
    if (!parts_of(matrix, &parts)) {
        for (int i = 0; i < 16; i++)
            at = put_double(at, matrix[i]);
        return TRANSFORM_MATRIX_BYTES;
    }
    for (int i = 0; i < 3; i++)
        at = put_double(at, parts.translation[i]);
    for (int i = 0; i < 4; i++)
        at = put_float(at, parts.quaternion[i]);
    for (int i = 0; i < 3; i++)
        at = put_float(at, parts.scale[i]);
    return TRANSFORM_PARTS_BYTES;
}

static bool
all_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static bool
matrix_from_bytes(const unsigned char *bytes, double *ret_matrix)
{
    double matrix[16];
    for (int i = 0; i < 16; i++)
        bytes = get_double(bytes, &matrix[i]);
    if (!all_finite(matrix, 16))
        return false;
    memcpy(ret_matrix, matrix, sizeof matrix);
    return true;
}

static bool
parts_from_bytes(const unsigned char *bytes, double *ret_matrix)
{
    struct packed_parts parts;
    double matrix[16], quaternion[4];
    for (int i = 0; i < 3; i++)
        bytes = get_double(bytes, &parts.translation[i]);
    for (int i = 0; i < 4; i++) {
        bytes = get_float(bytes, &parts.quaternion[i]);
        quaternion[i] = (double)parts.quaternion[i];
    }
    for (int i = 0; i < 3; i++)
        bytes = get_float(bytes, &parts.scale[i]);
    if (!quaternion_is_usable(quaternion))
        return false;
    parts_compose(&parts, matrix);
    if (!all_finite(matrix, 16))
        return false;
    memcpy(ret_matrix, matrix, sizeof matrix);
    return true;
}

bool
transform_from_bytes(const unsigned char *bytes, size_t size, double *ret_matrix)
{
    if (size == TRANSFORM_PARTS_BYTES)
        return parts_from_bytes(bytes, ret_matrix);
    return size == TRANSFORM_MATRIX_BYTES && matrix_from_bytes(bytes, ret_matrix);
}
