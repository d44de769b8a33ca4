// cycle_votes.c - cycles of three and four links (cycle_votes.h).
#include "actors/alignment/solver/cycle_votes.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

// The chi-square of six degrees of freedom that noise exceeds once in 1,000 times. A vote decides
// where to begin, not what to reject, so this is lower than POSEGRAPH_GATE.
#define VOTE_GATE 22.46
#define TRY_OPERATIONS 3000.0 // of a cycle, roughly

// A link as a scene sees it.
struct way {
    uint32_t to, link;
};

struct ballot {
    const struct link *links;
    struct candidates *candidates;
    uint32_t *starts; // by scene: its first way; one more than there are scenes
    struct way *ways; // of a scene by the other one
};

// The links of a cycle that starts and ends at link 0's first scene, and a mode of each.
struct cycle {
    size_t count;
    uint32_t links[4];
    bool is_backwards[4];
    const struct mode *modes[4];
};

// --- one cycle ---

static bool
is_independent(const struct cycle *cycle)
{
    for (size_t i = 0; i < cycle->count; i++)
        for (size_t k = 0; k < i; k++)
            if (cycle->modes[i]->devices == 1 && cycle->modes[k]->devices == 1 &&
                cycle->modes[i]->only_device == cycle->modes[k]->only_device)
                return false;
    return true;
}

// The motion around the cycle; the identity if it closes exactly.
static struct rigid
go_round(const struct cycle *cycle)
{
    struct rigid way = rigid_identity;
    for (size_t i = 0; i < cycle->count; i++) {
        struct rigid back = rigid_invert(&cycle->modes[i]->motion);
        way = rigid_compose(cycle->is_backwards[i] ? &back : &cycle->modes[i]->motion, &way);
    }
    return way;
}

// The sum of the covariances of the links, carried to the end of the cycle.
static void
sum_noise(const struct cycle *cycle, double *ret_sum)
{
    double carried[36];
    memset(ret_sum, 0, MATRIX6_SIZE * sizeof *ret_sum);
    for (size_t i = 0; i < cycle->count; i++) {
        const struct mode *mode = cycle->modes[i];
        struct rigid motion = mode->motion;
        memcpy(carried, mode->covariance, sizeof carried);
        if (cycle->is_backwards[i]) {
            motion = rigid_invert(&mode->motion);
            rigid_carry_covariance(&motion, carried, carried);
        }
        rigid_carry_covariance(&motion, ret_sum, ret_sum);
        matrix6_add(ret_sum, 1, carried);
    }
}

// Rotating does not change the variance of rotations, so a quick test of their sum finds most
// cycles that do not close.
static bool
is_closed(const struct cycle *cycle)
{
    struct rigid way = go_round(cycle);
    double sum[36], twist[6], chi_square, angle = 0, variance = 0;
    rigid_log(&way, twist);
    for (int i = 3; i < 6; i++) {
        angle += twist[i] * twist[i];
        for (size_t k = 0; k < cycle->count; k++)
            variance += cycle->modes[k]->covariance[i * 7];
    }
    if (angle > VOTE_GATE * variance)
        return false;
    sum_noise(cycle, sum);
    return matrix6_chi_square(sum, twist, &chi_square) && chi_square <= VOTE_GATE;
}

// A bit for each mode of the first link that closes the cycle with some modes of the others.
static unsigned
closing_modes(const struct ballot *ballot, struct cycle *cycle, uint32_t *tries)
{
    unsigned found = 0;
    uint32_t counts[4] = {1, 1, 1, 1}, at[4] = {0};
    for (size_t i = 0; i < cycle->count; i++)
        counts[i] = ballot->candidates[cycle->links[i]].count;
    for (bool is_more = true; is_more;) {
        bool is_past = false;
        for (size_t i = 0; i < cycle->count; i++) {
            cycle->modes[i] = &ballot->candidates[cycle->links[i]].modes[at[i]];
            is_past = is_past || cycle->modes[i]->is_past;
        }
        if (!(found >> at[0] & 1) && !is_past && is_independent(cycle)) {
            found |= is_closed(cycle) ? 1u << at[0] : 0;
            ++*tries;
        }
        is_more = false;
        for (size_t i = 0; i < cycle->count && !is_more; i++) {
            is_more = ++at[i] < counts[i];
            at[i] = is_more ? at[i] : 0;
        }
    }
    return found;
}

// --- all cycles of a link ---

static int
compare_ways(const void *a, const void *b)
{
    const struct way *left = a, *right = b;
    return (left->to > right->to) - (left->to < right->to);
}

static const struct way *
find_way(const struct ballot *ballot, uint32_t from, uint32_t to)
{
    const struct way key = {.to = to};
    return bsearch(&key, ballot->ways + ballot->starts[from],
                   ballot->starts[from + 1] - ballot->starts[from], sizeof key, compare_ways);
}

static void
add_link(const struct ballot *ballot, struct cycle *cycle, uint32_t from, uint32_t link)
{
    cycle->is_backwards[cycle->count] = ballot->links[link].a != from;
    cycle->links[cycle->count++] = link;
}

static uint32_t
neighbours_of(const struct ballot *ballot, uint32_t scene)
{
    uint32_t count = ballot->starts[scene + 1] - ballot->starts[scene];
    return count < CYCLE_VOTES_NEIGHBOURS ? count : CYCLE_VOTES_NEIGHBOURS;
}

static bool
count_cycle(const struct ballot *ballot, struct cycle *cycle, uint32_t *tries)
{
    struct candidates *own = &ballot->candidates[cycle->links[0]];
    unsigned closing = closing_modes(ballot, cycle, tries);
    bool is_enough = true;
    for (uint32_t mode = 0; mode < own->count; mode++) {
        own->modes[mode].cycles += closing >> mode & 1;
        is_enough = is_enough && own->modes[mode].cycles >= CYCLE_VOTES_ENOUGH;
    }
    return !is_enough && *tries < CYCLE_VOTES_TRIES;
}

// a to b by the link, b to c, and c back to a by a link or by way of d.
// Returns how many cycles were tried.
static uint32_t
vote_on(const struct ballot *ballot, uint32_t index)
{
    const struct link *link = &ballot->links[index];
    uint32_t tries = 0;
    for (uint32_t i = 0; i < neighbours_of(ballot, link->b); i++) {
        const struct way *second = &ballot->ways[ballot->starts[link->b] + i];
        if (second->to == link->a)
            continue;
        struct cycle start = {.count = 0};
        add_link(ballot, &start, link->a, index);
        add_link(ballot, &start, link->b, second->link);
        const struct way *third = find_way(ballot, second->to, link->a);
        struct cycle triangle = start;
        if (third) {
            add_link(ballot, &triangle, second->to, third->link);
            if (!count_cycle(ballot, &triangle, &tries))
                return tries;
        }
        for (uint32_t k = 0; k < neighbours_of(ballot, second->to); k++) {
            const struct way *middle = &ballot->ways[ballot->starts[second->to] + k];
            const struct way *last = find_way(ballot, middle->to, link->a);
            if (!last || middle->to == link->b)
                continue;
            struct cycle square = start;
            add_link(ballot, &square, second->to, middle->link);
            add_link(ballot, &square, middle->to, last->link);
            if (!count_cycle(ballot, &square, &tries))
                return tries;
        }
    }
    return tries;
}

static void
list_ways(struct ballot *ballot, uint32_t scene_count, size_t link_count)
{
    uint32_t *ends = memory_take_zeroed((scene_count + 1) * sizeof *ends);
    ballot->starts = memory_take_zeroed((scene_count + 1) * sizeof *ballot->starts);
    ballot->ways = memory_take(link_count * 2 * sizeof *ballot->ways + 1);
    for (size_t i = 0; i < link_count; i++) {
        ballot->starts[ballot->links[i].a + 1]++;
        ballot->starts[ballot->links[i].b + 1]++;
    }
    for (uint32_t scene = 0; scene < scene_count; scene++) {
        ballot->starts[scene + 1] += ballot->starts[scene];
        ends[scene + 1] = ballot->starts[scene + 1];
    }
    for (uint32_t i = 0; i < link_count; i++) {
        const struct link *link = &ballot->links[i];
        ballot->ways[ends[link->a]++] = (struct way){link->b, i};
        ballot->ways[ends[link->b]++] = (struct way){link->a, i};
    }
    for (uint32_t scene = 0; scene < scene_count; scene++)
        qsort(ballot->ways + ballot->starts[scene],
              ballot->starts[scene + 1] - ballot->starts[scene], sizeof *ballot->ways,
              compare_ways);
    free(ends);
}

void
cycle_votes_count(uint32_t scene_count, const struct link *links, size_t link_count,
                  struct candidates *candidates, struct effort *effort)
{
    struct ballot ballot = {.links = links, .candidates = candidates};
    list_ways(&ballot, scene_count, link_count);
    for (uint32_t i = 0; i < link_count; i++)
        if (candidates[i].count > 1 || candidates[i].modes[0].devices == 1)
            if (!effort_spend(effort, vote_on(&ballot, i) * TRY_OPERATIONS))
                break;
    free(ballot.starts);
    free(ballot.ways);
}

// --- links that agree ---

// Whether the sides of a square have the rank to join its links 0 and 2.
static bool
is_of_rank(const struct cycle *square, const uint32_t *ranks)
{
    uint32_t own[4];
    for (size_t i = 0; ranks && i < 4; i++)
        own[i] = ranks[square->links[i]];
    if (!ranks)
        return true;
    uint32_t least = own[0] < own[2] ? own[0] : own[2];
    return own[1] >= least && own[3] >= least;
}

// a to b by the link, b to c, c to d, and d back to a: the link from c to d says the same of how
// the two sides lie. Returns how many cycles were tried.
static uint32_t
join_opposite(const struct ballot *ballot, const struct mode *const *modes, const uint32_t *ranks,
              uint32_t index, uint32_t *groups)
{
    const struct link *link = &ballot->links[index];
    uint32_t tries = 0;
    for (uint32_t i = 0; i < neighbours_of(ballot, link->b); i++) {
        const struct way *second = &ballot->ways[ballot->starts[link->b] + i];
        for (uint32_t k = 0; second->to != link->a && k < neighbours_of(ballot, second->to); k++) {
            const struct way *middle = &ballot->ways[ballot->starts[second->to] + k];
            const struct way *last = find_way(ballot, middle->to, link->a);
            if (!last || middle->to == link->b || middle->link < index ||
                disjoint_set_find(groups, index) == disjoint_set_find(groups, middle->link))
                continue;
            struct cycle square = {.count = 0};
            add_link(ballot, &square, link->a, index);
            add_link(ballot, &square, link->b, second->link);
            add_link(ballot, &square, second->to, middle->link);
            add_link(ballot, &square, middle->to, last->link);
            for (size_t n = 0; n < square.count; n++)
                square.modes[n] = modes[square.links[n]];
            if (is_of_rank(&square, ranks) && is_independent(&square) && is_closed(&square))
                disjoint_set_join(groups, index, middle->link);
            if (++tries >= CYCLE_VOTES_TRIES)
                return tries;
        }
    }
    return tries;
}

void
cycle_votes_join(uint32_t scene_count, const struct link *links, size_t link_count,
                 const struct mode *const *modes, const uint32_t *ranks, uint32_t *groups,
                 struct effort *effort)
{
    struct ballot ballot = {.links = links};
    list_ways(&ballot, scene_count, link_count);
    for (uint32_t i = 0; i < link_count; i++)
        if (!modes[i]->is_past &&
            !effort_spend(effort, join_opposite(&ballot, modes, ranks, i, groups) * TRY_OPERATIONS))
            break;
    free(ballot.starts);
    free(ballot.ways);
}
