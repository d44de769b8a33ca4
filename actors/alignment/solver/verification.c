// verification.c - regions of scenes (verification.h): joins regions that several devices connect,
// until no two are left.
#include "actors/alignment/solver/verification.h"

#include <stdlib.h>

#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

enum {
    MOST_ROUNDS = 64, // each walks over all links; few are needed
    CONFIRM_DEVICES = 2,
};

// A device says how two regions relate.
struct say {
    uint32_t a, b; // a < b
    uint64_t user, device;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static bool
is_same_pair(const struct say *a, const struct say *b)
{
    return a->a == b->a && a->b == b->b;
}

static int
compare_says(const void *a, const void *b)
{
    const struct say *left = a, *right = b;
    int order = compare_numbers(left->a, right->a);
    order = order ? order : compare_numbers(left->b, right->b);
    order = order ? order : compare_numbers(left->user, right->user);
    return order ? order : compare_numbers(left->device, right->device);
}

static size_t
list_says(const struct observations *observations, uint32_t *regions, struct say *says)
{
    size_t count = 0;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        uint32_t a = disjoint_set_find(regions, item->a), b = disjoint_set_find(regions, item->b);
        if (item->is_accepted && !item->is_past && a != b)
            says[count++] = (struct say){a < b ? a : b, a < b ? b : a, item->user, item->device};
    }
    qsort(says, count, sizeof *says, compare_says);
    return count;
}

// Whether enough devices, of enough users, say how two regions relate. A device of nobody counts as
// a user, too.
static bool
is_confirmed(const struct say *says, size_t count, uint32_t confirm_users)
{
    uint32_t devices = 0, users = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new_user = !i || says[i].user != says[i - 1].user;
        bool is_new_device = is_new_user || says[i].device != says[i - 1].device;
        devices += is_new_device;
        users += says[i].user ? is_new_user : is_new_device;
    }
    return devices >= CONFIRM_DEVICES && users >= confirm_users;
}

uint32_t *
verification_regions(uint32_t scene_count, const struct observations *observations,
                     uint32_t confirm_users, const struct effort *effort)
{
    uint32_t *regions = disjoint_set_create(scene_count);
    struct say *says = memory_take(observations->count * sizeof *says + 1);
    bool is_joined = true;
    for (int round = 0; round < MOST_ROUNDS && is_joined && !effort_is_over(effort); round++) {
        size_t count = list_says(observations, regions, says);
        is_joined = false;
        for (size_t first = 0, end; first < count; first = end) {
            for (end = first + 1; end < count && is_same_pair(&says[first], &says[end]);)
                end++;
            if (is_confirmed(says + first, end - first, confirm_users))
                is_joined = disjoint_set_join(regions, says[first].a, says[first].b) || is_joined;
        }
    }
    free(says);
    for (uint32_t scene = 0; scene < scene_count; scene++)
        regions[scene] = disjoint_set_find(regions, scene);
    return regions;
}
