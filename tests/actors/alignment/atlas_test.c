// atlas_test.c - scenes, bearings and solutions that all scene actors share.
#include "actors/alignment/atlas.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/device.h"
#include "proto/records/scene.h"

static atlas_t *atlas;
static struct arena arena;

static void
begin(void)
{
    atlas = atlas_create();
}

static void
end(void)
{
    atlas_destroy(&atlas);
    arena_finish(&arena);
}

TestSuite(atlas, .init = begin, .fini = end);

static void
put_scene(int64_t id, const char *key, const char *owner, bool is_public)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, key));
    record_set_text(&scene->base, SCENE_USER, text_from(&arena, owner));
    record_set_integer(&scene->base, SCENE_ID, id);
    scene->is_public = is_public;
    record_mark(&scene->base, SCENE_PUBLIC);
    const packed_t *packed = record_pack(&scene_schema, &scene->base);
    atlas_put_scene(atlas, packed);
    packed_unref(&packed);
}

static bool
has_scene(uint64_t id, const char *key)
{
    const packed_t *by_id = atlas_scene(atlas, id),
                   *by_key = atlas_scene_named(atlas, text_from(&arena, key));
    bool is_there = by_id && by_id == by_key;
    cr_assert_eq(!by_id, !by_key);
    packed_unref(&by_id);
    packed_unref(&by_key);
    return is_there;
}

static bool
sees(uint64_t id, const char *user)
{
    struct caller caller = {.role = CALLER_USER};
    snprintf(caller.user, sizeof caller.user, "%s", user);
    return atlas_sees(atlas, id, &caller);
}

Test(atlas, scenes_are_found_by_id_and_by_key_until_they_go)
{
    put_scene(1, "hall", "ann", true);
    put_scene(2, "yard", "ann", true);
    cr_assert(has_scene(1, "hall"));
    cr_assert(has_scene(2, "yard"));
    atlas_remove_scene(atlas, 1);
    cr_assert_not(has_scene(1, "hall"));
    cr_assert(has_scene(2, "yard"));
}

Test(atlas, private_scenes_are_their_owners_and_the_administrators)
{
    const struct caller admin = {.role = CALLER_ADMIN};
    put_scene(1, "hall", "ann", false);
    cr_assert(sees(1, "ann"));
    cr_assert_not(sees(1, "ben"));
    cr_assert(atlas_sees(atlas, 1, &admin));
    cr_assert_not(atlas_sees(atlas, 2, &admin), "there is none");
}

Test(atlas, only_changes_of_access_are_counted)
{
    put_scene(1, "hall", "ann", true);
    uint64_t access = atlas_access(atlas);
    put_scene(1, "hall", "ann", true);
    put_scene(2, "yard", "ann", true);
    cr_assert_eq(atlas_access(atlas), access);
    put_scene(1, "hall", "ann", false);
    cr_assert_eq(atlas_access(atlas), access + 1);
    put_scene(1, "hall", "ben", false);
    cr_assert_eq(atlas_access(atlas), access + 2);
    atlas_remove_scene(atlas, 1);
    cr_assert_eq(atlas_access(atlas), access + 3);
}

// `pose` (NULL: none) is where the device says that it stands.
static void
put_device(const char *key, uint64_t scene_id, int64_t since_us, struct pose *pose,
           uint64_t time_us)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, key));
    record_set_integer(device, DEVICE_SINCE, since_us);
    if (pose) {
        ((struct device *)(void *)device)->rare->transform = &pose->base;
        record_mark(device, DEVICE_TRANSFORM);
    }
    const frozen_t *frozen = record_freeze(&device_schema, device);
    atlas_put_device(atlas, scene_id, frozen, time_us);
    record_unref(&frozen);
}

static struct pose *
pose_at(double x)
{
    struct pose *pose = (struct pose *)(void *)record_new(&arena, &pose_schema);
    pose->translation[0] = x;
    record_mark(&pose->base, POSE_TRANSLATION);
    return pose;
}

static void
put_bearing(const char *device, uint64_t scene_id, uint64_t time_us)
{
    put_device(device, scene_id, 1, pose_at(0), time_us);
}

// The scenes of a device's bearings as they come, a digit each.
static unsigned
bearings(const char *device, size_t count)
{
    struct bearing found[4];
    size_t got = atlas_bearings(atlas, text_from(&arena, device), count, found);
    unsigned digits = 0;
    for (size_t i = 0; i < got; i++)
        digits = digits * 10 + (unsigned)found[i].scene_id;
    return digits;
}

Test(atlas, bearings_come_the_newest_first)
{
    put_bearing("phone", 1, 100);
    put_bearing("phone", 2, 300);
    put_bearing("phone", 3, 200);
    put_bearing("robot", 4, 1);
    cr_assert_eq(bearings("phone", 4), 231);
    cr_assert_eq(bearings("phone", 2), 23);
    cr_assert_eq(bearings("robot", 4), 4);
    put_bearing("phone", 1, 400);
    cr_assert_eq(bearings("phone", 4), 123);
}

Test(atlas, a_bearing_is_what_the_newest_record_says)
{
    struct bearing found[2];
    const struct text *phone = text_from(&arena, "phone");
    put_device("phone", 1, 70, pose_at(3), 100);
    put_device("phone", 1, 70, pose_at(4), 200);
    cr_assert_eq(atlas_bearings(atlas, phone, 2, found), 1);
    cr_assert_eq(found[0].pose.translation[0], 4);
    cr_assert_eq(found[0].pose.rotation[0], 1);
    cr_assert_eq(found[0].time_us, 200);
    cr_assert_eq(found[0].sigma_t_m, 0.05);
    put_device("phone", 1, 70, NULL, 0);
    cr_assert_eq(atlas_bearings(atlas, phone, 2, found), 0);
}

Test(atlas, silent_bearings_are_none_but_keep_the_session)
{
    const struct text *phone = text_from(&arena, "phone");
    cr_assert_eq(atlas_session(atlas, phone), 0);
    put_device("phone", 2, 50, NULL, 0);
    put_device("phone", 1, 70, pose_at(0), 100);
    cr_assert_eq(bearings("phone", 4), 1);
    cr_assert_eq(atlas_session(atlas, phone), 50);
    atlas_remove_device(atlas, 2, phone);
    cr_assert_eq(atlas_session(atlas, phone), 70);
    atlas_remove_device(atlas, 1, phone);
    cr_assert_eq(atlas_session(atlas, phone), 0);
}

Test(atlas, bearings_go_with_their_scene)
{
    put_bearing("phone", 1, 100);
    put_bearing("phone", 2, 300);
    atlas_remove_device(atlas, 2, text_from(&arena, "phone"));
    atlas_remove_device(atlas, 7, text_from(&arena, "phone"));
    atlas_remove_device(atlas, 1, text_from(&arena, "robot"));
    cr_assert_eq(bearings("phone", 4), 1);
    atlas_remove_device(atlas, 1, text_from(&arena, "phone"));
    cr_assert_eq(bearings("phone", 4), 0);
}

Test(atlas, the_newest_solution_is_read_while_older_ones_are_in_use)
{
    evidence_t *evidence = evidence_create();
    uint64_t epoch;
    cr_assert_null(atlas_solution(atlas, &epoch));
    cr_assert_eq(epoch, 0);
    solution_t *first = evidence_solve(evidence, NULL, 1),
               *second = evidence_solve(evidence, NULL, 1);
    solution_t *published = solution_ref(first);
    atlas_publish(atlas, &published, 5);
    cr_assert_null(published);
    solution_t *read = atlas_solution(atlas, &epoch);
    cr_assert_eq(read, first);
    cr_assert_eq(epoch, 5);
    published = solution_ref(second);
    atlas_publish(atlas, &published, 6);
    cr_assert_eq(atlas_epoch(atlas), 6);
    solution_unref(&read);
    solution_unref(&first);
    solution_unref(&second);
    evidence_destroy(&evidence);
}
