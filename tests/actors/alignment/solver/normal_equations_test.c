// normal_equations_test.c - small systems whose solution and covariance are known beforehand.
#include "actors/alignment/solver/normal_equations.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SIZE = 36 };

// A multiple of the identity.
static void
diagonal(double value, double *ret_matrix)
{
    for (int i = 0; i < SIZE; i++)
        ret_matrix[i] = i % 7 == 0 ? value : 0;
}

// Node 0 is tied to the origin with weight 4, node 1 to node 0 with weight 1.
static normal_equations_t *
make_chain(void)
{
    const struct normal_pair pairs[] = {{NORMAL_FIXED, 0}, {0, 1}};
    const double none[6] = {0}, pull[6] = {4, 4, 4, 4, 4, 4};
    double four[SIZE], minus_four[SIZE], one[SIZE], minus_one[SIZE];
    diagonal(4, four);
    diagonal(-4, minus_four);
    diagonal(1, one);
    diagonal(-1, minus_one);
    normal_equations_t *self = normal_equations_create(2, pairs, 2, NULL, NULL);
    normal_equations_add(self, 0, four, minus_four, four);
    normal_equations_add(self, 1, one, minus_one, one);
    normal_equations_pull(self, 0, none, pull);
    return self;
}

Test(normal_equations, a_chain_moves_as_its_first_link_is_pulled)
{
    double steps[12];
    normal_equations_t *self = make_chain();
    cr_assert(normal_equations_factor(self, 0, NULL));
    normal_equations_solve(self, steps);
    for (int i = 0; i < 12; i++)
        cr_assert_float_eq(steps[i], 1, 1e-12);
    normal_equations_destroy(&self);
    cr_assert_null(self);
}

// M = [[5, -1], [-1, 1]], damped by its diagonal: [[10, -1], [-1, 2]] x = [4, 0].
Test(normal_equations, damping_shortens_the_step)
{
    double steps[12];
    normal_equations_t *self = make_chain();
    cr_assert(normal_equations_factor(self, 1, NULL));
    normal_equations_solve(self, steps);
    cr_assert_float_eq(steps[0], 8.0 / 19, 1e-12);
    cr_assert_float_eq(steps[6], 4.0 / 19, 1e-12);
    normal_equations_destroy(&self);
}

Test(normal_equations, variances_of_a_chain_add)
{
    double identity[SIZE], zero[SIZE] = {0}, covariance[SIZE];
    diagonal(1, identity);
    normal_equations_t *self = make_chain();
    cr_assert(normal_equations_factor(self, 0, NULL));
    normal_equations_freeze(self);
    normal_equations_covariance(self, 0, identity, 1, zero, covariance);
    cr_assert_float_eq(covariance[0], 0.25, 1e-12);
    normal_equations_covariance(self, NORMAL_FIXED, identity, 1, identity, covariance);
    cr_assert_float_eq(covariance[7], 1.25, 1e-12);
    cr_assert_float_eq(covariance[1], 0, 1e-12);
    normal_equations_destroy(&self);
}

Test(normal_equations, a_free_node_cannot_be_factored)
{
    double zero[SIZE] = {0};
    const struct normal_pair pair = {NORMAL_FIXED, 0};
    normal_equations_t *self = normal_equations_create(1, &pair, 1, NULL, NULL);
    normal_equations_add(self, 0, zero, zero, zero);
    cr_assert_not(normal_equations_factor(self, 0, NULL));
    normal_equations_destroy(&self);
}

Test(normal_equations, a_cleared_matrix_takes_other_numbers)
{
    double two[SIZE], minus_two[SIZE], steps[6];
    const double none[6] = {0}, pull[6] = {6};
    const struct normal_pair pair = {NORMAL_FIXED, 0};
    diagonal(2, two);
    diagonal(-2, minus_two);
    normal_equations_t *self = normal_equations_create(1, &pair, 1, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        normal_equations_clear(self, true);
        normal_equations_add(self, 0, two, minus_two, two);
        normal_equations_pull(self, 0, none, pull);
    }
    cr_assert(normal_equations_factor(self, 0, NULL));
    normal_equations_solve(self, steps);
    cr_assert_float_eq(steps[0], 3, 1e-12);
    cr_assert_float_eq(steps[1], 0, 1e-12);
    normal_equations_destroy(&self);
}

// The chain takes more than one operation, so that its factor is not begun; and what was begun and
// broken off does not get into the next one.
Test(normal_equations, a_factor_that_takes_too_much_exhausts_the_effort)
{
    double steps[12];
    struct effort effort = {.left = 1};
    normal_equations_t *self = make_chain();
    cr_assert_not(normal_equations_factor(self, 0, &effort));
    cr_assert(effort_is_over(&effort));
    cr_assert(normal_equations_factor(self, 0, NULL));
    normal_equations_solve(self, steps);
    for (int i = 0; i < 12; i++)
        cr_assert_float_eq(steps[i], 1, 1e-12);
    normal_equations_destroy(&self);
}

Test(normal_equations, a_factor_that_was_broken_off_is_made_again)
{
    double steps[12];
    atomic_bool stop = true;
    struct effort effort = {.stop = &stop, .left = 1e9};
    normal_equations_t *self = make_chain();
    cr_assert(normal_equations_factor(self, 0, NULL));
    cr_assert_not(normal_equations_factor(self, 1, &effort));
    atomic_store(&stop, false);
    cr_assert(normal_equations_factor(self, 0, &effort));
    cr_assert_lt(effort.left, 1e9);
    normal_equations_solve(self, steps);
    for (int i = 0; i < 12; i++)
        cr_assert_float_eq(steps[i], 1, 1e-12);
    normal_equations_destroy(&self);
}
