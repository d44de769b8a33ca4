// scene_state_test.c - how long the state of a scene lives: until nobody holds it. The leak check
// of the address sanitizer counts what is left.
#include "actors/scene/scene_state.h"

#include <criterion/criterion.h>

#include "proto/base/memory.h"
#include "tests/support/bare_shard.h"

static struct scene_state *
make(void)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, &scene_schema);
    record_set_text(record, SCENE_KEY, text_from(&arena, "hall"));
    record_set_integer(record, SCENE_ID, 4711);
    struct scene_state *scene = scene_state_create(scene_of(record));
    arena_finish(&arena); // it has a key of its own
    return scene;
}

Test(scene_state, knows_its_key_and_id)
{
    struct scene_state *scene = make();
    cr_assert_str_eq(text_chars(scene->key), "hall");
    cr_assert_eq(scene->id, 4711);
    cr_assert_eq(scene->holds, 1);
    scene_release(&scene);
    cr_assert_null(scene);
}

Test(scene_state, ends_with_the_last_hold)
{
    struct scene_state *scene = make(), *other = scene;
    const frozen_t *object = bare_object("hall", "cube", "");
    record_set_put(&scene->entities[OBJECTS], object);
    scene->restream = memory_take_zeroed(sizeof *scene->restream);
    scene->restream->passed = object;
    scene_hold(scene);
    scene_release(&scene);
    cr_assert_null(scene);
    cr_assert_eq(record_set_count(&other->entities[OBJECTS]), 1);
    scene_release(&other);
}

Test(scene_state, a_restream_that_is_forgotten_is_not_there)
{
    struct restream *restream = NULL;
    restream_destroy(&restream);
    restream = memory_take_zeroed(sizeof *restream);
    restream->last = bare_object("hall", "cube", "");
    restream->next = bare_object("hall", "ball", "");
    restream_destroy(&restream);
    cr_assert_null(restream);
}
