// rigid.h - rigid motions: what relates the coordinates of devices and scenes. Pure. A unit
// quaternion and a translation in doubles; maps x to R(q) x + t. Twists are double[6]: the
// translational part first, then the rotation vector in radians.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_RIGID_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_RIGID_H

#include <stdbool.h>

struct rigid {
    double rotation[4];    // w, x, y, z; norm 1
    double translation[3]; // metres
};

extern const struct rigid rigid_identity;

// First `inner`, then `outer`. The product is normalised, so that chains do not drift.
struct rigid rigid_compose(const struct rigid *outer, const struct rigid *inner);
struct rigid rigid_invert(const struct rigid *self);
// The motion that follows `from` to give `to`: to * from^-1.
struct rigid rigid_between(const struct rigid *from, const struct rigid *to);
void rigid_apply(const struct rigid *self, const double *point, double *ret_point);

// The twist of the shortest motion from the identity to `self`, and the motion of a twist. A
// rotation by pi has two such twists; either may be returned.
void rigid_log(const struct rigid *self, double *ret_twist);
struct rigid rigid_exp(const double *twist);

// How far two motions differ: metres between their translations, radians between their rotations.
void rigid_difference(const struct rigid *a, const struct rigid *b, double *ret_distance_m,
                      double *ret_angle_rad);

// The matrix (6x6, row-major) that takes a twist on the right of `self` to one on its left:
// self * exp(xi) = exp(Ad xi) * self.
void rigid_adjoint(const struct rigid *self, double *ret_adjoint);

// A covariance of twists (6x6) seen from the left of `self` instead of its right: Ad C Ad^T.
void rigid_carry_covariance(const struct rigid *self, const double *covariance,
                            double *ret_covariance);

// How sure a motion is with this covariance of twists on its left, for what it brings to `point`:
// the root of the mean variance of the three coordinates there, and of the three angles.
void rigid_sigmas_at(const double *covariance, const double *point, double *ret_sigma_t_m,
                     double *ret_sigma_r_rad);

// Between a pose as devices send it (R = Rx * Ry * Rz, radians) and a motion. At gimbal lock the
// angles that are returned differ from those sent, but are of the same rotation.
struct rigid rigid_of_device_pose(const double *translation, const double *euler);
void rigid_to_device_pose(const struct rigid *self, double *ret_translation, double *ret_euler);

// Between a motion and a 4x4 matrix, row-major. If the matrix is no rigid motion (scaled, sheared,
// mirrored, not affine or not finite), rigid_of_matrix returns false and writes nothing.
void rigid_to_matrix(const struct rigid *self, double *ret_matrix);
bool rigid_of_matrix(const double *matrix, struct rigid *ret_motion);

#endif
