// elimination_order_test.c - orders of elimination by nested dissection.
#include "actors/alignment/solver/elimination_order.h"

#include <criterion/criterion.h>
#include <string.h>

enum { WIDTH = 40, NODES = WIDTH * WIDTH, EDGES = 2 * WIDTH * (WIDTH - 1) };

static uint64_t keys[EDGES + NODES];

static uint64_t
key_of(uint64_t a, uint64_t b)
{
    return a << 32 | b;
}

// A square of nodes, each with the next ones; with the keys of the nodes themselves.
static size_t
list_square(void)
{
    size_t count = 0;
    for (uint64_t i = 0; i < NODES; i++) {
        keys[count++] = key_of(i, i);
        if (i % WIDTH + 1 < WIDTH)
            keys[count++] = key_of(i, i + 1);
        if (i + WIDTH < NODES)
            keys[count++] = key_of(i, i + WIDTH);
    }
    return count;
}

Test(elimination_order, each_node_is_eliminated_once)
{
    static int order[NODES];
    static bool is_seen[NODES];
    elimination_order_dissect(NODES, keys, list_square(), 1, NULL, order);
    for (int i = 0; i < NODES; i++) {
        cr_assert(order[i] >= 0 && order[i] < NODES);
        cr_assert_not(is_seen[order[i]]);
        is_seen[order[i]] = true;
    }
}

// A line across the square separates it: its nodes come last, and the rest is in two parts.
Test(elimination_order, what_separates_the_graph_comes_last)
{
    static int order[NODES], place[NODES];
    size_t count = list_square(), parts = 0;
    static int part[NODES];
    elimination_order_dissect(NODES, keys, count, 1, NULL, order);
    for (int i = 0; i < NODES; i++)
        place[order[i]] = i;
    enum { LAST = 2 * WIDTH }; // enough for a line
    for (int i = 0; i < NODES; i++)
        part[i] = i;
    for (int round = 0; round < NODES; round++) {
        bool is_changed = false;
        for (size_t i = 0; i < count; i++) {
            int a = (int)(keys[i] >> 32), b = (int)(uint32_t)keys[i];
            if (place[a] >= NODES - LAST || place[b] >= NODES - LAST || part[a] == part[b])
                continue;
            part[a] = part[b] = part[a] < part[b] ? part[a] : part[b];
            is_changed = true;
        }
        if (!is_changed)
            break;
    }
    for (int i = 0; i < NODES; i++)
        parts += place[i] < NODES - LAST && part[i] == i;
    cr_assert_geq(parts, 2);
}

Test(elimination_order, the_same_graph_has_the_same_order)
{
    static int one[NODES], other[NODES];
    size_t count = list_square();
    elimination_order_dissect(NODES, keys, count, 20, NULL, one);
    elimination_order_dissect(NODES, keys, count, 20, NULL, other);
    cr_assert_eq(memcmp(one, other, sizeof one), 0);
}

// The first separator takes what there is.
Test(elimination_order, what_is_broken_off_orders_nothing)
{
    int order[NODES] = {[0] = -1};
    atomic_bool stop = false;
    struct effort effort = {.stop = &stop, .left = 2e6};
    size_t count = list_square();
    cr_assert_not(elimination_order_dissect(NODES, keys, count, 20, &effort, order));
    cr_assert(effort_is_over(&effort));
    cr_assert_eq(order[0], -1);
    effort.left = 1e9;
    atomic_store(&stop, true);
    cr_assert_not(elimination_order_dissect(NODES, keys, count, 20, &effort, order));
    cr_assert_eq(order[0], -1);
}

Test(elimination_order, nodes_without_edges_are_all_there)
{
    int order[3] = {-1, -1, -1};
    elimination_order_dissect(3, NULL, 0, 1, NULL, order);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(order[i], i);
}
