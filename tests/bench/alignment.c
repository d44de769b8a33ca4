// alignment.c - how well links are solved in made-up worlds (worlds.h): last write wins, a plain
// mean of each link and its medoid, composed along the way with the fewest links; and ours. Five
// seeds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actors/alignment/solver/observation_fusion.h"
#include "tests/support/worlds.h"

static const uint64_t seeds[] = {1, 2, 3, 4, 5};

// The CPU time of this process: neighbours on the machine do not count.
static double
now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int
compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static double
percentile(double *numbers, size_t count, double share)
{
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return count ? numbers[(size_t)(share * (double)(count - 1))] : NAN;
}

// --- the table ---

static struct world world;

// What a weaker method makes of the sightings of one link.
typedef struct rigid fuse_link(const struct rigid *motions, size_t count);

static struct rigid
last_one(const struct rigid *motions, size_t count)
{
    return motions[count - 1];
}

static struct rigid
plain_mean(const struct rigid *motions, size_t count)
{
    struct rigid mean = {.rotation = {1, 0, 0, 0}};
    double quaternions[8][4], weights[8];
    for (size_t i = 0; i < count; i++) {
        memcpy(quaternions[i], motions[i].rotation, sizeof quaternions[i]);
        weights[i] = 1;
        for (int axis = 0; axis < 3; axis++)
            mean.translation[axis] += motions[i].translation[axis] / (double)count;
    }
    fusion_mean_rotation((const double(*)[4])quaternions, weights, count, mean.rotation);
    return mean;
}

// The one nearest to all others: robust at the link, blind to cycles.
static struct rigid
medoid(const struct rigid *motions, size_t count)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double sum = 0, distance_m, angle_rad;
        for (size_t k = 0; k < count; k++) {
            rigid_difference(&motions[i], &motions[k], &distance_m, &angle_rad);
            sum += distance_m / 0.05 + angle_rad / 0.0175;
        }
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return motions[best];
}

// Poses along the way with the fewest links, as such a service would compose them.
static void
errors_of_chains(fuse_link *fuse, uint32_t from, double *ret_errors)
{
    struct rigid poses[WORLD_SCENES]; // maps coordinates of `from` to the scene's
    bool is_placed[WORLD_SCENES] = {false};
    uint32_t queue[WORLD_SCENES], first = 0, last = 0;
    poses[from] = rigid_identity;
    is_placed[from] = true;
    queue[last++] = from;
    while (first < last) {
        uint32_t scene = queue[first++];
        for (size_t i = 0, count; i < world.count; i += count) {
            struct rigid motions[8];
            const struct sighting *link = &world.sightings[i];
            for (count = 0; i + count < world.count && world.sightings[i + count].a == link->a &&
                            world.sightings[i + count].b == link->b;
                 count++)
                motions[count] = rigid_between(&world.sightings[i + count].corrections[0].pose,
                                               &world.sightings[i + count].corrections[1].pose);
            if (link->a != scene && link->b != scene)
                continue;
            uint32_t other = link->a == scene ? link->b : link->a;
            if (is_placed[other])
                continue;
            struct rigid motion = fuse(motions, count);
            if (link->b == scene)
                motion = rigid_invert(&motion);
            poses[other] = rigid_compose(&motion, &poses[scene]);
            is_placed[other] = true;
            queue[last++] = other;
        }
    }
    for (uint32_t to = 0; to < WORLD_SCENES; to++) {
        struct rigid truth = world_truth(&world, from, to);
        double angle_rad;
        rigid_difference(&truth, &poses[to], &ret_errors[to], &angle_rad);
    }
}

static void
print_weaker(const char *name, fuse_link *fuse)
{
    static double errors[WORLD_SCENES * WORLD_SCENES];
    size_t count = 0;
    for (uint32_t from = 0; from < WORLD_SCENES; from++) {
        double row[WORLD_SCENES];
        errors_of_chains(fuse, from, row);
        for (uint32_t to = from + 1; to < WORLD_SCENES; to++)
            errors[count++] = row[to];
    }
    double p50 = percentile(errors, count, 0.5), p95 = percentile(errors, count, 0.95);
    printf("    %-34s p50 %6.2f m   p95 %6.2f m\n", name, p50, p95);
}

static void
print_verdicts(const solution_t *solution)
{
    int wrong = 0, missed = 0, falsely = 0;
    for (size_t i = 0; i < world.count; i++) {
        const struct sighting *sighting = &world.sightings[i];
        const struct verdict *verdicts;
        bool is_rejected = false;
        size_t count = solution_verdicts(solution, sighting->b + 1, &verdicts);
        for (size_t k = 0; k < count; k++)
            if (strcmp(verdicts[k].id, sighting->corrections[1].id) == 0)
                is_rejected = verdicts[k].rejection != NOT_REJECTED;
        wrong += sighting->is_wrong;
        missed += sighting->is_wrong && !is_rejected;
        falsely += !sighting->is_wrong && is_rejected;
    }
    printf("    %-34s wrong %d, missed %d, good ones rejected %d\n", "verdicts", wrong, missed,
           falsely);
}

static void
print_ours(void)
{
    evidence_t *evidence = evidence_create();
    world_put(&world, evidence);
    double start_s = now_s();
    solution_t *solution = evidence_solve(evidence, NULL, 0);
    static double errors[WORLD_SCENES * WORLD_SCENES], sure[WORLD_SCENES * WORLD_SCENES];
    double solved_s = now_s() - start_s, within = 0;
    size_t count = 0, sure_count = 0, statuses[4] = {0};
    for (uint32_t from = 0; from < WORLD_SCENES; from++)
        for (uint32_t to = from + 1; to < WORLD_SCENES; to++) {
            struct relation relation;
            struct rigid truth = world_truth(&world, from, to);
            double angle_rad;
            solution_relate(solution, from + 1, to + 1, NULL, NULL, &relation);
            rigid_difference(&truth, &relation.motion, &errors[count], &angle_rad);
            statuses[relation.status]++;
            within += errors[count] <= 3 * sqrt(3) * relation.sigma_t_m;
            if (relation.status == ALIGNMENT_PREDICTED)
                sure[sure_count++] = errors[count];
            count++;
            free(relation.path);
        }
    double p50 = percentile(errors, count, 0.5), p95 = percentile(errors, count, 0.95);
    printf("    %-34s p50 %6.3f m   p95 %6.3f m   %.0f ms\n", "cycle votes, robust pose graph", p50,
           p95, solved_s * 1e3);
    printf("    %-34s none %zu, unverified %zu, predicted %zu, conflicting %zu; within 3 sigma "
           "%.1f %%; p95 of predicted %.3f m\n",
           "", statuses[0], statuses[1], statuses[2], statuses[3], 100 * within / (double)count,
           percentile(sure, sure_count, 0.95));
    print_verdicts(solution);
    solution_unref(&solution);
    evidence_destroy(&evidence);
}

int
main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const int per_links[] = {5, 2, 1};
    for (int i = 0; i < 3; i++)
        for (size_t seed = 0; seed < sizeof seeds / sizeof *seeds; seed++) {
            world_make(&world, seeds[seed], per_links[i], 0.1);
            printf("%d per link, 10 %% wrong, seed %zu\n", per_links[i], seed + 1);
            print_weaker("last write wins", last_one);
            print_weaker("plain mean per link", plain_mean);
            print_weaker("medoid per link", medoid);
            print_ours();
        }
}
