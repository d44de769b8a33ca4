// transform_bytes.h - a matrix in few bytes: as its parts where it has them, else as it is. Pure.
// All numbers are little-endian. 52 bytes: translation x y z in float64, quaternion w x y z and
// scale x y z in float32. 128 bytes: the 16 numbers in float64, row-major.
#ifndef DIORAMA_PROTO_SPATIAL_TRANSFORM_BYTES_H
#define DIORAMA_PROTO_SPATIAL_TRANSFORM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TRANSFORM_PARTS_BYTES = 52,
    TRANSFORM_MATRIX_BYTES = 128, // also the most
};

// Writes `matrix` (finite) and returns how many bytes that took. Parts are written where they give
// the matrix back: translation to the bit, the others to 1e-6 of the length of their column. What
// is sheared, singular or not affine, or scaled beyond what float32 can say, is written whole.
size_t transform_to_bytes(const double *matrix, unsigned char *ret_bytes);

// False, and nothing written, where `size` is neither, a number is not finite, or the quaternion is
// none (transform.h).
bool transform_from_bytes(const unsigned char *bytes, size_t size, double *ret_matrix);

#endif
