// normal_order.h - in which order the nodes of normal equations are eliminated: by least degree, or
// by dissection (elimination_order.h) where the factor is large and that saves work. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_NORMAL_ORDER_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_NORMAL_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/effort.h"

// Which blocks of the lower triangle are not zero: column and row of each as a key (column in the
// upper half), in order, the diagonal ones too.
struct normal_blocks {
    uint32_t node_count;
    size_t count;
    const uint64_t *keys;
    const uint32_t *starts; // by column: its first key; node_count + 1
};

// The order that was found last; all zero = none.
struct normal_order {
    uint32_t node_count;
    int *nodes;        // of `node_count`, the first to be eliminated first
    double operations; // that a factor took when it was found
};

// Writes an order with little fill-in: `last` (NULL = nobody keeps one) where a factor still takes
// nearly as little as when that was found, else one that is searched for as long as the effort
// (NULL = without bounds) allows, and kept in `last` where the factor is large.
void normal_order_find(const struct normal_blocks *blocks, struct normal_order *last,
                       struct effort *effort, int *ret_order);

// Copies an order that was found.
void normal_order_keep(struct normal_order *self, const struct normal_order *found);
void normal_order_finish(struct normal_order *self);

#endif
