// transform.h - matrices, quaternions and Euler angles. Pure. Matrices are double[16], row-major,
// for column vectors: translation at 3, 7, 11.
#ifndef DIORAMA_PROTO_SPATIAL_TRANSFORM_H
#define DIORAMA_PROTO_SPATIAL_TRANSFORM_H

#include <stdbool.h>

// The parts of one request; NULL = not sent.
struct transform_parts {
    const double *matrix;      // [16], wins over all
    const double *translation; // [3]
    const double *rotation;    // [9], wins over quaternion
    const double *quaternion;  // [4] w, x, y, z; norm in [0.5, 2]
    const double *scale;       // [3]
};

void transform_identity(double *ret_matrix);

// Rotation matrices, row-major 3x3.
void rotation_of_object_euler(const double *euler, double *ret_rotation);    // Ry * Rx * Rz
void rotation_of_device_euler(const double *euler, double *ret_rotation);    // Rx * Ry * Rz
void rotation_of_quaternion(const double *quaternion, double *ret_rotation); // normalises

// The angles of a rotation matrix, as precise as the matrix, also near gimbal lock. At the lock
// they may differ from the angles that the matrix was made from: the first one to turn is 0.
void rotation_to_object_euler(const double *rotation, double *ret_euler); // y turns first
void rotation_to_device_euler(const double *rotation, double *ret_euler); // x turns first

// The unit quaternion (w not negative) of a rotation matrix.
void quaternion_of_rotation(const double *rotation, double *ret_quaternion);

// Whether the norm is one that a client may send: in [0.5, 2].
bool quaternion_is_usable(const double *quaternion);

// M = T * R * S of the parts. A missing part is taken from `stored` (NULL = identity), which is
// decomposed for it. A stored matrix that is sheared, singular or not affine counts as the identity
// for the missing parts; a translation alone replaces only the fourth column.
void transform_compose(const struct transform_parts *parts, const double *stored,
                       double *ret_matrix);

// Writes a 4x4 matrix in the other layout: its columns as rows.
void transform_transpose(double *matrix);

// Splits an affine matrix without shear into translation, rotation (3x3) and scale; a mirrored one
// has a negative first scale. False, with untouched outputs, for any other matrix.
bool transform_decompose(const double *matrix, double *ret_translation, double *ret_rotation,
                         double *ret_scale);

#endif
