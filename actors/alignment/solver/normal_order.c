// normal_order.c - orders of elimination, and what a factor takes in each (normal_order.h).
#include "actors/alignment/solver/normal_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/elimination_order.h"
#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/sparse_functions.h"
#include "proto/base/memory.h"

#define LARGE_FACTOR 1e8 // operations from which it is worth while to look for another order
#define NEARLY 1.1 // times the operations that an order took serve before another is looked for
#define HUGE_FACTOR                                                                                \
    3e9 // from which the best of many separators is worth its search (as long as 5e8)
enum { THOROUGH_TRIES = 20 };

// One search.
struct search {
    const struct normal_blocks *blocks;
    struct effort *effort;
    cholmod_common common;
    cholmod_sparse *nodes; // an entry for each block
};

static void
lay_out_nodes(struct search *self)
{
    const struct normal_blocks *blocks = self->blocks;
    self->nodes =
        sparse_functions()->allocate_sparse(blocks->node_count, blocks->node_count, blocks->count,
                                            true, true, -1, CHOLMOD_PATTERN, &self->common);
    int *columns = self->nodes->p, *rows = self->nodes->i;
    for (size_t i = 0; i < blocks->count; i++)
        rows[i] = (int)(uint32_t)blocks->keys[i];
    for (uint32_t node = 0; node <= blocks->node_count; node++)
        columns[node] = (int)blocks->starts[node];
}

// The operations that a factor takes in this order.
static double
operations_of(struct search *self, int *order)
{
    cholmod_factor *factor =
        sparse_functions()->analyze_p(self->nodes, order, NULL, 0, &self->common);
    sparse_functions()->free_factor(&factor, &self->common);
    return self->common.fl * MATRIX6_SIZE * 6;
}

// Takes the order by dissection if it saves work. Returns the operations of the better one.
static double
dissect(struct search *self, int tries, double operations, int *order)
{
    const struct normal_blocks *blocks = self->blocks;
    int *dissected = memory_take(blocks->node_count * sizeof *dissected);
    double found = operations;
    if (elimination_order_dissect(blocks->node_count, blocks->keys, blocks->count, tries,
                                  self->effort, dissected))
        found = operations_of(self, dissected);
    if (found < operations)
        memcpy(order, dissected, blocks->node_count * sizeof *order);
    free(dissected);
    return fmin(found, operations);
}

// The larger the factor, the more thoroughly.
static void
search(struct search *self, struct normal_order *last, int *ret_order)
{
    uint32_t count = self->blocks->node_count;
    sparse_functions()->amd(self->nodes, NULL, 0, ret_order, &self->common);
    double operations = operations_of(self, ret_order);
    if (operations <= LARGE_FACTOR)
        return;
    if (last && last->node_count == count &&
        operations_of(self, last->nodes) <= last->operations * NEARLY) {
        memcpy(ret_order, last->nodes, count * sizeof *ret_order);
        return;
    }
    operations = dissect(self, 1, operations, ret_order);
    if (operations > HUGE_FACTOR)
        operations = dissect(self, THOROUGH_TRIES, operations, ret_order);
    if (last)
        normal_order_keep(last, &(struct normal_order){count, ret_order, operations});
}

void
normal_order_find(const struct normal_blocks *blocks, struct normal_order *last,
                  struct effort *effort, int *ret_order)
{
    struct search self = {.blocks = blocks, .effort = effort};
    sparse_start(&self.common);
    lay_out_nodes(&self);
    search(&self, last, ret_order);
    sparse_functions()->free_sparse(&self.nodes, &self.common);
    sparse_functions()->finish(&self.common);
}

void
normal_order_keep(struct normal_order *self, const struct normal_order *found)
{
    size_t size = found->node_count * sizeof *found->nodes;
    normal_order_finish(self);
    *self = *found;
    self->nodes = memory_take(size + 1);
    memcpy(self->nodes, found->nodes, size);
}

void
normal_order_finish(struct normal_order *self)
{
    free(self->nodes);
    *self = (struct normal_order){0};
}
