// demo_paths_test.c - who walks in the demo walks smoothly, looks ahead, and meets nobody.
#include "tools/cli/demo_paths.h"

#include <criterion/criterion.h>
#include <math.h>

#define STEP_S 0.05

static double
apart(struct demo_place one, struct demo_place other)
{
    return hypot(one.x - other.x, one.z - other.z);
}

static void
expect_apart(size_t people, double time_s)
{
    for (size_t one = 0; one < people; one++)
        for (size_t other = 0; other < one; other++)
            cr_assert_geq(apart(demo_walk(people, one, time_s), demo_walk(people, other, time_s)),
                          0.8, "%zu and %zu of %zu at %f", one, other, people, time_s);
}

Test(demo_paths, nobody_comes_nearer_than_80_cm_to_another)
{
    static const size_t crowds[] = {1, 2, 5, 20, 100};
    for (size_t i = 0; i < sizeof crowds / sizeof crowds[0]; i++)
        for (double time_s = 0; time_s < 60; time_s += 0.5)
            expect_apart(crowds[i], time_s);
    expect_apart(500, 1.8e9);
}

Test(demo_paths, all_walk_between_60_cm_and_3_m_a_second)
{
    for (size_t person = 0; person < 20; person++)
        for (double time_s = 0; time_s < 60; time_s += STEP_S) {
            double speed =
                apart(demo_walk(20, person, time_s), demo_walk(20, person, time_s + STEP_S)) /
                STEP_S;
            cr_assert(speed > 0.6 && speed < 3, "%zu at %f: %f", person, time_s, speed);
        }
}

Test(demo_paths, all_look_where_they_go)
{
    for (size_t person = 0; person < 20; person++) {
        struct demo_place now = demo_walk(20, person, 7), then = demo_walk(20, person, 7.01);
        double way = apart(now, then);
        cr_expect_float_eq(-sin(now.turn_rad), (then.x - now.x) / way, 0.02);
        cr_expect_float_eq(-cos(now.turn_rad), (then.z - now.z) / way, 0.02);
    }
}

Test(demo_paths, nobody_leaves_the_plaza)
{
    for (size_t person = 0; person < 50; person++)
        for (double time_s = 0; time_s < 60; time_s += 0.5) {
            struct demo_place place = demo_walk(50, person, time_s);
            cr_assert_leq(hypot(place.x, place.z), demo_walk_reach(50));
        }
}

Test(demo_paths, a_place_is_upright_on_the_ground)
{
    double matrix[16];
    const struct demo_place place = {2, 3, M_PI / 2};
    const double expected[16] = {0, 0, 1, 2, 0, 1, 0, 0, -1, 0, 0, 3, 0, 0, 0, 1};
    demo_place_matrix(&place, matrix);
    for (size_t i = 0; i < 16; i++)
        cr_expect_float_eq(matrix[i], expected[i], 1e-12, "%zu", i);
}
