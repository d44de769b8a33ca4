// session_weights_test.c - how much each two corrections of a session count beside the others.
#include "actors/alignment/solver/session_weights.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/worlds.h"

enum { COUNT = 6 };

static struct session_noise items[COUNT];
static double found[COUNT][COUNT]; // above the diagonal

static void
find(void)
{
    for (size_t i = 0; i < COUNT; i++)
        session_weights_find(items, COUNT, i, found[i] + i + 1);
}

static void
set(double noise, double drift)
{
    for (size_t i = 0; i < COUNT; i++)
        items[i] = (struct session_noise){noise, drift};
}

Test(session_weights, without_drift_all_pairs_count_alike)
{
    set(0.25, 0);
    find();
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = i + 1; k < COUNT; k++)
            cr_assert_float_eq(found[i][k], 1 / (COUNT * 0.25), 1e-12);
}

Test(session_weights, where_all_noise_is_drift_those_that_follow_each_other_know_everything)
{
    set(1e-9, 0.5);
    find();
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = i + 1; k < COUNT; k++)
            cr_assert_float_eq(found[i][k], k == i + 1 ? 2 : 0, 1e-6);
}

Test(session_weights, two_corrections_have_the_sum_of_both_noises_and_the_drift)
{
    const struct session_noise two[] = {{.noise = 1, .drift = 2}, {.noise = 5, .drift = 9}};
    double precision;
    session_weights_find(two, 2, 0, &precision);
    cr_assert_float_eq(precision, 1.0 / 8, 1e-15);
}

// The covariance of what each correction says more than the first one: noise of both, and the walk
// as far as both have it.
static double
covariance_of(size_t i, size_t k)
{
    double sum = items[0].noise + (i == k ? items[i].noise : 0);
    for (size_t step = 0; step < (i < k ? i : k); step++)
        sum += items[step].drift;
    return sum;
}

// The inverse by Gauss and Jordan.
static void
invert(double (*m)[2 * COUNT], size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double pivot = m[i][i];
        for (size_t k = 0; k < 2 * size; k++)
            m[i][k] /= pivot;
        for (size_t row = 0; row < size; row++) {
            double factor = m[row][i];
            for (size_t k = 0; k < 2 * size && row != i; k++)
                m[row][k] -= factor * m[i][k];
        }
    }
}

Test(session_weights, the_sum_over_pairs_is_the_least_square_of_the_session)
{
    struct random chance = {11};
    for (int world = 0; world < 100; world++) {
        for (size_t i = 0; i < COUNT; i++)
            items[i] = (struct session_noise){random_between(&chance, 0.01, 4),
                                              random_between(&chance, 0, 4)};
        find();
        double m[COUNT][2 * COUNT] = {{0}};
        for (size_t i = 1; i < COUNT; i++)
            for (size_t k = 1; k < COUNT; k++) {
                m[i - 1][k - 1] = covariance_of(i, k);
                m[i - 1][COUNT - 1 + k - 1] = i == k;
            }
        invert(m, COUNT - 1);
        for (size_t i = 1; i < COUNT; i++)
            for (size_t k = i + 1; k < COUNT; k++)
                cr_assert_float_eq(found[i][k], -m[i - 1][COUNT - 1 + k - 1], 1e-9,
                                   "world %d: %zu, %zu", world, i, k);
    }
}
