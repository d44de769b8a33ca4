// tile_items_test.c - matrices of tiles, and how much they stretch spheres.
#include "gateway/tiles/tile_items.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "proto/spatial/convention.h"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(tile_items, .fini = end);

Test(tile_items, matrices_are_those_of_the_convention_enu)
{
    const struct convention *enu = convention_stored(text_from(&arena, "enu"));
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    double wanted[16], found[16];
    for (int i = 0; i < 16; i++)
        wanted[i] = object->transform[i] = i + 1;
    convention_turn(enu, CONVENTION_OUT, AXES_MATRIX, wanted);
    tile_matrix(object, found);
    for (int i = 0; i < 16; i++)
        cr_expect_eq(found[i], wanted[i], "%d", i);
}

Test(tile_items, stretch_at_most_as_far_as_it_is_said)
{
    srand(3);
    for (int round = 0; round < 1000; round++) {
        double matrix[16], point[3], size = 0, stretched = 0;
        for (int i = 0; i < 16; i++)
            matrix[i] = 2.0 * rand() / RAND_MAX - 1;
        for (int i = 0; i < 3; i++)
            point[i] = 2.0 * rand() / RAND_MAX - 1;
        for (int row = 0; row < 3; row++) {
            size += point[row] * point[row];
            double at = matrix[row * 4] * point[0] + matrix[row * 4 + 1] * point[1] +
                        matrix[row * 4 + 2] * point[2];
            stretched += at * at;
        }
        cr_assert_leq(sqrt(stretched), tile_scale_most(matrix) * sqrt(size) * (1 + 1e-12));
        cr_assert_leq(tile_scale_of_columns(matrix), tile_scale_most(matrix) * (1 + 1e-12));
    }
}

Test(tile_items, stretch_by_their_largest_scale_where_nothing_shears)
{
    const double matrix[16] = {0, -3, 0, 9, 2, 0, 0, 9, 0, 0, 1, 9, 0, 0, 0, 1};
    cr_expect_float_eq(tile_scale_most(matrix), 3, 1e-12);
    cr_expect_float_eq(tile_scale_of_columns(matrix), 3, 1e-12);
}

Test(tile_items, spheres_have_z_up_in_their_tiles)
{
    struct asset *asset = (struct asset *)(void *)record_new(&arena, &asset_schema);
    double sphere[4];
    tile_sphere(asset, 2, sphere);
    cr_expect_eq(sphere[3], 2 * TILE_RADIUS_M);
    for (int i = 0; i < 4; i++)
        asset->bounds[i] = i + 1;
    record_mark(&asset->base, ASSET_BOUNDS);
    tile_sphere(asset, 2, sphere);
    cr_expect_eq(sphere[0], 1);
    cr_expect_eq(sphere[1], -3);
    cr_expect_eq(sphere[2], 2);
    cr_expect_eq(sphere[3], 8);
}
