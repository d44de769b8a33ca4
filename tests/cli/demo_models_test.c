// demo_models_test.c - every model of the demo stands on the ground, and none is large.
#include "tools/cli/demo_models.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/json_value.h"

static void
bounds_of(size_t model, double least[3], double most[3])
{
    owned(buffer_finish) struct buffer file = {0};
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    uint32_t json_size;
    demo_model_put(model, &file);
    cr_expect_lt(file.size, 150000);
    memcpy(&json_size, file.data + 12, sizeof json_size);
    cr_assert_eq(json_parse(&arena, file.data + 20, json_size, &json), OK);
    const struct json *positions = json_value_item(json, "accessors", 0);
    cr_assert(json_value_numbers(positions, "min", 3, least));
    cr_assert(json_value_numbers(positions, "max", 3, most));
}

Test(demo_models, all_stand_on_the_ground)
{
    for (size_t model = 0; model < DEMO_MODELS; model++) {
        double least[3], most[3];
        bounds_of(model, least, most);
        cr_expect(least[1] >= 0 && least[1] < 0.05, "%s", demo_model_name(model));
        cr_expect_gt(most[1], 0);
    }
}

Test(demo_models, a_person_is_as_high_as_people_are)
{
    double least[3], most[3];
    bounds_of(MODEL_WALKER, least, most);
    cr_expect(most[1] > 1.7 && most[1] < 1.9);
    cr_expect_lt(most[0] - least[0], 0.7);
}

Test(demo_models, names_differ)
{
    for (size_t model = 0; model < DEMO_MODELS; model++)
        for (size_t other = 0; other < model; other++)
            cr_expect_str_neq(demo_model_name(model), demo_model_name(other));
}
