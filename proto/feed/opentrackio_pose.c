// opentrackio_pose.c - pan, tilt, roll and matrices (opentrackio_pose.h).
#include "proto/feed/opentrackio_pose.h"

#include <math.h>
#include <string.h>

#include "proto/spatial/convention.h"
#include "proto/spatial/euler.h"
#include "proto/spatial/transform.h"

static const struct euler_order pan_tilt_roll = {"ZXY", {2, 0, 1}};

#define DEGREE (M_PI / 180)

static void
multiply(const double *left, const double *right, double ret_product[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += left[row * 4 + i] * right[i * 4 + column];
            ret_product[row * 4 + column] = sum;
        }
}

void
opentrackio_pose_apply(const struct opentrackio_pose *self, double matrix[16])
{
    double radians[3], rotation[9], step[16], product[16];
    for (int i = 0; i < 3; i++)
        radians[i] = fmod(self->rotation[i], 360) * DEGREE;
    const double euler[3] = {radians[1], radians[2], radians[0]}; // about x, y, z
    euler_to_rotation(&pan_tilt_roll, euler, rotation);
    transform_identity(step);
    for (int row = 0; row < 3; row++) {
        memcpy(step + row * 4, rotation + row * 3, 3 * sizeof *rotation);
        step[row * 4 + 3] = self->translation[row];
    }
    multiply(matrix, step, product);
    memcpy(matrix, product, sizeof product);
}

void
opentrackio_pose_to_scene(double matrix[16])
{
    convention_turn(convention_named("enu"), CONVENTION_IN, AXES_MATRIX, matrix);
}

bool
opentrackio_pose_of(const double matrix[16], struct opentrackio_pose *ret_pose)
{
    double turned[16], rotation[9], euler[3];
    memcpy(turned, matrix, sizeof turned);
    convention_turn(convention_named("enu"), CONVENTION_OUT, AXES_MATRIX, turned);
    if (!transform_decompose(turned, ret_pose->translation, rotation, ret_pose->scale))
        return false;
    euler_of_rotation(&pan_tilt_roll, rotation, euler);
    const double degrees[3] = {euler[2] / DEGREE, euler[0] / DEGREE, euler[1] / DEGREE};
    memcpy(ret_pose->rotation, degrees, sizeof degrees);
    return true;
}
