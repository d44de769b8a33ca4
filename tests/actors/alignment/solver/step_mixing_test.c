// step_mixing_test.c - steps that each lead by a share of the way, which differs by direction.
#include "actors/alignment/solver/step_mixing.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SIZE = 4 };

static const double shares[SIZE] = {1, 0.8, 0.5, 0.1};

// What is left of the way from 1 to 0 after so many steps.
static double
left_after(int steps, step_mixing_t *mixing)
{
    double at[SIZE] = {1, 1, 1, 1}, largest = 0;
    for (int step = 0; step < steps; step++) {
        double way[SIZE];
        for (int i = 0; i < SIZE; i++)
            way[i] = -shares[i] * at[i];
        if (mixing)
            step_mixing_improve(mixing, way);
        for (int i = 0; i < SIZE; i++)
            at[i] += way[i];
    }
    for (int i = 0; i < SIZE; i++)
        largest = fmax(largest, fabs(at[i]));
    return largest;
}

// Without it the slowest direction has 0.9^5 left.
Test(step_mixing, as_many_steps_as_there_are_shares_lead_to_the_end)
{
    step_mixing_t *mixing = step_mixing_create(SIZE);
    cr_expect_gt(left_after(SIZE + 1, NULL), 0.5);
    cr_expect_lt(left_after(SIZE + 1, mixing), 1e-9);
    step_mixing_destroy(&mixing);
    cr_expect_null(mixing);
}

Test(step_mixing, the_first_step_is_taken_as_it_is)
{
    double step[SIZE] = {1, 2, 3, 4};
    step_mixing_t *mixing = step_mixing_create(SIZE);
    step_mixing_improve(mixing, step);
    for (int i = 0; i < SIZE; i++)
        cr_expect_eq(step[i], i + 1);
    step_mixing_destroy(&mixing);
}

Test(step_mixing, a_step_that_is_asked_for_again_tells_nothing_and_is_taken)
{
    double step[SIZE] = {1, 2, 3, 4};
    step_mixing_t *mixing = step_mixing_create(SIZE);
    step_mixing_improve(mixing, step);
    step_mixing_improve(mixing, step);
    for (int i = 0; i < SIZE; i++)
        cr_expect_eq(step[i], i + 1);
    step_mixing_destroy(&mixing);
}
