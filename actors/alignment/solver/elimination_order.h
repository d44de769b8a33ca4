// elimination_order.h - nested dissection of a graph: an order of elimination whose factor has few
// entries where the graph is large. Pure. The only user of METIS.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ELIMINATION_ORDER_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ELIMINATION_ORDER_H

#include <stddef.h>
#include <stdint.h>

// An edge is a key: the lower node in its upper half, the higher one in the lower half. Each is
// there once, in any order; those from a node to itself do not matter. Writes all nodes, the first
// to be eliminated first. Each separator is the best of `tries`.
void elimination_order_dissect(uint32_t node_count, const uint64_t *keys, size_t count, int tries,
                               int *ret_order);

#endif
