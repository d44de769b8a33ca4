// opentrackio_pose_test.c - matrices of pan, tilt and roll, there and back.
#include "proto/feed/opentrackio_pose.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "proto/spatial/transform.h"

static void
expect_matrix(const double matrix[16], const double expected[16])
{
    for (int i = 0; i < 16; i++)
        cr_expect_float_eq(matrix[i], expected[i], 1e-12, "element %d: %.17g", i, matrix[i]);
}

static void
expect_pose(const struct opentrackio_pose *pose, const double expected[16])
{
    double matrix[16];
    transform_identity(matrix);
    opentrackio_pose_apply(pose, matrix);
    expect_matrix(matrix, expected);
}

Test(opentrackio_pose, pan_turns_about_z_tilt_about_x_and_roll_about_y)
{
    expect_pose(&(struct opentrackio_pose){.rotation = {90, 0, 0}},
                (double[16]){0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    expect_pose(&(struct opentrackio_pose){.rotation = {0, 90, 0}},
                (double[16]){1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1});
    expect_pose(&(struct opentrackio_pose){.rotation = {0, 0, 90}},
                (double[16]){0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1});
}

// A camera that is panned to the left and then tilted up looks up and to the left: the axes turn
// along.
Test(opentrackio_pose, each_angle_turns_about_the_axes_that_the_one_before_left)
{
    expect_pose(&(struct opentrackio_pose){.rotation = {90, 90, 0}},
                (double[16]){0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
}

Test(opentrackio_pose, a_pose_moves_what_was_before_on_its_right)
{
    double matrix[16];
    transform_identity(matrix);
    opentrackio_pose_apply(
        &(struct opentrackio_pose){.translation = {1, 2, 3}, .rotation = {90, 0, 0}}, matrix);
    opentrackio_pose_apply(&(struct opentrackio_pose){.translation = {10, 0, 0}}, matrix);
    expect_matrix(matrix, (double[16]){0, -1, 0, 1, 1, 0, 0, 12, 0, 0, 1, 3, 0, 0, 0, 1});
}

Test(opentrackio_pose, whole_turns_change_nothing)
{
    expect_pose(&(struct opentrackio_pose){.rotation = {360e9 + 90, -720, 1080}},
                (double[16]){0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
}

// Forward is Y for OpenTrackIO and -Z in a scene; up is Z and Y.
Test(opentrackio_pose, forward_and_up_become_those_of_scenes)
{
    double matrix[16] = {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
    opentrackio_pose_to_scene(matrix);
    expect_matrix(matrix, (double[16]){1, 0, 0, 1, 0, 1, 0, 3, 0, 0, 1, -2, 0, 0, 0, 1});
}

Test(opentrackio_pose, the_pose_of_a_matrix_makes_that_matrix)
{
    for (int i = 0; i < 1000; i++) {
        struct opentrackio_pose back,
            pose = {.translation = {i, -i / 7.0, 0.5},
                    .rotation = {i * 37 % 360 - 180, i * 53 % 180 - 90, i * 71 % 360 - 180}};
        double matrix[16], again[16];
        transform_identity(matrix);
        opentrackio_pose_apply(&pose, matrix);
        opentrackio_pose_to_scene(matrix);
        cr_assert(opentrackio_pose_of(matrix, &back));
        transform_identity(again);
        opentrackio_pose_apply(&back, again);
        opentrackio_pose_to_scene(again);
        expect_matrix(again, matrix);
        cr_expect_float_eq(back.scale[0], 1, 1e-12);
    }
}

Test(opentrackio_pose, what_is_sheared_or_singular_has_none)
{
    struct opentrackio_pose pose;
    const double sheared[16] = {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double singular[16] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    cr_expect(!opentrackio_pose_of(sheared, &pose));
    cr_expect(!opentrackio_pose_of(singular, &pose));
}
