// normal_order_test.c - when an order of elimination serves again, and when another one is found.
#include <criterion/criterion.h>

#include "actors/alignment/solver/normal_equations.h"

enum { WIDTH = 60, NODES = WIDTH * WIDTH, PAIRS = 2 * WIDTH * (WIDTH - 1) };

// A square of nodes, each with the next ones. Returns how many pairs.
static size_t
list_square(struct normal_pair *pairs)
{
    size_t count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        if (i % WIDTH + 1 < WIDTH)
            pairs[count++] = (struct normal_pair){i, i + 1};
        if (i + WIDTH < NODES)
            pairs[count++] = (struct normal_pair){i, i + WIDTH};
    }
    return count;
}

// Dissection takes effort.
static double
effort_of_order(const struct normal_pair *pairs, size_t count, struct normal_order *order)
{
    struct effort effort = {.left = 1e9};
    normal_equations_t *self = normal_equations_create(NODES, pairs, count, order, &effort);
    normal_equations_destroy(&self);
    return 1e9 - effort.left;
}

Test(normal_order, one_more_pair_is_eliminated_in_the_order_of_before)
{
    static struct normal_pair pairs[PAIRS + 1];
    struct normal_order order = {0};
    size_t count = list_square(pairs);
    cr_assert_gt(effort_of_order(pairs, count, &order), 0);
    cr_assert_eq(order.node_count, NODES);
    pairs[count++] = (struct normal_pair){0, WIDTH + 1};
    cr_assert_eq(effort_of_order(pairs, count, &order), 0);
    cr_assert_gt(effort_of_order(pairs, count, NULL), 0);
    normal_order_finish(&order);
}

Test(normal_order, an_order_that_saves_too_little_is_found_anew)
{
    static struct normal_pair pairs[PAIRS + WIDTH];
    struct normal_order order = {0};
    size_t count = list_square(pairs);
    effort_of_order(pairs, count, &order);
    double operations = order.operations;
    for (uint32_t i = 0; i < WIDTH; i++) // each node of a side with one of the other side
        pairs[count++] = (struct normal_pair){i, NODES - WIDTH + i * 7 % WIDTH};
    cr_assert_gt(effort_of_order(pairs, count, &order), 0);
    cr_assert_gt(order.operations, operations);
    normal_order_finish(&order);
}
