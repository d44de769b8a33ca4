// scene_create_test.c - a request in slices goes on in the scene that its first slice went into.

#include "actors/scene/scene_create.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/owned.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct message *message;
static struct scene_state *hall;

static void
begin(void)
{
    shard = bare_shard_begin();
    message = message_create(OBJECT_CREATE);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "hall"));
    hall = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    message_destroy(&message);
    bare_shard_end();
}

TestSuite(scene_create, .init = begin, .fini = end);

Test(scene_create, a_first_slice_takes_any_scene_or_none)
{
    cr_assert_eq(scene_check_slice(message, hall), OK);
    cr_assert_eq(scene_check_slice(message, NULL), OK);
}

Test(scene_create, request_is_told_whether_it_makes_the_scene)
{
    message->makes_scene = true; // by a commit that failed
    scenes_latest_or_new(shard, message, hall->key);
    cr_assert_not(message->makes_scene);
    struct scene_state *yard =
        scenes_latest_or_new(shard, message, text_from(&message->arena, "yard"));
    cr_assert(message->makes_scene);
    message->progress = 300;
    cr_assert_eq(scenes_latest_or_new(shard, message, yard->key), yard);
    cr_assert(message->makes_scene, "its first slice did");
}

Test(scene_create, the_next_slice_takes_the_same_scene_only)
{
    cr_assert_eq(scenes_latest_or_new(shard, message, hall->key), hall);
    message->progress = 300;
    cr_assert_eq(scene_check_slice(message, hall), OK);
    cr_assert_eq(scene_check_slice(message, NULL), ERR_NOT_FOUND);
    message->scene_id++; // another scene has the key now
    cr_assert_eq(scene_check_slice(message, hall), ERR_NOT_FOUND);
}
