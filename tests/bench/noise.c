// noise.c - the scale of the noise of a pose graph (noise.h), from its cycles of four.
#include "tests/bench/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"

static int
compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// The chi-square of what is left over after going round edges `cycle`, which starts at the first
// end of edge 0 and comes back to it.
static double
closure(const struct component *component, const uint32_t *cycle, size_t count)
{
    struct rigid way = rigid_identity;
    double sum[36] = {0}, covariance[36], twist[6], solved[6], chi_square = 0;
    uint32_t at = component->observations.links[cycle[0]].a;
    for (size_t i = 0; i < count; i++) {
        const struct link *link = &component->observations.links[cycle[i]];
        const struct observation *item = &component->observations.items[link->first];
        struct rigid motion = item->motion;
        matrix6_invert(item->information, covariance);
        if (link->a != at) {
            motion = rigid_invert(&item->motion);
            rigid_carry_covariance(&motion, covariance, covariance);
        }
        at = link->a == at ? link->b : link->a;
        way = rigid_compose(&motion, &way);
        rigid_carry_covariance(&motion, sum, sum);
        matrix6_add(sum, 1, covariance);
    }
    rigid_log(&way, twist);
    if (!matrix6_solve(sum, twist, solved))
        return INFINITY;
    for (int i = 0; i < 6; i++)
        chi_square += solved[i] * twist[i];
    return chi_square;
}

static uint32_t
find_link(const struct component *component, uint32_t a, uint32_t b)
{
    size_t low = 0, high = component->observations.link_count;
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct link *link = &component->observations.links[middle];
        if (((uint64_t)link->a << 32 | link->b) < key)
            low = middle + 1;
        else
            high = middle;
    }
    const struct link *link = &component->observations.links[low];
    bool is_found =
        low < component->observations.link_count && ((uint64_t)link->a << 32 | link->b) == key;
    return is_found ? (uint32_t)low : UINT32_MAX;
}

// The links of scenes: `starts` and `ways` as of a sparse matrix.
static void
list_ways(const struct component *component, uint32_t *starts, uint32_t *ways)
{
    const struct observations *observations = &component->observations;
    uint32_t scene_count = component->scene_count;
    memset(starts, 0, (scene_count + 2) * sizeof *starts);
    for (size_t i = 0; i < observations->link_count; i++) {
        starts[observations->links[i].a + 2]++;
        starts[observations->links[i].b + 2]++;
    }
    for (uint32_t scene = 0; scene < scene_count; scene++)
        starts[scene + 2] += starts[scene + 1];
    for (uint32_t i = 0; i < observations->link_count; i++) {
        ways[starts[observations->links[i].a + 1]++] = i;
        ways[starts[observations->links[i].b + 1]++] = i;
    }
}

static uint32_t
other_end(const struct component *component, uint32_t link, uint32_t scene)
{
    const struct link *found = &component->observations.links[link];
    return found->a == scene ? found->b : found->a;
}

// One cycle of four for each link that has one. Returns how many closures were written.
static size_t
close_squares(const struct component *component, double *ret_closures)
{
    uint32_t *starts = memory_take((component->scene_count + 2) * sizeof *starts);
    uint32_t *ways = memory_take(component->observations.link_count * 2 * sizeof *ways + 1);
    size_t count = 0;
    list_ways(component, starts, ways);
    for (uint32_t i = 0; i < component->observations.link_count; i++) {
        const struct link *link = &component->observations.links[i];
        bool is_found = false;
        for (uint32_t k = starts[link->b]; k < starts[link->b + 1] && !is_found; k++) {
            uint32_t c = other_end(component, ways[k], link->b);
            for (uint32_t n = starts[c]; n < starts[c + 1] && !is_found; n++) {
                uint32_t d = other_end(component, ways[n], c);
                uint32_t last = find_link(component, d, link->a);
                const uint32_t cycle[] = {i, ways[k], ways[n], last};
                is_found = c != link->a && d != link->b && last != UINT32_MAX;
                if (is_found)
                    ret_closures[count++] = closure(component, cycle, 4);
            }
        }
    }
    free(starts);
    free(ways);
    return count;
}

double
noise_scale(const struct component *component)
{
    double *closures = memory_take(component->observations.link_count * sizeof *closures + 1);
    size_t count = close_squares(component, closures);
    qsort(closures, count, sizeof *closures, compare_numbers);
    double scale = count ? 100 * closures[(count - 1) / 2] / 5.35 : 1;
    free(closures);
    return scale < 1 ? scale : 1;
}
