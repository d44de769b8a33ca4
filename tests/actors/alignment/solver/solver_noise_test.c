// solver_noise_test.c - devices that are noisier than they claim: nobody is rejected for it, and
// answers do not say that they are surer than they are.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

static struct world world;

// The mean squared error of confident answers over the variance that they claim.
static double
nees_of(const solution_t *solution)
{
    double sum = 0;
    int count = 0;
    for (uint32_t from = 0; from < WORLD_SCENES; from++)
        for (uint32_t to = from + 1; to < WORLD_SCENES; to++) {
            struct relation relation;
            struct rigid truth = world_truth(&world, from, to);
            double distance_m, angle_rad;
            solution_relate(solution, from + 1, to + 1, NULL, NULL, &relation);
            rigid_difference(&truth, &relation.motion, &distance_m, &angle_rad);
            cr_assert_eq(relation.status, ALIGNMENT_PREDICTED);
            sum += distance_m * distance_m / (3 * relation.sigma_t_m * relation.sigma_t_m);
            count++;
            free(relation.path);
        }
    return sum / count;
}

static int
count_rejected(const solution_t *solution)
{
    int rejected = 0;
    for (uint64_t scene = 1; scene <= WORLD_SCENES; scene++) {
        const struct verdict *verdicts;
        size_t count = solution_verdicts(solution, scene, &verdicts);
        for (size_t i = 0; i < count; i++)
            rejected += verdicts[i].rejection != NOT_REJECTED;
    }
    return rejected;
}

// Devices claim a third of the noise that they have. Of five worlds together, as one world's
// errors are all of one throw.
Test(solver_noise, understated_sigmas_are_corrected)
{
    double nees = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        evidence_t *evidence = evidence_create();
        world_make(&world, seed, 5, 0);
        for (size_t i = 0; i < world.count; i++)
            for (int k = 0; k < 2; k++) {
                world.sightings[i].corrections[k].sigma_t_m /= 3;
                world.sightings[i].corrections[k].sigma_r_rad /= 3;
            }
        world_put(&world, evidence);
        solution_t *solution = evidence_solve(evidence, NULL, 1);
        const struct verdict *verdicts;
        nees += nees_of(solution) / 5;
        cr_assert_leq(count_rejected(solution), 2, "%d", count_rejected(solution));
        solution_verdicts(solution, 1, &verdicts);
        cr_assert_float_eq(verdicts[0].noise_factor, 3, 0.4, "%.2f", verdicts[0].noise_factor);
        solution_unref(&solution);
        evidence_destroy(&evidence);
    }
    cr_assert(nees > 0.7 && nees < 1.5, "%.2f", nees);
}
