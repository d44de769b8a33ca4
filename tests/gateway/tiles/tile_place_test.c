// tile_place_test.c - where the axes of tilesets stand.
#include "gateway/tiles/tile_place.h"

#include <criterion/criterion.h>

#include "proto/records/device.h"
#include "proto/records/scene.h"

static struct message *message;
static struct arena arena;

static void
begin(void)
{
    message = message_create(SCENE_LAYOUT);
}

static void
end(void)
{
    message_destroy(&message);
    arena_finish(&arena);
}

TestSuite(tile_place, .init = begin, .fini = end);

static void
take(const struct record *loose)
{
    const frozen_t *frozen = record_freeze(loose->schema, loose);
    reply_add(message, frozen);
    record_unref(&frozen);
}

static void
take_scene(double latitude, double longitude, double height_m, double heading_deg)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, "hall"));
    scene->latitude = latitude;
    scene->longitude = longitude;
    scene->height_m = height_m;
    scene->heading_deg = heading_deg;
    scene->base.present |= FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE) |
                           FIELD_BIT(SCENE_HEIGHT) | FIELD_BIT(SCENE_HEADING);
    take(&scene->base);
}

static void
expect(const double *wanted)
{
    struct tile_place place;
    cr_assert_eq(OK, tile_place_find(message, &place));
    cr_assert(place.is_on_earth);
    for (int i = 0; i < 16; i++)
        cr_expect_float_eq(place.transform[i], wanted[i], 1e-9, "%d: %.17g", i, place.transform[i]);
}

Test(tile_place, is_turned_by_the_heading_of_the_scene)
{
    // -Z, which is Y of the tileset, points east: Y of the Earth. X points south.
    static const double root[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 6378147, 0, 0, 1};
    take_scene(0, 0, 10, 90);
    expect(root);
}

Test(tile_place, is_known_at_a_pole_and_at_the_date_line)
{
    static const double line[16] = {0, -1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, -6378137, 0, 0, 1};
    static const double pole[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 6356752.3142451793,
                                    1};
    take_scene(0, -180, 0, 0);
    expect(line);
    reply_truncate(message, 0);
    take_scene(90, 0, 0, 0);
    expect(pole);
}

Test(tile_place, follows_a_pose_in_another_scene)
{
    // turned a quarter about Y there: X of the scene is -Z of the other, which is north
    static const double root[16] = {0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 0, 0, 6378139, 1, -3, 1};
    record_set_text(&message->params->base, PARAMS_PLACED_IN, text_from(&message->arena, "yard"));
    struct relation_record *relation =
        (struct relation_record *)(void *)record_new(&arena, &relation_schema);
    struct pose *pose = (struct pose *)(void *)record_new(&arena, &pose_schema);
    const double translation[3] = {1, 2, 3};
    memcpy(pose->translation, translation, sizeof translation);
    pose->rotation[1] = 1.5707963267948966;
    pose->base.present = FIELD_BIT(POSE_TRANSLATION) | FIELD_BIT(POSE_ROTATION);
    record_set_text(&relation->base, RELATION_STATUS, text_from(&arena, "predicted"));
    relation->transform = &pose->base;
    relation->base.present |= FIELD_BIT(RELATION_TRANSFORM);
    take_scene(40, 40, 0, 0);
    take_scene(0, 0, 0, 0);
    take(&relation->base);
    expect(root);
}

Test(tile_place, is_none_in_a_part)
{
    struct tile_place place;
    record_set_text(&message->params->base, PARAMS_NODE, text_from(&message->arena, "0"));
    take_scene(900, 0, 0, 0);
    cr_assert_eq(OK, tile_place_find(message, &place));
    cr_expect_not(place.is_on_earth);
}

Test(tile_place, is_missing_where_it_is_not_on_the_map)
{
    struct tile_place place;
    struct fault fault;
    take_scene(91, 0, 0, 0);
    cr_assert_eq(ERR_INVALID, tile_place_find(message, &place));
    fault_take(ERR_INVALID, &fault);
    cr_expect_str_eq(fault.pointer, "/latitude");
}
