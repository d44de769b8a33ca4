// verification.c - regions of scenes (verification.h): joins regions that several devices connect,
// until no two are left.
#include "actors/alignment/solver/verification.h"

#include <stdlib.h>

#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

enum { MOST_ROUNDS = 64 }; // each walks over all links; few are needed

// A device says how two regions relate.
struct say {
    uint32_t a, b; // a < b
    uint64_t device;
};

static int
compare_says(const void *a, const void *b)
{
    const struct say *left = a, *right = b;
    if (left->a != right->a)
        return left->a < right->a ? -1 : 1;
    if (left->b != right->b)
        return left->b < right->b ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static size_t
list_says(const struct observations *observations, uint32_t *regions, struct say *says)
{
    size_t count = 0;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        uint32_t a = disjoint_set_find(regions, item->a), b = disjoint_set_find(regions, item->b);
        if (item->is_accepted && !item->is_past && a != b)
            says[count++] = (struct say){a < b ? a : b, a < b ? b : a, item->device};
    }
    qsort(says, count, sizeof *says, compare_says);
    return count;
}

uint32_t *
verification_regions(uint32_t scene_count, const struct observations *observations)
{
    uint32_t *regions = disjoint_set_create(scene_count);
    struct say *says = memory_take(observations->count * sizeof *says + 1);
    bool is_joined = true;
    for (int round = 0; round < MOST_ROUNDS && is_joined; round++) {
        size_t count = list_says(observations, regions, says);
        is_joined = false;
        for (size_t i = 1; i < count; i++)
            if (says[i].a == says[i - 1].a && says[i].b == says[i - 1].b &&
                says[i].device != says[i - 1].device)
                is_joined = disjoint_set_join(regions, says[i].a, says[i].b) || is_joined;
    }
    free(says);
    for (uint32_t scene = 0; scene < scene_count; scene++)
        regions[scene] = disjoint_set_find(regions, scene);
    return regions;
}
