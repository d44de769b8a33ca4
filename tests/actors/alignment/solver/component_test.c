// component_test.c - components found, compared and asked.
#include "actors/alignment/solver/component.h"

#include <criterion/criterion.h>

#include "proto/base/memory.h"
#include "tests/support/worlds.h"

// Scenes 10, 20 and 30 with a correction each, whose centres are at x = 100, 200 and 300.
static struct component *
make(void)
{
    uint64_t *scenes = memory_take(3 * sizeof *scenes);
    double *centres = memory_take_zeroed(9 * sizeof *centres);
    struct component_correction *corrections = memory_take_zeroed(3 * sizeof *corrections);
    for (uint32_t i = 0; i < 3; i++) {
        scenes[i] = (i + 1) * 10;
        centres[i * 3] = (i + 1) * 100;
        corrections[i] = (struct component_correction){
            .correction = correction_of(i, scenes[i], 1, &rigid_identity), .scene = i};
    }
    struct component *self = component_create(3, &scenes, &centres, 3, &corrections);
    cr_assert_null(scenes);
    cr_assert_null(centres);
    cr_assert_null(corrections);
    return self;
}

Test(component, a_scene_is_found_by_its_id)
{
    struct component *component = make();
    cr_assert_eq(component_find(component, 10), 0);
    cr_assert_eq(component_find(component, 20), 1);
    cr_assert_eq(component_find(component, 30), 2);
    cr_assert_eq(component_find(component, 9), UINT32_MAX);
    cr_assert_eq(component_find(component, 25), UINT32_MAX);
    cr_assert_eq(component_find(component, 31), UINT32_MAX);
    component_unref(&component);
}

Test(component, it_lives_until_its_last_reference_ends)
{
    struct component *component = make(), *other = component_ref(component);
    component_unref(&component);
    cr_assert_null(component);
    cr_assert_eq(component_find(other, 20), 1);
    component_unref(&other);
    component_unref(&other);
}

Test(component, those_of_the_same_evidence_are_the_same)
{
    struct component *one = make(), *other = make();
    cr_assert(component_is_same(one, other));
    component_unref(&one);
    component_unref(&other);
}

Test(component, any_difference_of_a_correction_makes_another)
{
    struct component *one = make(), *other = make();
    other->corrections[1].correction.pose.translation[2] = 1e-9;
    cr_assert_not(component_is_same(one, other));
    other->corrections[1] = one->corrections[1];
    other->corrections[2].fade = 1;
    cr_assert_not(component_is_same(one, other));
    other->corrections[2] = one->corrections[2];
    other->corrections[0].correction.is_pinned = true;
    cr_assert_not(component_is_same(one, other));
    component_unref(&one);
    component_unref(&other);
}

// Poses map from centres to the centre of the first scene: here all three are at its x = 0, 1, 2.
Test(component, a_motion_is_between_the_origins_of_scenes)
{
    struct component *component = make();
    component->poses = memory_take(3 * sizeof *component->poses);
    for (int i = 0; i < 3; i++) {
        component->poses[i] = rigid_identity;
        component->poses[i].translation[0] = i;
    }
    struct rigid motion =
        component_motion(component, 0, 1); // 0 - 1 between centres, then + 200 - 100
    cr_assert_float_eq(motion.translation[0], 99, 1e-12);
    motion = component_motion(component, 2, 0);
    cr_assert_float_eq(motion.translation[0], -198, 1e-12);
    component_unref(&component);
}

Test(component, a_link_is_alive_while_one_observation_is_accepted)
{
    struct component *component = make();
    struct observations *observations = &component->observations;
    observations->items = memory_take_zeroed(3 * sizeof *observations->items);
    observations->count = 3;
    const struct link first = {.a = 0, .b = 1, .first = 0, .count = 2};
    const struct link second = {.a = 1, .b = 2, .first = 2, .count = 1};
    observations->items[1].is_accepted = true;
    cr_assert(component_link_is_alive(component, &first));
    cr_assert_not(component_link_is_alive(component, &second));
    component_unref(&component);
}
