// area_search_test.c - lists of the scenes of an area against a look at all scenes, in one slice
// and in many, also while scenes move.
#include "actors/scene/area_search.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_list.h"
#include "proto/base/owned.h"
#include "proto/message/list_query.h"
#include "proto/records/scene.h"
#include "tests/support/bare_shard.h"
#include "tests/support/samples.h"

enum { SCENES = 400, KEY_BYTES = 16 };

static struct shard *shard;
static struct random dice = {4};

static double
random_angle(double limit)
{
    return ((double)random_below(&dice, 2000001) / 1e6 - 1) * limit;
}

static const char *
key_of(unsigned number, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "%05u", number);
    return key;
}

// Adds or moves a scene.
static void
put(unsigned number, double latitude, double longitude)
{
    char key[KEY_BYTES];
    owned(arena_finish) struct arena arena = {0};
    struct scene_state *scene = scenes_find(shard, text_from(&arena, key_of(number, key)));
    if (!scene)
        scene = bare_shard_add_scene(shard, key, "");
    struct scene *record =
        (struct scene *)(void *)record_copy(&arena, &scene_schema, frozen_record(scene->record));
    record->latitude = latitude;
    record->longitude = longitude;
    record_mark(&record->base, SCENE_LATITUDE);
    record_mark(&record->base, SCENE_LONGITUDE);
    const frozen_t *old = scene->record;
    scene->record = record_freeze(&scene_schema, &record->base);
    scenes_reindex(shard, scene);
    record_unref(&old);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    for (unsigned i = 0; i < SCENES; i++)
        put(i, random_angle(90), random_angle(180));
}

TestSuite(area_search, .init = begin, .fini = bare_shard_end);

static struct message *
question(const char *box, const char *near, const char *sort, const struct text *after)
{
    struct message *message = message_create(SCENE_LIST);
    struct record *params = &message->params->base;
    if (*box)
        record_set_text(params, PARAMS_BOX, text_from(&message->arena, box));
    if (*near)
        record_set_text(params, PARAMS_NEAR, text_from(&message->arena, near));
    record_set_text(params, PARAMS_SORT, text_from(&message->arena, sort));
    record_set_text(params, PARAMS_AFTER, text_copy(&message->arena, after));
    record_set_integer(params, PARAMS_NUM_RECORDS, 17);
    return message;
}

// Asks to the end; something may change between two slices.
static void
ask(struct message *message, void (*between)(void))
{
    enum error error;
    while ((error = scene_list(&shard->base, message)) == PARKED) {
        cr_assert_eq(message_queue_pop(&shard->base.paused), message);
        if (between)
            between();
    }
    cr_assert_eq(OK, error);
}

static unsigned seen[20000]; // how often each scene was found

// Walks all pages; returns the total of the first.
static int64_t
walk(const char *box, const char *near, const char *sort, void (*between)(void))
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *after = text_from(&arena, "");
    int64_t total = -1;
    memset(seen, 0, sizeof seen);
    while (after) {
        owned(message_destroy) struct message *message = question(box, near, sort, after);
        ask(message, between);
        for (size_t i = 0; i < message->reply.count; i++)
            seen[atoi(text_chars(frozen_key(message->reply.records[i])))]++;
        const struct envelope *envelope = reply_envelope(message);
        total = total < 0 ? envelope->total : total;
        after = text_size(envelope->next) ? text_copy(&arena, envelope->next) : NULL;
    }
    return total;
}

static void
expect_all(const char *box, const char *near, const char *sort)
{
    struct list_query query;
    const struct list_known nothing = {0};
    owned(message_destroy) struct message *message = question(box, near, sort, NULL);
    int64_t total = walk(box, near, sort, NULL), expected = 0;
    size_t count;
    const frozen_t *const *scenes = record_set_items(&shard->catalogue, &count);
    cr_assert_eq(OK, list_query_read(message, list_kind_of(&scene_schema), 0, &query));
    for (size_t i = 0; i < count; i++) {
        struct opened room;
        unsigned is_wanted = list_query_finds(&query, frozen_open(scenes[i], &room), &nothing);
        cr_assert_eq(is_wanted, seen[i], "%s%s: scene %zu", box, near, i);
        expected += is_wanted;
    }
    cr_assert_eq(expected, total);
}

static void
expect_areas(void)
{
    for (unsigned i = 0; i < 40; i++) {
        static const char *const sorts[] = {"", "-key", "name", "-changed"};
        char area[128];
        double south = random_angle(90), north = random_angle(90);
        snprintf(area, sizeof area, "%.6f,%.6f,%.6f,%.6f", south < north ? south : north,
                 random_angle(180), south < north ? north : south, random_angle(180));
        expect_all(area, "", sorts[i % 4]);
        snprintf(area, sizeof area, "%.6f,%.6f,%.3f", south, random_angle(180),
                 fabs(random_angle(9000)));
        expect_all("", area, sorts[i % 4]);
    }
}

Test(area_search, an_area_has_what_a_look_at_all_scenes_finds)
{
    expect_areas();
}

Test(area_search, an_area_in_many_slices_has_the_same)
{
    shard->base.turn.slice_us = 1;
    expect_areas();
}

// Scenes with even numbers move, within the area.
static void
move_some(void)
{
    for (unsigned i = 0; i < 5; i++)
        put(2 * (unsigned)random_below(&dice, SCENES / 2), random_angle(90), random_angle(180));
}

Test(area_search, finds_each_scene_once_while_scenes_move)
{
    shard->base.turn.slice_us = 1;
    cr_assert_eq(SCENES, walk("-90,-180,90,180", "", "", move_some));
    for (unsigned i = 0; i < SCENES; i++)
        cr_assert_eq(1, seen[i], "scene %u", i);
}

Test(area_search, a_large_area_is_told_in_pages_too_and_its_total_as_at_least_so_many)
{
    enum { MANY = 12000 };
    for (unsigned i = SCENES; i < MANY; i++)
        put(i, i % 90, i % 180);
    cr_assert_eq(LIST_TOTAL_EXACT, walk("-90,-180,90,180", "", "", NULL));
    for (unsigned i = 0; i < MANY; i++)
        cr_assert_eq(1, seen[i], "scene %u", i);
}
