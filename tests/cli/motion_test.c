// motion_test.c - steps come in order of time, for every object, at its place.
#include "tools/cli/motion.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

static struct temporary directory;
static char path[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&directory);
    temporary_path(&directory, "walk", path);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert_gt(fputs("a 10 1 0 0\na 12 2 0 0\nb 12 5 0 0\n", file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void
end(void)
{
    temporary_finish(&directory);
}

TestSuite(motion, .init = begin, .fini = end);

static void
expect_step(motion_t *motion, double time_s, uint32_t object, double x)
{
    struct motion_step step;
    cr_assert(motion_next(motion, &step));
    cr_expect_float_eq(step.time_s, time_s, 1e-12);
    cr_expect_eq(step.object, object);
    cr_expect_float_eq(step.position[0], x, 1e-12);
}

Test(motion, circles_are_moved_one_after_the_other)
{
    owned(motion_destroy) motion_t *motion = motion_create_circles(2, 10);
    double first = motion_first(motion, 1)[0];
    cr_assert_eq(motion_objects(motion), 2);
    expect_step(motion, 0, 0, 2);
    expect_step(motion, 0.05, 1, 5 + 2 * cos(2 * M_PI * 0.2 * 0.05 + 1));
    expect_step(motion, 0.1, 0, 2 * cos(2 * M_PI * 0.2 * 0.1));
    cr_expect_float_eq(first, 5 + 2 * cos(1), 1e-12);
}

Test(motion, circles_lie_on_the_ground)
{
    owned(motion_destroy) motion_t *motion = motion_create_circles(1, 10);
    struct motion_step step;
    for (int i = 0; i < 7; i++)
        cr_assert(motion_next(motion, &step));
    cr_expect_eq(step.position[1], 0);
    cr_expect_float_eq(step.position[2], 2 * sin(2 * M_PI * 0.2 * 0.6), 1e-12);
}

Test(motion, copies_of_a_walk_stand_side_by_side)
{
    struct motion_step step;
    owned(motion_destroy) motion_t *motion = NULL;
    cr_assert_eq(motion_create_recorded(path, 1, 16, 2, 2, &motion), OK);
    cr_assert_eq(motion_objects(motion), 4);
    cr_expect_str_eq(motion_name(motion, 3), "b 1");
    cr_expect_float_eq(motion_first(motion, 3)[0], 10, 1e-12);
    expect_step(motion, 0, 0, 1);
    expect_step(motion, 0, 2, 6);
    expect_step(motion, 2.0 / 32, 0, 2);
    expect_step(motion, 2.0 / 32, 2, 7);
    expect_step(motion, 2.0 / 32, 1, 5);
    expect_step(motion, 2.0 / 32, 3, 10);
    cr_expect(!motion_next(motion, &step));
}

Test(motion, without_speed_all_is_at_once)
{
    owned(motion_destroy) motion_t *motion = NULL;
    cr_assert_eq(motion_create_recorded(path, 1, 16, 0, 1, &motion), OK);
    expect_step(motion, 0, 0, 1);
    expect_step(motion, 0, 0, 2);
}

Test(motion, a_file_that_is_none_is_refused)
{
    motion_t *motion = NULL;
    cr_expect_eq(motion_create_recorded("/nonexistent", 1, 16, 1, 1, &motion), ERR_NOT_FOUND);
    cr_expect_eq(motion_create_recorded("/nonexistent.bvh", 1, 16, 1, 1, &motion), ERR_UNAVAILABLE);
    cr_expect_null(motion);
}
