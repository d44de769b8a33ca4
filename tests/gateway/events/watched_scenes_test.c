// watched_scenes_test.c - the scenes that a stream follows.
#include "gateway/events/watched_scenes.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;
static struct params *params;
static struct sse_place places[LIMIT_WATCHED_SCENES];
static unsigned count;

static void
init(void)
{
    params = (struct params *)(void *)record_new(&arena, &params_schema);
}

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(watched_scenes, .init = init, .fini = finish);

// Adds keys of the query string.
static void
add_keys(const char *const *keys, uint32_t key_count)
{
    struct texts *texts =
        arena_alloc(&arena, sizeof *texts + key_count * sizeof(const struct text *));
    texts->count = 0;
    for (uint32_t i = 0; i < key_count; i++)
        texts->items[texts->count++] = text_from(&arena, keys[i]);
    params->scenes = texts;
    record_mark(&params->base, PARAMS_SCENES);
}

Test(watched_scenes, path_names_one_scene)
{
    record_set_text(&params->base, PARAMS_SCENE, text_from(&arena, "s1"));
    cr_assert_eq(watched_scenes_read(params, places, &count), OK);
    cr_assert_eq(count, 1);
    cr_assert(text_is(places[0].scene, "s1"));
    cr_assert_eq(places[0].epoch, 0);
}

Test(watched_scenes, query_names_several_each_once)
{
    add_keys((const char *const[]){"b", "a", "b"}, 3);
    cr_assert_eq(watched_scenes_read(params, places, &count), OK);
    cr_assert_eq(count, 2);
    cr_assert(text_is(places[0].scene, "b") && text_is(places[1].scene, "a"));
}

Test(watched_scenes, request_without_a_scene_is_refused)
{
    cr_assert_eq(watched_scenes_read(params, places, &count), ERR_MISSING);
}

// 60 keys of 100 bytes, each encoded as three bytes a character, need more than 8 KiB.
Test(watched_scenes, keys_too_long_for_an_id_are_refused)
{
    enum { KEYS = 60, BYTES = 100 };
    static char keys[KEYS][BYTES + 1];
    const char *items[KEYS];
    for (int i = 0; i < KEYS; i++) {
        memset(keys[i], '/', BYTES);
        keys[i][0] = (char)('0' + i);
        items[i] = keys[i];
    }
    add_keys(items, KEYS);
    cr_assert_eq(watched_scenes_read(params, places, &count), ERR_INVALID);
}

static struct texts *
add_topics(const char *first, const char *second)
{
    struct texts *topics = arena_alloc(&arena, sizeof *topics + 2 * sizeof(const struct text *));
    topics->count = 2;
    topics->items[0] = text_from(&arena, first);
    topics->items[1] = text_from(&arena, second);
    params->topics = topics;
    record_mark(&params->base, PARAMS_TOPICS);
    return topics;
}

Test(watched_scenes, each_topic_is_a_place_once)
{
    add_topics("scenes", "users");
    cr_assert_eq(watched_scenes_read(params, places, &count), OK);
    cr_assert_eq(count, 2);
    cr_assert(text_is(places[0].scene, "scenes") && text_is(places[1].scene, "users"));
    add_topics("assets", "assets");
    cr_assert_eq(watched_scenes_read(params, places, &count), OK);
    cr_assert_eq(count, 1);
}

Test(watched_scenes, topics_go_with_no_scene_and_are_known)
{
    add_topics("scenes", "users");
    add_keys((const char *const[]){"a"}, 1);
    cr_assert_eq(watched_scenes_read(params, places, &count), ERR_INVALID);
    params->base.present &= ~FIELD_BIT(PARAMS_SCENES);
    add_topics("scenes", "devices");
    cr_assert_eq(watched_scenes_read(params, places, &count), ERR_INVALID);
}
