// elimination_order.h - nested dissection of a graph: an order of elimination whose factor has few
// entries where the graph is large. Pure. The only user of METIS.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ELIMINATION_ORDER_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ELIMINATION_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/effort.h"

// An edge is a key: the lower node in its upper half, the higher one in the lower half. Each is
// there once, in any order; those from a node to itself do not matter. Writes all nodes, the first
// to be eliminated first. Each separator is the best of `tries`. False, and nothing is written, if
// the effort (NULL = without bounds) is over before all are found; it is asked after each try.
bool elimination_order_dissect(uint32_t node_count, const uint64_t *keys, size_t count, int tries,
                               struct effort *effort, int *ret_order);

#endif
