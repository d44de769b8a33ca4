// elimination_order.c - nested dissection by METIS (elimination_order.h). METIS begins with the
// same random numbers each time, so the same graph has the same order.
#include "actors/alignment/solver/elimination_order.h"

#include <metis.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/late_library.h"
#include "proto/base/memory.h"

static __typeof__(METIS_NodeND) *dissect;
static __typeof__(METIS_SetDefaultOptions) *set_defaults;
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;

static void
look_up(void)
{
    dissect = (__typeof__(dissect))late_library_function(METIS_FILE, "METIS_NodeND");
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

// The neighbours of node i are those from `starts[i]` to `starts[i + 1]`.
static void
list_neighbours(idx_t node_count, const uint64_t *keys, size_t count, idx_t *ret_starts,
                idx_t *ret_neighbours)
{
    size_t size = ((size_t)node_count + 1) * sizeof *ret_starts;
    memset(ret_starts, 0, size);
    for (size_t i = 0; i < count; i++) {
        ret_starts[first_of(keys[i]) + 1] += first_of(keys[i]) != second_of(keys[i]);
        ret_starts[second_of(keys[i]) + 1] += first_of(keys[i]) != second_of(keys[i]);
    }
    for (idx_t node = 0; node < node_count; node++)
        ret_starts[node + 1] += ret_starts[node];
    idx_t *ends = memory_take(size);
    memcpy(ends, ret_starts, size);
    for (size_t i = 0; i < count; i++) {
        idx_t first = first_of(keys[i]), second = second_of(keys[i]);
        if (first == second)
            continue;
        ret_neighbours[ends[first]++] = second;
        ret_neighbours[ends[second]++] = first;
    }
    free(ends);
}

void
elimination_order_dissect(uint32_t node_count, const uint64_t *keys, size_t count, int tries,
                          int *ret_order)
{
    idx_t nodes = (idx_t)node_count, options[METIS_NOPTIONS];
    idx_t *starts = memory_take((node_count + 1) * sizeof *starts);
    idx_t *neighbours = memory_take(count * 2 * sizeof *neighbours + 1);
    idx_t *order = memory_take(node_count * sizeof *order + 1);
    idx_t *places = memory_take(node_count * sizeof *places + 1);
    list_neighbours(nodes, keys, count, starts, neighbours);
    pthread_once(&looked_up, look_up);
    set_defaults(options);
    options[METIS_OPTION_NSEPS] = tries;
    bool is_done = starts[nodes] &&
                   dissect(&nodes, starts, neighbours, NULL, options, order, places) == METIS_OK;
    for (uint32_t i = 0; i < node_count; i++)
        ret_order[i] = is_done ? (int)order[i] : (int)i;
    free(starts);
    free(neighbours);
    free(order);
    free(places);
}
