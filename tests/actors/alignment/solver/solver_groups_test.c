// solver_groups_test.c - wrong devices that agree with each other, as where two places look alike:
// twelve by twelve scenes, each linked with its neighbours by one device.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

enum { WIDTH = 12, SCENES = WIDTH * WIDTH, LINKS = 2 * WIDTH * (WIDTH - 1), GROUPS = 6, GROUP = 5 };
enum { MOST = (LINKS + GROUPS * GROUP) * 2 };

struct town {
    struct rigid scenes[SCENES];
    size_t count;
    struct correction corrections[MOST];
};

// A device that stands at a random place, as seen from both scenes; `twist` is what the second one
// is wrong by.
static void
add_device(struct town *town, struct random *chance, uint32_t a, uint32_t b,
           const struct rigid *twist)
{
    struct rigid place = random_motion(chance, 3);
    const uint32_t ends[2] = {a, b};
    uint64_t device = town->count / 2 + 1;
    for (int i = 0; i < 2; i++) {
        double noise[6];
        for (int k = 0; k < 6; k++)
            noise[k] = random_normal(chance, k < 3 ? 0.05 : 0.0175);
        struct rigid back = rigid_invert(&town->scenes[ends[i]]), error = rigid_exp(noise);
        struct rigid at = rigid_compose(&town->scenes[a], &place);
        at = i ? rigid_compose(twist, &at) : at;
        struct rigid seen = rigid_compose(&back, &at);
        seen = rigid_compose(&seen, &error);
        town->corrections[town->count++] =
            correction_of(device * 2 + (uint64_t)i, ends[i] + 1, device, &seen);
    }
}

static struct town *
make_town(uint64_t seed)
{
    static struct town town;
    struct random chance = {seed};
    town.count = 0;
    for (uint32_t i = 0; i < SCENES; i++) {
        struct rigid turn = random_motion(&chance, 1);
        town.scenes[i] = turn;
        town.scenes[i].translation[0] = i % WIDTH * 8.0;
        town.scenes[i].translation[1] = i / WIDTH * 8.0;
    }
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i % WIDTH + 1 < WIDTH)
            add_device(&town, &chance, i, i + 1, &rigid_identity);
        if (i + WIDTH < SCENES)
            add_device(&town, &chance, i, i + WIDTH, &rigid_identity);
    }
    for (uint32_t group = 0; group < GROUPS; group++) {
        struct rigid twist = random_motion(&chance, 30);
        for (uint32_t i = 0; i < GROUP; i++)
            add_device(&town, &chance, group * WIDTH + 1 + i, (11 - group) * WIDTH + 6 + i, &twist);
    }
    return &town;
}

static evidence_t *
put(const struct town *town, bool is_backwards)
{
    evidence_t *evidence = evidence_create();
    for (size_t i = 0; i < town->count; i++)
        evidence_put(evidence, &town->corrections[is_backwards ? town->count - 1 - i : i]);
    return evidence;
}

static struct rigid
relate(const solution_t *solution, uint32_t scene)
{
    struct relation relation;
    solution_relate(solution, 1, scene + 1, NULL, NULL, &relation);
    free(relation.path);
    return relation.motion;
}

// Metres and radians.
#define SAME 1e-6

Test(solver_groups, groups_of_five_do_not_move_scenes)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct town *town = make_town(seed);
        evidence_t *with = put(town, false);
        town->count = (size_t)LINKS * 2;
        evidence_t *without = put(town, false);
        solution_t *one = evidence_solve(with, NULL, 1), *other = evidence_solve(without, NULL, 1);
        for (uint32_t scene = 1; scene < SCENES; scene++) {
            struct rigid left = relate(one, scene), right = relate(other, scene);
            double distance_m, angle_rad;
            rigid_difference(&left, &right, &distance_m, &angle_rad);
            cr_assert_lt(distance_m, SAME, "seed %lu, scene %u: %g m", seed, scene, distance_m);
            cr_assert_lt(angle_rad, SAME, "seed %lu, scene %u: %g rad", seed, scene, angle_rad);
        }
        solution_unref(&one);
        solution_unref(&other);
        evidence_destroy(&with);
        evidence_destroy(&without);
    }
}

Test(solver_groups, groups_of_five_are_rejected_and_nothing_else)
{
    const struct town *town = make_town(6);
    evidence_t *evidence = put(town, false);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    size_t rejected = 0, right = 0;
    for (uint64_t scene = 1; scene <= SCENES; scene++) {
        const struct verdict *verdicts;
        size_t count = solution_verdicts(solution, scene, &verdicts);
        for (size_t i = 0; i < count; i++) {
            bool is_wrong = strtoull(verdicts[i].id, NULL, 10) / 2 > LINKS;
            bool is_rejected = verdicts[i].rejection != NOT_REJECTED;
            rejected += is_wrong && is_rejected;
            right += !is_wrong && is_rejected;
        }
    }
    cr_assert_eq(rejected, GROUPS * GROUP * 2);
    cr_assert_eq(right, 0);
    solution_unref(&solution);
    evidence_destroy(&evidence);
}

Test(solver_groups, the_order_of_arrival_changes_no_bit)
{
    const struct town *town = make_town(7);
    evidence_t *one = put(town, false), *other = put(town, true);
    solution_t *first = evidence_solve(one, NULL, 1), *second = evidence_solve(other, NULL, 1);
    for (uint32_t scene = 1; scene < SCENES; scene++) {
        struct rigid left = relate(first, scene), right = relate(second, scene);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(left.translation[i], right.translation[i]);
    }
    solution_unref(&first);
    solution_unref(&second);
    evidence_destroy(&one);
    evidence_destroy(&other);
}
