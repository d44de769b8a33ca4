// factor_change_test.c - a small system whose answers with another tie are known beforehand.
#include "actors/alignment/solver/factor_change.h"

#include <criterion/criterion.h>

#include "actors/alignment/solver/normal_equations.h"

enum { SIZE = 36 };

static double none[SIZE], unit[SIZE], minus_unit[SIZE];
static normal_equations_t *chain;
static struct factor_view view;

// Node 0 is tied to the origin with weight 4, node 1 to node 0 with weight 1.
static void
begin(void)
{
    const struct normal_pair pairs[] = {{NORMAL_FIXED, 0}, {0, 1}};
    double four[SIZE] = {0};
    for (int i = 0; i < SIZE; i += 7) {
        unit[i] = 1;
        minus_unit[i] = -1;
        four[i] = 4;
    }
    chain = normal_equations_create(2, pairs, 2, NULL, NULL);
    normal_equations_add(chain, 0, none, none, four);
    normal_equations_add(chain, 1, unit, minus_unit, unit);
    cr_assert(normal_equations_factor(chain, 0, NULL));
    view = normal_equations_view(chain);
}

static void
end(void)
{
    normal_equations_destroy(&chain);
}

TestSuite(factor_change, .init = begin, .fini = end);

static struct factor_pair
tie(uint32_t a, uint32_t b, double weight)
{
    struct factor_pair pair = {.a = a, .b = b};
    for (int i = 0; i < SIZE; i++) {
        pair.jacobian_a[i] = unit[i];
        pair.jacobian_b[i] = minus_unit[i];
        pair.weight[i] = weight * unit[i];
    }
    return pair;
}

static void
expect_variance(const factor_change_t *change, uint32_t node, double expected)
{
    double covariance[SIZE];
    struct factor_columns columns;
    factor_columns_find(&view, node, unit, NORMAL_FIXED, none, &columns);
    factor_columns_covariance(&columns, &view, covariance);
    factor_change_covariance(change, &columns, covariance);
    for (int i = 0; i < SIZE; i++)
        cr_expect_float_eq(covariance[i], expected * unit[i], 1e-12);
    factor_columns_finish(&columns);
}

// The variance of node 1 is 1/4 + 1; a tie of 3 to the origin adds 3 to what it is one over.
Test(factor_change, a_tie_that_came_makes_variances_smaller)
{
    struct factor_pair pair = tie(NORMAL_FIXED, 1, 3);
    factor_change_t *change = factor_change_create(&view, &pair, 1);
    expect_variance(change, 1, 1 / (1 / 1.25 + 3));
    factor_change_destroy(&change);
    cr_expect_null(change);
}

Test(factor_change, a_tie_that_weighs_less_makes_variances_larger)
{
    struct factor_pair pair = tie(0, 1, -0.5);
    factor_change_t *change = factor_change_create(&view, &pair, 1);
    expect_variance(change, 0, 1.0 / 4);
    expect_variance(change, 1, 1.0 / 4 + 2);
    factor_change_destroy(&change);
}

Test(factor_change, changes_of_several_pairs_add)
{
    const struct factor_pair pairs[] = {tie(0, 1, -0.5), tie(NORMAL_FIXED, 1, 3)};
    factor_change_t *change = factor_change_create(&view, pairs, 2);
    expect_variance(change, 1, 1 / (1 / 2.25 + 3));
    factor_change_destroy(&change);
}

Test(factor_change, without_what_ties_it_to_the_origin_nothing_is_known)
{
    struct factor_pair pair = tie(NORMAL_FIXED, 0, -4);
    cr_expect_null(factor_change_create(&view, &pair, 1));
}

// L y' = r with the changes: then L^-T D^-1 y' solves the changed matrix. In each axis M is
// [[4 + 1, -1], [-1, 1 + 3]], and r = (3, 3) = M (15/19, 18/19).
Test(factor_change, steps_are_those_of_the_changed_matrix)
{
    struct factor_pair pair = tie(NORMAL_FIXED, 1, 3);
    factor_change_t *change = factor_change_create(&view, &pair, 1);
    cholmod_common common;
    sparse_start(&common);
    cholmod_dense *side = sparse_functions()->zeros(12, 1, CHOLMOD_REAL, &common);
    for (int i = 0; i < 12; i++)
        ((double *)side->x)[i] = 3;
    cholmod_dense *half = sparse_functions()->solve(CHOLMOD_L, view.factor, side, &common);
    factor_change_apply(change, half->x);
    cholmod_dense *steps = sparse_functions()->solve(CHOLMOD_DLt, view.factor, half, &common);
    for (int i = 0; i < 6; i++) {
        cr_expect_float_eq(((double *)steps->x)[view.positions[i]], 15.0 / 19, 1e-12);
        cr_expect_float_eq(((double *)steps->x)[view.positions[6 + i]], 18.0 / 19, 1e-12);
    }
    sparse_functions()->free_dense(&side, &common);
    sparse_functions()->free_dense(&half, &common);
    sparse_functions()->free_dense(&steps, &common);
    sparse_functions()->finish(&common);
    factor_change_destroy(&change);
}
