// demo_layout_test.c - what stands in the scenes of the demo has a name and a place of its own, and
// both scenes show the same devices.
#include "tools/cli/demo_layout.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tools/cli/demo_models.h"

static struct demo_thing things[DEMO_THINGS_MAX];

Test(demo_layout, every_thing_has_a_name_of_its_own)
{
    size_t count = demo_things(STAGE_PLAZA, 20, things);
    cr_assert_leq(count, DEMO_THINGS_MAX);
    for (size_t i = 0; i < count; i++)
        for (size_t other = 0; other < i; other++)
            cr_expect_str_neq(things[i].name, things[other].name);
}

Test(demo_layout, some_things_have_models_and_some_are_primitives)
{
    size_t count = demo_things(STAGE_PLAZA, 20, things), primitives = 0;
    for (size_t i = 0; i < count; i++) {
        cr_expect_lt(things[i].model, DEMO_MODELS);
        primitives += things[i].model < 0;
    }
    cr_expect_eq(primitives, 6);
    cr_expect_gt(count, 20);
}

Test(demo_layout, more_people_have_a_wider_plaza)
{
    demo_things(STAGE_PLAZA, 20, things);
    double few = things[0].matrix[0];
    demo_things(STAGE_PLAZA, 500, things);
    double many = things[0].matrix[0];
    cr_expect_float_eq(few, 1, 1e-12);
    cr_expect_gt(many * DEMO_PLAZA_M, demo_walk_reach(500));
    cr_expect_float_eq(things[0].matrix[5], 1, 1e-12, "it is as high as before");
}

Test(demo_layout, walkers_are_upright_and_differ_in_their_clothes)
{
    struct demo_thing one = demo_walker(20, 0, 5), other = demo_walker(20, 1, 5);
    cr_expect_str_eq(one.name, "walker 1");
    cr_expect_neq(one.model, other.model);
    cr_expect(one.matrix[1] == 0 && one.matrix[5] == 1 && one.matrix[9] == 0);
    cr_expect(one.matrix[7] == 0, "on the ground");
}

// The link between two stages, of one device: where the origin of the pavilion is on the plaza.
static void
link_of(size_t device, double ret_link[3])
{
    struct demo_stand plaza = demo_device(STAGE_PLAZA, 20, device);
    struct demo_stand pavilion = demo_device(STAGE_PAVILION, 20, device);
    double turn = plaza.rotation[1] - pavilion.rotation[1];
    double x = pavilion.translation[0], z = pavilion.translation[2];
    ret_link[0] = plaza.translation[0] - (cos(turn) * x + sin(turn) * z);
    ret_link[1] = plaza.translation[1] - pavilion.translation[1];
    ret_link[2] = plaza.translation[2] - (-sin(turn) * x + cos(turn) * z);
}

Test(demo_layout, all_devices_agree_how_the_two_scenes_relate)
{
    static const double door[3] = {2.7, 0.3, 0};
    for (size_t device = 0; device < DEMO_DEVICES; device++) {
        double link[3];
        link_of(device, link);
        for (size_t i = 0; i < 3; i++)
            cr_expect_float_eq(link[i], door[i], 1e-12, "device %zu", device);
    }
}
