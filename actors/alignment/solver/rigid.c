// rigid.c - rigid motions on SE(3) (rigid.h). Pure; any thread.
#include "actors/alignment/solver/rigid.h"

#include <math.h>
#include <string.h>

#include "proto/spatial/transform.h"

#define SMALL_ANGLE 1e-4 // below it the series are exact to a double
#define RIGID_SCALE_TOLERANCE 1e-4

const struct rigid rigid_identity = {.rotation = {1, 0, 0, 0}};

// --- vectors and quaternions ---

static void
cross(const double *a, const double *b, double *ret_product)
{
    const double product[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                               a[0] * b[1] - a[1] * b[0]};
    memcpy(ret_product, product, sizeof product);
}

static double
norm(const double *vector)
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

static void
multiply(const double *a, const double *b, double *ret_product)
{
    const double product[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    };
    memcpy(ret_product, product, sizeof product);
}

// Of quaternions that are nearly normal: nothing can overflow.
static void
normalise(double *quaternion)
{
    double size = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                       quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
    for (int i = 0; i < 4; i++)
        quaternion[i] /= size;
}

// v + 2 w (q x v) + 2 q x (q x v)
static void
rotate(const double *quaternion, const double *vector, double *ret_rotated)
{
    double once[3], twice[3], rotated[3];
    cross(quaternion + 1, vector, once);
    cross(quaternion + 1, once, twice);
    for (int i = 0; i < 3; i++)
        rotated[i] = vector[i] + 2 * (quaternion[0] * once[i] + twice[i]);
    memcpy(ret_rotated, rotated, sizeof rotated);
}

// --- the group ---

struct rigid
rigid_compose(const struct rigid *outer, const struct rigid *inner)
{
    struct rigid product;
    multiply(outer->rotation, inner->rotation, product.rotation);
    normalise(product.rotation);
    rigid_apply(outer, inner->translation, product.translation);
    return product;
}

struct rigid
rigid_invert(const struct rigid *self)
{
    struct rigid inverse = {.rotation = {self->rotation[0], -self->rotation[1], -self->rotation[2],
                                         -self->rotation[3]}};
    rotate(inverse.rotation, self->translation, inverse.translation);
    for (int i = 0; i < 3; i++)
        inverse.translation[i] = -inverse.translation[i];
    return inverse;
}

struct rigid
rigid_between(const struct rigid *from, const struct rigid *to)
{
    struct rigid back = rigid_invert(from);
    return rigid_compose(to, &back);
}

void
rigid_apply(const struct rigid *self, const double *point, double *ret_point)
{
    double rotated[3];
    rotate(self->rotation, point, rotated);
    for (int i = 0; i < 3; i++)
        ret_point[i] = rotated[i] + self->translation[i];
}

// --- twists ---

// v + a (w x v) + b (w x (w x v)): what the maps between translations and twists have in common.
static void
bend(const double *vector, const double *rotation, double a, double b, double *ret_bent)
{
    double once[3], twice[3], bent[3];
    cross(rotation, vector, once);
    cross(rotation, once, twice);
    for (int i = 0; i < 3; i++)
        bent[i] = vector[i] + a * once[i] + b * twice[i];
    memcpy(ret_bent, bent, sizeof bent);
}

static void
rotation_vector(const double *quaternion, double *ret_vector)
{
    // q and -q are one rotation; the shorter way is that of the positive w.
    double sign = quaternion[0] < 0 ? -1 : 1, sine = norm(quaternion + 1);
    double angle = 2 * atan2(sine, sign * quaternion[0]);
    double factor = sine < SMALL_ANGLE ? 2 / (sign * quaternion[0]) : angle / sine;
    if (sine < SMALL_ANGLE) // atan(x) / x = 1 - x^2 / 3
        factor *= 1 - sine * sine / (3 * quaternion[0] * quaternion[0]);
    for (int i = 0; i < 3; i++)
        ret_vector[i] = sign * factor * quaternion[i + 1];
}

void
rigid_log(const struct rigid *self, double *ret_twist)
{
    double rotation[3];
    rotation_vector(self->rotation, rotation);
    double angle = norm(rotation), squared = angle * angle;
    double b =
        angle < SMALL_ANGLE ? 1.0 / 12 + squared / 720 : (1 - angle / 2 / tan(angle / 2)) / squared;
    bend(self->translation, rotation, -0.5, b, ret_twist);
    memcpy(ret_twist + 3, rotation, sizeof rotation);
}

struct rigid
rigid_exp(const double *twist)
{
    const double *rotation = twist + 3;
    struct rigid motion;
    double angle = norm(rotation), squared = angle * angle;
    bool is_small = angle < SMALL_ANGLE;
    double half = is_small ? 0.5 - squared / 48 : sin(angle / 2) / angle;
    motion.rotation[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        motion.rotation[i + 1] = half * rotation[i];
    normalise(motion.rotation);
    double a = 2 * half * half; // (1 - cos) / angle^2, but nothing is lost where cos is near 1
    double b = is_small ? 1.0 / 6 - squared / 120 : (angle - sin(angle)) / (squared * angle);
    bend(twist, rotation, a, b, motion.translation);
    return motion;
}

void
rigid_difference(const struct rigid *a, const struct rigid *b, double *ret_distance_m,
                 double *ret_angle_rad)
{
    const double apart[3] = {a->translation[0] - b->translation[0],
                             a->translation[1] - b->translation[1],
                             a->translation[2] - b->translation[2]};
    struct rigid between = rigid_between(a, b);
    double rotation[3];
    rotation_vector(between.rotation, rotation);
    *ret_distance_m = norm(apart);
    *ret_angle_rad = norm(rotation);
}

// --- covariances ---

void
rigid_adjoint(const struct rigid *self, double *ret_adjoint)
{
    double rotation[9];
    rotation_of_quaternion(self->rotation, rotation);
    memset(ret_adjoint, 0, 36 * sizeof *ret_adjoint);
    for (int column = 0; column < 3; column++) {
        const double axis[3] = {rotation[column], rotation[3 + column], rotation[6 + column]};
        double lever[3];
        cross(self->translation, axis, lever);
        for (int row = 0; row < 3; row++) {
            ret_adjoint[row * 6 + column] = axis[row];
            ret_adjoint[row * 6 + column + 3] = lever[row];
            ret_adjoint[(row + 3) * 6 + column + 3] = axis[row];
        }
    }
}

// R C R^T of a 3x3 block whose rows are six numbers apart.
static void
turn_block(const double *rotation, const double *block, double ret_turned[3][3])
{
    double half[3][3];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            half[row][column] = rotation[row * 3] * block[column] +
                                rotation[row * 3 + 1] * block[6 + column] +
                                rotation[row * 3 + 2] * block[12 + column];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            ret_turned[row][column] = half[row][0] * rotation[column * 3] +
                                      half[row][1] * rotation[column * 3 + 1] +
                                      half[row][2] * rotation[column * 3 + 2];
}

// [lever]x C^T: each row of the block crossed with the lever becomes a column.
static void
lever_transposed(const double *lever, double block[3][3], double ret_product[3][3])
{
    for (int column = 0; column < 3; column++) {
        double crossed[3];
        cross(lever, block[column], crossed);
        for (int row = 0; row < 3; row++)
            ret_product[row][column] = crossed[row];
    }
}

// The adjoint turns both halves of a twist, and then adds the lever. Of the blocks T of
// translations, X of both and R of rotations, as turned, with L = [t]x: X becomes X' = X + L R, and
// T becomes T + L X^T + X' L^T.
void
rigid_carry_covariance(const struct rigid *self, const double *covariance, double *ret_covariance)
{
    double rotation[9], t[3][3], x[3][3], r[3][3], lr[3][3], lx[3][3], lx_new[3][3];
    rotation_of_quaternion(self->rotation, rotation);
    turn_block(rotation, covariance, t);
    turn_block(rotation, covariance + 3, x);
    turn_block(rotation, covariance + 21, r);
    lever_transposed(self->translation, r, lr);
    lever_transposed(self->translation, x, lx);
    for (int i = 0; i < 9; i++)
        x[i / 3][i % 3] += lr[i / 3][i % 3];
    lever_transposed(self->translation, x, lx_new);
    for (int i = 0; i < 9; i++)
        t[i / 3][i % 3] += lx[i / 3][i % 3] + lx_new[i % 3][i / 3];
    for (int row = 0; row < 3; row++) // rounding must not make it lopsided
        for (int column = 0; column < 3; column++) {
            ret_covariance[row * 6 + column] = (t[row][column] + t[column][row]) / 2;
            ret_covariance[row * 6 + column + 3] = x[row][column];
            ret_covariance[(column + 3) * 6 + row] = x[row][column];
            ret_covariance[(row + 3) * 6 + column + 3] = (r[row][column] + r[column][row]) / 2;
        }
}

// A twist moves the point by v + w x p: seen from there it is a twist without the lever.
void
rigid_sigmas_at(const double *covariance, const double *point, double *ret_sigma_t_m,
                double *ret_sigma_r_rad)
{
    double there[36], variance_t = 0, variance_r = 0;
    struct rigid shift = rigid_identity;
    for (int i = 0; i < 3; i++)
        shift.translation[i] = -point[i];
    rigid_carry_covariance(&shift, covariance, there);
    for (int i = 0; i < 3; i++) {
        variance_t += there[i * 7] / 3;
        variance_r += there[21 + i * 7] / 3;
    }
    *ret_sigma_t_m = sqrt(fmax(variance_t, 0));
    *ret_sigma_r_rad = sqrt(fmax(variance_r, 0));
}

// --- other forms ---

struct rigid
rigid_of_device_pose(const double *translation, const double *euler)
{
    struct rigid motion;
    double rotation[9];
    rotation_of_device_euler(euler, rotation);
    quaternion_of_rotation(rotation, motion.rotation);
    memcpy(motion.translation, translation, sizeof motion.translation);
    return motion;
}

void
rigid_to_device_pose(const struct rigid *self, double *ret_translation, double *ret_euler)
{
    double rotation[9];
    rotation_of_quaternion(self->rotation, rotation);
    rotation_to_device_euler(rotation, ret_euler);
    memcpy(ret_translation, self->translation, sizeof self->translation);
}

void
rigid_to_matrix(const struct rigid *self, double *ret_matrix)
{
    const struct transform_parts parts = {.translation = self->translation,
                                          .quaternion = self->rotation};
    transform_compose(&parts, NULL, ret_matrix);
}

bool
rigid_of_matrix(const double *matrix, struct rigid *ret_motion)
{
    double translation[3], rotation[9], scale[3];
    for (int i = 0; i < 16; i++)
        if (!isfinite(matrix[i]))
            return false;
    if (!transform_decompose(matrix, translation, rotation, scale))
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(scale[i] - 1) > RIGID_SCALE_TOLERANCE)
            return false;
    memcpy(ret_motion->translation, translation, sizeof translation);
    quaternion_of_rotation(rotation, ret_motion->rotation);
    return true;
}
