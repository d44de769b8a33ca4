// elimination_order.c - nested dissection by METIS (elimination_order.h). METIS begins with the
// same random numbers each time, so the same graph has the same order.
#include "actors/alignment/solver/elimination_order.h"

#include <assert.h>
#include <metis.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/late_library.h"
#include "proto/base/memory.h"

enum {
    SMALL_PART = 1000, // nodes that METIS dissects in one call, of some milliseconds
    MOST_WAITING = 64, // parts: each is at most half as large as the one that waits below it
};
#define SEPARATOR_OPERATIONS 1e3 // of a node, in each try, roughly

static __typeof__(METIS_NodeND) *dissect;
static __typeof__(METIS_ComputeVertexSeparator) *separate;
static __typeof__(METIS_SetDefaultOptions) *set_defaults;
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;

static void
look_up(void)
{
    dissect = (__typeof__(dissect))late_library_function(METIS_FILE, "METIS_NodeND");
    separate =
        (__typeof__(separate))late_library_function(METIS_FILE, "METIS_ComputeVertexSeparator");
    set_defaults =
        (__typeof__(set_defaults))late_library_function(METIS_FILE, "METIS_SetDefaultOptions");
}

static idx_t
first_of(uint64_t key)
{
    return (idx_t)(key >> 32);
}

static idx_t
second_of(uint64_t key)
{
    return (idx_t)(uint32_t)key;
}

// A graph as METIS reads it: the neighbours of node i are those from `starts[i]` to `starts[i +
// 1]`.
struct adjacency {
    idx_t count;
    idx_t *starts, *neighbours;
};

// Parts of the graph lie one after the other in the order: what is left of a separator, what is
// right of it, then the separator.
struct part {
    idx_t first, count; // in the order
};

struct dissection {
    struct adjacency whole, local; // local: of the part at hand
    idx_t *places;                 // of a node of the whole: in the part at hand, or below 0
    idx_t *sides, *best;           // of nodes of the part: 0 left, 1 right, 2 separator
    idx_t *order;
    int tries;
    struct effort *effort;
};

static void
adjacency_init(struct adjacency *self, idx_t node_count, size_t edge_count)
{
    self->count = node_count;
    self->starts = memory_take_zeroed(((size_t)node_count + 1) * sizeof *self->starts);
    self->neighbours = memory_take(edge_count * 2 * sizeof *self->neighbours + 1);
}

static void
adjacency_finish(struct adjacency *self)
{
    free(self->starts);
    free(self->neighbours);
}

static void
list_neighbours(struct adjacency *self, const uint64_t *keys, size_t count)
{
    size_t size = ((size_t)self->count + 1) * sizeof *self->starts;
    for (size_t i = 0; i < count; i++) {
        self->starts[first_of(keys[i]) + 1] += first_of(keys[i]) != second_of(keys[i]);
        self->starts[second_of(keys[i]) + 1] += first_of(keys[i]) != second_of(keys[i]);
    }
    for (idx_t node = 0; node < self->count; node++)
        self->starts[node + 1] += self->starts[node];
    idx_t *ends = memory_take(size);
    memcpy(ends, self->starts, size);
    for (size_t i = 0; i < count; i++) {
        idx_t first = first_of(keys[i]), second = second_of(keys[i]);
        if (first == second)
            continue;
        self->neighbours[ends[first]++] = second;
        self->neighbours[ends[second]++] = first;
    }
    free(ends);
}

// Takes a part out of the whole: the nodes of the part alone, and the edges between them.
static void
take_part(struct dissection *self, const idx_t *nodes, idx_t count)
{
    idx_t filled = 0;
    self->local.count = count;
    for (idx_t i = 0; i < count; i++)
        self->places[nodes[i]] = i;
    for (idx_t i = 0; i < count; i++) {
        self->local.starts[i] = filled;
        for (idx_t k = self->whole.starts[nodes[i]]; k < self->whole.starts[nodes[i] + 1]; k++)
            if (self->places[self->whole.neighbours[k]] >= 0)
                self->local.neighbours[filled++] = self->places[self->whole.neighbours[k]];
    }
    self->local.starts[count] = filled;
    for (idx_t i = 0; i < count; i++)
        self->places[nodes[i]] = -1;
}

// Finds a separator of the part at hand, the smallest of several. False if there is none, or if
// the effort is over.
static bool
find_separator(struct dissection *self)
{
    struct adjacency *local = &self->local;
    idx_t options[METIS_NOPTIONS], size, smallest = local->count;
    for (int i = 0; i < self->tries && smallest > 0; i++) {
        if (!effort_spend(self->effort, (double)local->count * SEPARATOR_OPERATIONS))
            return false;
        set_defaults(options);
        options[METIS_OPTION_SEED] = i;
        if (!local->starts[local->count] ||
            separate(&local->count, local->starts, local->neighbours, NULL, options, &size,
                     self->sides) != METIS_OK)
            return false;
        if (size < smallest)
            memcpy(self->best, self->sides, (size_t)local->count * sizeof *self->best);
        smallest = size < smallest ? size : smallest;
    }
    return smallest < local->count;
}

// Orders the part at hand by METIS's own dissection; as it is, if it has no edges.
static void
order_part(struct dissection *self, idx_t *nodes)
{
    struct adjacency *local = &self->local;
    idx_t options[METIS_NOPTIONS], *order = self->sides, *unused = self->best;
    set_defaults(options);
    options[METIS_OPTION_NSEPS] = self->tries;
    if (!local->starts[local->count] || dissect(&local->count, local->starts, local->neighbours,
                                                NULL, options, order, unused) != METIS_OK)
        return;
    for (idx_t i = 0; i < local->count; i++)
        unused[i] = nodes[order[i]];
    memcpy(nodes, unused, (size_t)local->count * sizeof *nodes);
}

// Puts the nodes of a part in the order of their sides, and tells how many are on each. False if
// they are all on one: then they are as they were.
static bool
divide(struct dissection *self, idx_t *nodes, idx_t count, idx_t *ret_counts)
{
    idx_t filled = 0, *divided = self->sides;
    for (idx_t side = 0; side < 3; side++) {
        idx_t before = filled;
        for (idx_t i = 0; i < count; i++)
            if (self->best[i] == side)
                divided[filled++] = nodes[i];
        ret_counts[side] = filled - before;
    }
    memcpy(nodes, divided, (size_t)count * sizeof *nodes);
    return ret_counts[0] < count && ret_counts[1] < count;
}

// Dissects parts until they are small; the larger half waits, so few do.
static bool
dissect_parts(struct dissection *self)
{
    struct part waiting[MOST_WAITING] = {{0, self->whole.count}};
    for (int count = 1; count > 0;) {
        struct part part = waiting[--count];
        idx_t *nodes = self->order + part.first, sizes[3];
        if (!effort_spend(self->effort, (double)part.count))
            return false;
        take_part(self, nodes, part.count);
        bool is_divided = part.count > SMALL_PART && find_separator(self) &&
                          divide(self, nodes, part.count, sizes);
        if (effort_is_over(self->effort))
            return false;
        if (!is_divided) {
            order_part(self, nodes);
            continue;
        }
        assert(count + 2 <= MOST_WAITING);
        struct part left = {part.first, sizes[0]}, right = {part.first + sizes[0], sizes[1]};
        waiting[count++] = sizes[0] > sizes[1] ? left : right;
        waiting[count++] = sizes[0] > sizes[1] ? right : left;
    }
    return true;
}

bool
elimination_order_dissect(uint32_t node_count, const uint64_t *keys, size_t count, int tries,
                          struct effort *effort, int *ret_order)
{
    size_t size = (size_t)node_count * sizeof(idx_t) + 1;
    struct dissection self = {.places = memory_take(size),
                              .sides = memory_take(size),
                              .best = memory_take(size),
                              .order = memory_take(size),
                              .tries = tries,
                              .effort = effort};
    adjacency_init(&self.whole, (idx_t)node_count, count);
    adjacency_init(&self.local, (idx_t)node_count, count);
    list_neighbours(&self.whole, keys, count);
    memset(self.places, 0xff, size);
    for (uint32_t i = 0; i < node_count; i++)
        self.order[i] = (idx_t)i;
    pthread_once(&looked_up, look_up);
    bool is_done = dissect_parts(&self);
    for (uint32_t i = 0; i < node_count && is_done; i++)
        ret_order[i] = (int)self.order[i];
    adjacency_finish(&self.whole);
    adjacency_finish(&self.local);
    free(self.places);
    free(self.sides);
    free(self.best);
    free(self.order);
    return is_done;
}
