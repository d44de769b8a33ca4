// user_index_test.c - in which scenes a user has devices, as registrations come and go.
#include "actors/scene/user_index.h"

#include <criterion/criterion.h>

#include "proto/records/device.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct scene_state *hall, *yard;
static struct arena arena;

static void
begin(void)
{
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    yard = bare_shard_add_scene(shard, "yard", "");
}

static void
end(void)
{
    arena_finish(&arena);
    bare_shard_end();
}

TestSuite(user_index, .init = begin, .fini = end);

// Registers the user's device, or ends that.
static void
change(void (*how)(struct shard *, struct scene_state *, const frozen_t *),
       struct scene_state *scene, const char *key, const char *user)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, key));
    record_set_text(device, DEVICE_USER, text_from(&arena, user));
    const frozen_t *frozen = record_freeze(&device_schema, device);
    how(shard, scene, frozen);
    record_unref(&frozen);
}

// How many scenes the user is in; `scene` must be one of them, or none where it is NULL.
static size_t
count_scenes(const char *user, const struct scene_state *scene)
{
    size_t count = 0, found = 0;
    const struct scene_state *next;
    for (size_t cursor = 0;
         (next = user_index_next(shard, text_from(&arena, user), &cursor)) != NULL; count++)
        found += next == scene;
    cr_assert_eq(found, scene != NULL);
    return count;
}

Test(user_index, knows_each_scene_once)
{
    change(user_index_put, hall, "phone", "ada");
    change(user_index_put, hall, "tablet", "ada");
    change(user_index_put, yard, "phone", "ada");
    change(user_index_put, yard, "phone2", "bob");
    cr_assert_eq(count_scenes("ada", hall), 2);
    cr_assert_eq(count_scenes("ada", yard), 2);
    cr_assert_eq(count_scenes("bob", yard), 1);
    cr_assert_eq(count_scenes("eve", NULL), 0);
}

Test(user_index, a_scene_is_left_with_the_last_device)
{
    change(user_index_put, hall, "phone", "ada");
    change(user_index_put, hall, "tablet", "ada");
    change(user_index_remove, hall, "phone", "ada");
    cr_assert_eq(count_scenes("ada", hall), 1);
    change(user_index_remove, hall, "tablet", "ada");
    cr_assert_eq(count_scenes("ada", NULL), 0);
    change(user_index_remove, hall, "tablet", "ada"); // nothing happens
    change(user_index_put, yard, "phone", "ada");
    cr_assert_eq(count_scenes("ada", yard), 1);
}

Test(user_index, devices_of_nobody_are_in_no_list)
{
    change(user_index_put, hall, "phone", "");
    cr_assert_eq(shard->users.count, 0);
    change(user_index_remove, hall, "phone", "");
}
