// scene_relations_test.c - relations as callers may see them, and how many are worked out for one
// answer.
#include "actors/alignment/scene_relations.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/stated.h"

enum { HALL = 1, HIDDEN = 2, YARD = 3, MANY = 100 };

static atlas_t *atlas;
static evidence_t *evidence;
static struct scene_relations relations;
static struct arena arena;

static void
begin(void)
{
    atlas = atlas_create();
    evidence = evidence_create();
}

static void
end(void)
{
    scene_relations_finish(&relations);
    evidence_destroy(&evidence);
    atlas_destroy(&atlas);
    arena_finish(&arena);
}

TestSuite(scene_relations, .init = begin, .fini = end);

static void
put_scene(int64_t id, bool is_public)
{
    stated_scene(atlas, &arena, id, is_public);
}

// A device that stands at x = 0 in one scene and further along x in another one.
static void
relate(uint64_t device, uint64_t from, uint64_t to, double x)
{
    struct correction correction = {.device = device,
                                    .session = device,
                                    .pose = rigid_identity,
                                    .sigma_t_m = 0.05,
                                    .sigma_r_rad = 0.02,
                                    .time_us = 1};
    snprintf(correction.id, sizeof correction.id, "%024d", (int)device * 2);
    correction.scene_id = from;
    evidence_put(evidence, &correction);
    snprintf(correction.id, sizeof correction.id, "%024d", (int)device * 2 + 1);
    correction.scene_id = to;
    correction.pose.translation[0] = x;
    evidence_put(evidence, &correction);
}

static void
publish(uint64_t epoch)
{
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    atlas_publish(atlas, &solution, epoch);
}

static const struct relation *
between(const char *user, uint64_t from, uint64_t to)
{
    struct caller caller = {.role = *user ? CALLER_USER : CALLER_ADMIN};
    snprintf(caller.user, sizeof caller.user, "%s", user);
    return scene_relations_between(&relations, atlas, &caller, from, to);
}

static void
make_three_scenes(void)
{
    put_scene(HALL, true);
    put_scene(HIDDEN, false);
    put_scene(YARD, true);
    relate(1, HALL, HIDDEN, 3);
    relate(2, HIDDEN, YARD, 4);
    publish(1);
}

Test(scene_relations, before_the_first_solution_nothing_leads_anywhere)
{
    put_scene(HALL, true);
    put_scene(YARD, true);
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(between("", HALL, YARD)->status, ALIGNMENT_NONE);
}

Test(scene_relations, a_path_through_a_hidden_scene_is_for_callers_who_may_see_it)
{
    make_three_scenes();
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(between("ben", HALL, YARD)->status, ALIGNMENT_NONE);
    cr_assert_eq(between("ann", HALL, YARD)->path_count, 3);
    cr_assert_eq(between("", HALL, YARD)->path_count, 3);
    cr_assert_float_eq(between("", HALL, YARD)->motion.translation[0], 7, 1e-6);
}

Test(scene_relations, what_becomes_public_leads_on_from_the_next_answer)
{
    make_three_scenes();
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(between("ben", HALL, YARD)->status, ALIGNMENT_NONE);
    put_scene(HIDDEN, true);
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(between("ben", HALL, YARD)->path_count, 3);
    put_scene(HIDDEN, false);
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(between("ben", HALL, YARD)->status, ALIGNMENT_NONE);
}

Test(scene_relations, the_newest_solution_counts_from_the_next_answer)
{
    make_three_scenes();
    scene_relations_begin(&relations, atlas);
    cr_assert_float_eq(between("", HALL, HIDDEN)->motion.translation[0], 3, 1e-6);
    relate(1, HALL, HIDDEN, 5);
    publish(2);
    scene_relations_begin(&relations, atlas);
    cr_assert_eq(relations.epoch, 2);
    cr_assert_float_eq(between("", HALL, HIDDEN)->motion.translation[0], 5, 1e-6);
}

Test(scene_relations, one_answer_gets_few_new_ones_and_the_next_goes_on)
{
    make_three_scenes();
    size_t known = 0;
    for (int answer = 1; answer <= 3; answer++) {
        scene_relations_begin(&relations, atlas);
        size_t found = 0;
        for (uint64_t other = MANY; other < 2 * MANY; other++)
            found += between("", HALL, other) != NULL;
        cr_assert_gt(found, known, "answer %d", answer);
        cr_assert_lt(found, MANY);
        known = found;
    }
}

Test(scene_relations, paths_are_keys_without_those_of_deleted_scenes)
{
    make_three_scenes();
    scene_relations_begin(&relations, atlas);
    const struct relation *relation = between("", HALL, YARD);
    const struct texts *keys = scene_relations_path(atlas, &arena, relation);
    cr_assert_eq(keys->count, 3);
    cr_assert(text_is(keys->items[0], "scene1"));
    cr_assert(text_is(keys->items[1], "scene2"));
    cr_assert(text_is(keys->items[2], "scene3"));
    atlas_remove_scene(atlas, HIDDEN);
    keys = scene_relations_path(atlas, &arena, relation);
    cr_assert_eq(keys->count, 2);
    cr_assert(text_is(keys->items[1], "scene3"));
}
