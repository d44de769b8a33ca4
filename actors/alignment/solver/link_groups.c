// link_groups.c - groups of links that agree (link_groups.h).
#include "actors/alignment/solver/link_groups.h"

#include <stdlib.h>

#include "actors/alignment/solver/initial_poses.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

// A link and the size of its group.
struct grouped {
    uint32_t size, link;
};

static int
compare_grouped(const void *a, const void *b)
{
    const struct grouped *left = a, *right = b;
    if (left->size != right->size)
        return left->size > right->size ? -1 : 1;
    return (left->link > right->link) - (left->link < right->link);
}

// What is pinned leads as far as the least group that others give way to.
static uint32_t
size_of(uint32_t devices, const struct mode *mode)
{
    return mode->is_pinned && devices < LINK_GROUPS_LEAST ? LINK_GROUPS_LEAST : devices;
}

// The size of each link's group.
static void
find_sizes(uint32_t *groups, const struct mode *const *modes, size_t link_count,
           uint32_t *ret_sizes)
{
    uint32_t *sums = memory_take_zeroed(link_count * sizeof *sums + 1);
    for (uint32_t i = 0; i < link_count; i++)
        sums[disjoint_set_find(groups, i)] += modes[i]->devices;
    for (uint32_t i = 0; i < link_count; i++)
        ret_sizes[i] = size_of(sums[disjoint_set_find(groups, i)], modes[i]);
    free(sums);
}

// A square that closes joins what is opposite in it, also right links by the sides of wrong ones
// that agree. So groups are made twice: then only by links whose own groups are as large as those
// that they join, or large enough that others give way to them.
static void
size_groups(uint32_t scene_count, const struct link *links, size_t link_count,
            const struct mode *const *modes, uint32_t *ret_sizes, struct effort *effort)
{
    uint32_t *groups = disjoint_set_create((uint32_t)link_count);
    uint32_t *ranks = memory_take(link_count * sizeof *ranks + 1);
    cycle_votes_join(scene_count, links, link_count, modes, NULL, groups, effort);
    find_sizes(groups, modes, link_count, ranks);
    free(groups);
    for (size_t i = 0; i < link_count; i++)
        ranks[i] = ranks[i] < LINK_GROUPS_LEAST ? ranks[i] : LINK_GROUPS_LEAST;
    groups = disjoint_set_create((uint32_t)link_count);
    cycle_votes_join(scene_count, links, link_count, modes, ranks, groups, effort);
    find_sizes(groups, modes, link_count, ret_sizes);
    free(ranks);
    free(groups);
}

// The supported links, those of the largest groups first. Returns how many.
static size_t
list_grouped(const uint32_t *sizes, const int64_t *support, size_t link_count,
             struct grouped *ret_list)
{
    size_t count = 0;
    for (uint32_t i = 0; i < link_count; i++)
        if (support[i] >= INITIAL_POSES_SUPPORT)
            ret_list[count++] = (struct grouped){sizes[i], i};
    qsort(ret_list, count, sizeof *ret_list, compare_grouped);
    return count;
}

size_t
link_groups_hold_back(uint32_t scene_count, const struct link *links, size_t link_count,
                      const struct mode *const *modes, int64_t *support, struct effort *effort)
{
    uint32_t *sizes = memory_take(link_count * sizeof *sizes + 1);
    uint32_t *parts = disjoint_set_create(scene_count);
    struct grouped *list = memory_take(link_count * sizeof *list + 1);
    size_t held = 0, joined = 0;
    size_groups(scene_count, links, link_count, modes, sizes, effort);
    size_t count = list_grouped(sizes, support, link_count, list);
    for (size_t i = 0; i < count; i++) {
        const struct link *link = &links[list[i].link];
        uint64_t enough = (uint64_t)list[i].size * LINK_GROUPS_RATIO;
        enough = enough > LINK_GROUPS_LEAST ? enough : LINK_GROUPS_LEAST;
        for (; joined < count && list[joined].size >= enough; joined++)
            disjoint_set_join(parts, links[list[joined].link].a, links[list[joined].link].b);
        if (modes[list[i].link]->is_pinned ||
            disjoint_set_find(parts, link->a) != disjoint_set_find(parts, link->b))
            continue;
        support[list[i].link] = INITIAL_POSES_SUPPORT - 1;
        held++;
    }
    free(list);
    free(parts);
    free(sizes);
    return held;
}
