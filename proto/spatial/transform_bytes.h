// transform_bytes.h - a matrix in few bytes: its parts if it has them, else its numbers. Pure. All
// numbers are little-endian. 52 bytes: translation x y z in float64, quaternion w x y z and scale x
// y z in float32. 128 bytes: the 16 numbers in float64, row-major.
#ifndef DIORAMA_PROTO_SPATIAL_TRANSFORM_BYTES_H
#define DIORAMA_PROTO_SPATIAL_TRANSFORM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TRANSFORM_PARTS_BYTES = 52,
    TRANSFORM_MATRIX_BYTES = 128, // also the most
};

// Writes `matrix` (finite) and returns the number of bytes. Writes the parts if they reproduce the
// matrix: the translation exactly, the rest to 1e-6 of the length of its column. A matrix that is
// sheared, singular, not affine, or scaled beyond float32 is written whole.
size_t transform_to_bytes(const double *matrix, unsigned char *ret_bytes);

// False, with nothing written, if `size` is neither, a number is not finite, or the quaternion
// cannot be one (transform.h).
bool transform_from_bytes(const unsigned char *bytes, size_t size, double *ret_matrix);

#endif
