// bvh_test.c - motion capture becomes walks of its joints.
#include "tools/cli/bvh.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

#define CAPTURE "/usr/share/assimp/models/BVH/01_01.bvh" // Debian's assimp-testmodels

static struct temporary directory;
static char path[TEMPORARY_PATH_BYTES];
static struct trajectory walk;
static double rate;

static void
begin(void)
{
    temporary_init(&directory);
    temporary_path(&directory, "walk.bvh", path);
    walk = (struct trajectory){0};
}

static void
end(void)
{
    trajectory_finish(&walk);
    temporary_finish(&directory);
}

TestSuite(bvh, .init = begin, .fini = end);

static enum error
read_text(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    cr_assert_eq(fclose(file), 0);
    return bvh_read(path, 0.5, &walk, &rate);
}

#define ARM(channels)                                                                              \
    "HIERARCHY\nROOT Shoulder\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition "                 \
    "Zposition " channels                                                                          \
    "\n JOINT Elbow\n {\n OFFSET 2 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n"               \
    " JOINT Hand { OFFSET 4 0 0 CHANNELS 0 End Site { OFFSET 1 0 0 } } }\n}\n"                     \
    "MOTION\nFrames: 1\nFrame Time: 0.008\n"

static void
expect_at(size_t row, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    for (int axis = 0; axis < 3; axis++)
        cr_expect_float_eq(walk.rows[row].position[axis], expected[axis], 1e-12, "row %zu axis %d",
                           row, axis);
}

Test(bvh, every_joint_but_the_ends_is_a_thing)
{
    cr_assert_eq(read_text(ARM("Zrotation Xrotation Yrotation") "0 0 0 0 0 0 0 0 0"), OK);
    cr_assert_eq(walk.id_count, 3);
    cr_expect_str_eq(walk.ids[0], "Shoulder");
    cr_expect_str_eq(walk.ids[1], "Elbow");
    cr_expect_str_eq(walk.ids[2], "Hand");
    cr_assert_eq(walk.row_count, 3);
    cr_expect_float_eq(rate, 125, 1e-9);
}

Test(bvh, joints_hang_on_their_parents_and_are_scaled)
{
    cr_assert_eq(read_text(ARM("Zrotation Xrotation Yrotation") "10 20 30 0 0 0 0 0 0"), OK);
    expect_at(0, 5, 10, 15);
    expect_at(1, 6, 10, 15);
    expect_at(2, 8, 10, 15);
}

Test(bvh, joints_turn_what_hangs_on_them)
{
    cr_assert_eq(read_text(ARM("Zrotation Xrotation Yrotation") "0 0 0 90 0 0 90 0 0"), OK);
    expect_at(0, 0, 0, 0);
    expect_at(1, 0, 1, 0);
    expect_at(2, -2, 1, 0);
}

Test(bvh, turns_are_about_axes_that_turned_before)
{
    cr_assert_eq(read_text(ARM("Zrotation Xrotation Yrotation") "0 0 0 90 0 90 0 0 0"), OK);
    expect_at(1, 0, 0, -1); // x, turned about z and the y that z turned: R = Rz * Ry
    trajectory_finish(&walk);
    cr_assert_eq(read_text(ARM("Yrotation Xrotation Zrotation") "0 0 0 90 0 90 0 0 0"), OK);
    expect_at(1, 0, 1, 0); // R = Ry * Rz
}

Test(bvh, frames_are_in_order)
{
    cr_assert_eq(read_text("HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Xposition } MOTION "
                           "Frames: 3 Frame Time: 0.5 2 4 6"),
                 OK);
    cr_assert_eq(walk.row_count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(walk.rows[i].frame, (double)i);
        expect_at(i, (double)i + 1, 0, 0);
    }
    cr_expect_eq(rate, 2);
}

// Wrong files, and the reasons for which they are refused.
struct wrong {
    const char *text;
    enum error error;
    const char *detail;
};

#define ROOT "HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Xposition } "

static const struct wrong wrongs[] = {
    {"", ERR_MALFORMED, "it does not begin with HIERARCHY"},
    {"HIERARCHY", ERR_MALFORMED, "it has no ROOT"},
    {"HIERARCHY ROOT r OFFSET", ERR_MALFORMED, "a joint does not begin with {"},
    {"HIERARCHY ROOT", ERR_MALFORMED, "a joint has no name, or one that is too long"},
    {"HIERARCHY ROOT r { OFFSET 0 x 0", ERR_MALFORMED, "it has a word that must be a number"},
    {"HIERARCHY ROOT r { OFFSET 0 0", ERR_MALFORMED, "it ends too early"},
    {"HIERARCHY ROOT r { CHANNELS 1e9", ERR_MALFORMED, "a joint has at most six channels"},
    {"HIERARCHY ROOT r { CHANNELS 1 Wposition", ERR_MALFORMED, "it has an unknown channel"},
    {"HIERARCHY ROOT r { SIZE", ERR_MALFORMED,
     "a joint has OFFSET, CHANNELS, JOINT, End Site and }"},
    {"HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Xposition", ERR_MALFORMED,
     "a joint has OFFSET, CHANNELS, JOINT, End Site and }"},
    {ROOT "ROOT", ERR_MALFORMED, "no MOTION follows the hierarchy, which has one ROOT"},
    {ROOT "MOTION Frames: 2 Frame Time: 1 5", ERR_MALFORMED, "it ends too early"},
    {ROOT "MOTION Frames: 1 Frame Time: 1 nan", ERR_MALFORMED,
     "it has a word that must be a number"},
    {ROOT "MOTION Frames: 1e12 Frame Time: 1", ERR_INVALID, "there are no frames in it"},
    {ROOT "MOTION Frames: 4e9 Frame Time: 1", ERR_MALFORMED, "it has too many frames"},
    {ROOT "MOTION Frames: 0 Frame Time: 1", ERR_INVALID, "there are no frames in it"},
    {"HIERARCHY ROOT r { } MOTION Frames: 1 Frame Time: 1", ERR_MALFORMED,
     "no joint has a channel"},
};

Test(bvh, what_is_no_capture_is_refused_with_its_reason)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char expected[TEMPORARY_PATH_BYTES + 128];
        snprintf(expected, sizeof expected, "%s: %s", path, wrongs[i].detail);
        cr_expect_eq(read_text(wrongs[i].text), wrongs[i].error, "row %zu", i);
        cr_expect_str_eq(fault_last()->detail, expected);
    }
}

Test(bvh, a_file_that_is_not_there_is_an_error)
{
    cr_expect_eq(bvh_read("/nonexistent.bvh", 1, &walk, &rate), ERR_UNAVAILABLE);
}

// Of the thirty-one joints of the capture: the bones keep their lengths while the body moves.
Test(bvh, bones_of_a_real_capture_keep_their_lengths)
{
    if (access(CAPTURE, R_OK) != 0) {
        cr_log_warn("skipped: " CAPTURE " is absent");
        return;
    }
    cr_assert_eq(bvh_read(CAPTURE, 1, &walk, &rate), OK);
    cr_assert_eq(walk.id_count, 31);
    cr_assert_eq(walk.row_count, 31 * 2752);
    cr_expect_float_eq(rate, 120, 0.01);
    cr_assert_str_eq(walk.ids[2], "LeftUpLeg");
    cr_assert_str_eq(walk.ids[3], "LeftLeg");
    double length = hypot(hypot(2.44811, -6.72613), 0);
    for (size_t i = 0; i < walk.row_count; i += 31) {
        const double *hip = walk.rows[i + 2].position, *knee = walk.rows[i + 3].position;
        cr_assert_float_eq(hypot(hypot(hip[0] - knee[0], hip[1] - knee[1]), hip[2] - knee[2]),
                           length, 1e-9);
    }
    cr_expect_float_eq(walk.rows[31].position[0], 9.3722, 1e-9);
}
