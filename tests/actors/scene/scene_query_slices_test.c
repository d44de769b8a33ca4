// scene_query_slices_test.c - a query of scenes that has to pause after each scene, or filter,
// finds what it finds in one piece, each scene once.
#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_query.h"
#include "tests/support/bare_shard.h"

enum { SCENES = 40, FILTERS = 70 };

static struct shard *shard;
static struct message *question;

// Adds or moves a scene: all lie on the equator.
static void
put(unsigned number, double longitude)
{
    char key[16];
    struct arena arena = {0};
    snprintf(key, sizeof key, "%03u", number);
    struct scene_state *scene = scenes_find(shard, text_from(&arena, key));
    if (!scene)
        scene = bare_shard_add_scene(shard, key, "");
    struct scene *record =
        (struct scene *)(void *)record_copy(&arena, &scene_schema, frozen_record(scene->record));
    record->longitude = longitude;
    record_mark(&record->base, SCENE_LATITUDE);
    record_mark(&record->base, SCENE_LONGITUDE);
    const frozen_t *old = scene->record;
    scene->record = record_freeze(&scene_schema, &record->base);
    scenes_reindex(shard, scene, old);
    record_unref(&old);
    arena_finish(&arena);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    question = message_create(SCENE_QUERY);
    question->records = records_new(&question->arena, 2 * FILTERS);
    record_set_integer(&question->params->base, PARAMS_NUM_RECORDS, 1000);
    for (unsigned i = 0; i < SCENES; i++)
        put(i, i);
}

static void
end(void)
{
    message_destroy(&question);
    bare_shard_end();
}

TestSuite(scene_query_slices, .init = begin, .fini = end);

// A filter that finds every scene; near the point of longitude 0 if it has one.
static void
add_filter(bool has_point)
{
    struct scene *filter = (struct scene *)(void *)record_new(&question->arena, &scene_schema);
    record_set_text(&filter->base, SCENE_NAME, text_from(&question->arena, ""));
    filter->distance = 20000;
    if (has_point) {
        record_mark(&filter->base, SCENE_LATITUDE);
        record_mark(&filter->base, SCENE_LONGITUDE);
        record_mark(&filter->base, SCENE_DISTANCE);
    }
    question->records->items[question->records->count++] = &filter->base;
}

// Asks to the end, and `between` two slices something may change; returns how many there were.
static unsigned
ask(void (*between)(unsigned slice))
{
    unsigned slices = 1;
    enum error error = scene_query(&shard->base, question);
    for (; error == PARKED; slices++) {
        cr_assert_eq(message_queue_pop(&shard->base.paused), question);
        if (between)
            between(slices);
        error = scene_query(&shard->base, question);
    }
    cr_assert_eq(error, OK);
    return slices;
}

// The answer must have all scenes once, in order.
static void
check_answer(unsigned count)
{
    char key[16];
    cr_assert_eq(question->reply.count, count);
    for (unsigned i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%03u", i);
        cr_assert_str_eq(text_chars(record_key(reply_record(&question->reply, i))), key);
    }
}

Test(scene_query_slices, go_on_behind_the_last_scene)
{
    for (unsigned i = 0; i < FILTERS; i++)
        add_filter(false);
    cr_assert_geq(ask(NULL), SCENES);
    check_answer(SCENES);
}

static void
add_behind(unsigned slice)
{
    if (slice <= 5)
        put(SCENES + slice - 1, 0);
}

Test(scene_query_slices, find_what_is_made_behind_them)
{
    for (unsigned i = 0; i < FILTERS; i++)
        add_filter(false);
    ask(add_behind);
    check_answer(SCENES + 5);
}

// A scene that was found is another record from now on.
static void
replace_one(unsigned slice)
{
    put(slice % SCENES, slice % SCENES);
}

Test(scene_query_slices, of_filters_with_points_find_each_scene_once)
{
    for (unsigned i = 0; i < 10; i++)
        add_filter(true);
    cr_assert_eq(ask(replace_one), 10);
    check_answer(SCENES);
}
