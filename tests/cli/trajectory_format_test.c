// trajectory_format_test.c - formats are found by name and by columns; rotations become unit
// quaternions.
#include "tools/cli/trajectory_format.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/arena.h"
#include "proto/base/text.h"
#include "proto/spatial/convention.h"

static const char *
guessed(size_t columns)
{
    const struct trajectory_format *format = trajectory_format_guess(columns);
    return format ? format->name : "none";
}

Test(trajectory_format, name_finds_its_row)
{
    for (size_t i = 0; i < trajectory_formats_count; i++)
        cr_expect_eq(trajectory_format_find(trajectory_formats[i].name), &trajectory_formats[i]);
    cr_expect_null(trajectory_format_find("auto"));
}

Test(trajectory_format, columns_tell_the_format)
{
    cr_expect_str_eq(guessed(4), "ucy");
    cr_expect_str_eq(guessed(5), "walk");
    cr_expect_str_eq(guessed(8), "tum");
    cr_expect_str_eq(guessed(12), "kitti");
    cr_expect_str_eq(guessed(17), "euroc");
    cr_expect_str_eq(guessed(6), "none");
    cr_expect_str_eq(guessed(0), "none");
}

Test(trajectory_format, columns_and_axes_of_each_row_exist)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < trajectory_formats_count; i++) {
        const struct trajectory_format *format = &trajectory_formats[i];
        const struct convention *convention;
        const char *name = format->convention;
        cr_expect_eq(convention_find(text_new(&arena, name, strlen(name)), "", &convention), OK);
        cr_expect_leq(format->columns, TRAJECTORY_COLUMNS);
        for (int k = 0; k < 3; k++)
            cr_expect_lt(format->position[k], (int)format->columns);
        for (int k = 0; k < 4; k++)
            cr_expect_lt(format->rotation[k], (int)format->columns);
    }
    arena_finish(&arena);
}

Test(trajectory_format, quaternion_becomes_a_unit_one)
{
    const double numbers[8] = {0, 0, 0, 0, 0, 0, 0, -1.5}; // w is last, and negative
    double rotation[4];
    const struct trajectory_format *tum = trajectory_format_find("tum");
    cr_assert(trajectory_format_has_rotation(tum));
    cr_assert(trajectory_format_rotation(tum, numbers, rotation));
    cr_expect_arr_eq(rotation, ((double[]){1, 0, 0, 0}), sizeof rotation);
}

Test(trajectory_format, walks_have_no_rotation)
{
    cr_expect_not(trajectory_format_has_rotation(trajectory_format_find("walk")));
    cr_expect_not(trajectory_format_has_rotation(trajectory_format_find("eth")));
    cr_expect(trajectory_format_has_rotation(trajectory_format_find("kitti")));
}
