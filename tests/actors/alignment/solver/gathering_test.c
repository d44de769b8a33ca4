// gathering_test.c - which corrections count, in which component, at which step of their session.
#include "actors/alignment/solver/gathering.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/worlds.h"

enum { MOST = 16, SECOND_US = 1000000 };

static struct correction corrections[MOST];
static struct visit visits[MOST];
static size_t visit_count;

// The device says at its next second that it stands at x in the scene.
static struct visit *
say(uint64_t device, uint64_t scene_id, double x)
{
    struct rigid pose = rigid_identity;
    pose.translation[0] = x;
    struct correction *correction = &corrections[visit_count];
    *correction = correction_of(visit_count + 1, scene_id, device, &pose);
    correction->time_us = (visit_count + 1) * SECOND_US;
    visits[visit_count] = (struct visit){.correction = correction};
    return &visits[visit_count++];
}

static struct component **components;
static size_t component_count;

static void
gather(uint64_t now_us)
{
    components = gathering_components(visits, visit_count, now_us, &component_count);
}

static void
end(void)
{
    while (component_count)
        component_unref(&components[--component_count]);
    free(components);
}

TestSuite(gathering, .fini = end);

Test(gathering, scenes_of_one_session_are_one_component)
{
    say(7, 1, 0);
    say(7, 2, 0);
    say(8, 3, 0);
    gather(0);
    cr_assert_eq(component_count, 2);
    cr_assert_eq(components[0]->scene_count, 2);
    cr_assert_eq(components[1]->scene_count, 1);
    cr_assert_eq(components[1]->scenes[0], 3);
}

Test(gathering, what_is_superseded_does_not_count_and_was_a_step)
{
    say(7, 1, 0)->is_superseded = true;
    say(7, 2, 0);
    say(7, 1, 5);
    gather(0);
    cr_assert_eq(component_count, 1);
    cr_assert_eq(components[0]->correction_count, 2);
    cr_assert_eq(components[0]->corrections[0].step, 2); // in scene 1: there, away and back
    cr_assert_eq(components[0]->corrections[1].step, 1);
}

Test(gathering, what_has_faded_is_left_out_and_connects_nothing)
{
    say(7, 1, 0);
    say(7, 2, 0);
    corrections[1].half_life_s = 1;
    gather(60 * SECOND_US);
    cr_assert_eq(component_count, 2);
    cr_assert_not(components[0]->corrections[0].is_left_out);
    cr_assert(components[1]->corrections[0].is_left_out);
}

Test(gathering, who_stands_off_the_earth_is_left_out)
{
    for (uint64_t device = 1; device <= 3; device++)
        say(device, 1, 10);
    say(4, 1, 1.1e7);
    gather(0);
    size_t left_out = 0;
    for (size_t i = 0; i < component_count; i++)
        for (size_t k = 0; k < components[i]->correction_count; k++)
            left_out += components[i]->corrections[k].is_left_out;
    cr_assert_eq(left_out, 1);
    cr_assert_eq(components[0]->centres[0], 10);
}

Test(gathering, nothing_makes_no_component)
{
    gather(0);
    cr_assert_eq(component_count, 0);
}
