// noise_model_test.c - how noisy corrections are, by what their residuals say.
#include "actors/alignment/solver/noise_model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/worlds.h"

enum { MOST = 4000, NOTHING = 0, PHONE = 7, LASER = 9 };

static struct observation items[MOST];
static struct observations observations;
static const struct rigid poses[2] = {{.rotation = {1, 0, 0, 0}}, {.rotation = {1, 0, 0, 0}}};
static struct random chance;
static struct noise_model model;

static void
begin(void)
{
    observations = (struct observations){.items = items};
    chance = (struct random){3};
}

static void
end(void)
{
    free(observations.links);
    noise_model_finish(&model);
}

TestSuite(noise_model, .init = begin, .fini = end);

// Observations that claim 5 cm and 0.02 rad; their noise is so many times larger.
static void
observe(size_t count, uint64_t method, uint32_t lag, double times_t, double times_r)
{
    for (size_t i = 0; i < count; i++) {
        double twist[6];
        for (int k = 0; k < 6; k++)
            twist[k] = random_normal(&chance, k < 3 ? 0.05 * times_t : 0.02 * times_r);
        items[observations.count++] = (struct observation){.b = 1,
                                                           .motion = rigid_exp(twist),
                                                           .stand = rigid_identity,
                                                           .claimed = {0.0025, 0.0004},
                                                           .method = method,
                                                           .lag = lag,
                                                           .weight = 1,
                                                           .is_accepted = true};
    }
}

static bool
estimate(void)
{
    observations_index(&observations);
    return noise_model_estimate(&model, &observations, 2, poses, NULL);
}

static void
expect_factors(uint64_t method, uint32_t lag, double translation, double rotation)
{
    double factors[2];
    noise_model_factors(&model, method, lag, factors);
    cr_assert_float_eq(factors[0], translation, 0.2 * translation, "%.3f", factors[0]);
    cr_assert_float_eq(factors[1], rotation, 0.2 * rotation, "%.3f", factors[1]);
}

Test(noise_model, claims_that_hold_stay)
{
    observe(500, NOTHING, 1, 1, 1);
    cr_assert_not(estimate());
    expect_factors(NOTHING, 1, 1, 1);
    cr_assert_eq(noise_model_drift(&model, NOTHING, 0), 0);
    cr_assert_eq(noise_model_noise(&model, NOTHING, 1), 1);
}

Test(noise_model, each_method_has_factors_of_its_own)
{
    observe(500, PHONE, 1, 3, 1);
    observe(500, LASER, 1, 1, 2);
    cr_assert(estimate());
    expect_factors(PHONE, 1, 9, 1);
    expect_factors(LASER, 1, 1, 4);
    expect_factors(NOTHING, 1, 1, 1);
    cr_assert_float_eq(noise_model_factor(&model, PHONE), sqrt(5), 0.2);
}

Test(noise_model, noise_that_grows_by_each_step_is_drift)
{
    for (uint32_t lag = 1; lag <= 4; lag++)
        observe(400, PHONE, lag, sqrt(lag * 2), sqrt(lag * 2));
    estimate();
    expect_factors(PHONE, 1, 2, 2);
    expect_factors(PHONE, 4, 8, 8);
    expect_factors(PHONE, 40, 80, 80);
    cr_assert_lt(noise_model_noise(&model, PHONE, 0), 0.4);
}

Test(noise_model, noise_and_drift_are_told_apart)
{
    for (uint32_t lag = 1; lag <= 4; lag++)
        observe(1000, PHONE, lag, sqrt(1 + lag * 2), sqrt(3 + lag));
    estimate();
    cr_assert_float_eq(noise_model_noise(&model, PHONE, 0), 1, 0.4);
    cr_assert_float_eq(noise_model_drift(&model, PHONE, 0), 2, 0.3);
    cr_assert_float_eq(noise_model_noise(&model, PHONE, 1), 3, 0.6);
    cr_assert_float_eq(noise_model_drift(&model, PHONE, 1), 1, 0.3);
}

Test(noise_model, few_residuals_say_little)
{
    observe(22, PHONE, 1, 3, 3);
    observe(100, LASER, 1, 1, 1);
    estimate();
    double factors[2];
    noise_model_factors(&model, PHONE, 1, factors);
    cr_assert_lt(factors[0], 9);
    observations.count = 10;
    cr_assert(estimate(), "back to the claims");
    expect_factors(PHONE, 1, 1, 1);
}

Test(noise_model, wrong_corrections_do_not_change_it)
{
    observe(500, PHONE, 1, 1, 1);
    observe(50, PHONE, 1, 40, 40);
    for (size_t i = 500; i < 550; i++)
        items[i].is_accepted = false;
    cr_assert_not(estimate());
}

Test(noise_model, exact_corrections_are_not_taken_for_more_exact_than_they_claim)
{
    observe(500, PHONE, 1, 0, 0);
    cr_assert_not(estimate());
    expect_factors(PHONE, 1, 1, 1);
}

Test(noise_model, what_many_reject_tells_of_noise_too)
{
    observe(500, PHONE, 1, 5, 5);
    for (size_t i = 0; i < 300; i++)
        items[i].is_accepted = false;
    cr_assert(estimate());
    expect_factors(PHONE, 1, 25, 25);
}
