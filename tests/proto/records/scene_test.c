// scene_test.c - the place of a scene on the map, and its record with devices.
#include "proto/records/scene.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(scene, .fini = end);

static struct scene *
scene_at(double latitude, double longitude)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, "hall"));
    scene->latitude = latitude;
    scene->longitude = longitude;
    record_mark(&scene->base, SCENE_LATITUDE);
    record_mark(&scene->base, SCENE_LONGITUDE);
    return scene;
}

Test(scene, place_is_told_of_one_that_is_on_the_map)
{
    double latitude, longitude;
    cr_expect(scene_place_on_map(&scene_at(48.5, 11.25)->base, &latitude, &longitude));
    cr_expect_eq(48.5, latitude);
    cr_expect_eq(11.25, longitude);
    cr_expect_not(scene_place_on_map(&scene_at(120, 11)->base, &latitude, &longitude));
}

Test(scene, copy_with_devices_shows_them_and_leaves_the_record_as_it_is)
{
    const struct scene *scene = scene_at(48.5, 11.25);
    const struct records *none = records_new(&arena, 0);
    const struct scene *shown = scene_with_devices(&arena, &scene->base, none);
    cr_expect_eq(none, shown->devices);
    cr_expect(record_has(&shown->base, SCENE_DEVICES));
    cr_expect(text_is(shown->key, "hall"));
    cr_expect_not(record_has(&scene->base, SCENE_DEVICES));
}
