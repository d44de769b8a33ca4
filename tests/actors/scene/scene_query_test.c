// scene_query_test.c - the union of filters with and without a point, its order and its first
// records, against a look at every scene.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/spatial/geodesy.h"
#include "tests/support/samples.h"
#include "tests/support/scene_service.h"

enum { SCENES = 300, FILTERS = 3, ASKED = 600 };

struct sample_scene {
    char key[8], name[2];
    double latitude, longitude; // latitude 100 = on no map
    double found_km;            // by the query under way; NAN = not found
};

struct filter {
    char name[2]; // "" = any
    bool asks_near;
    double latitude, longitude, distance;
};

static struct random dice = {1};

// On a coarse grid, so that many lie at one place and many are equally far.
static double
random_angle(double limit)
{
    return ((double)random_below(&dice, 13) / 6 - 1) * limit;
}

static void
put_scene(struct service *service, struct sample_scene *scene)
{
    char record[128];
    scene->name[0] = (char)('a' + random_below(&dice, 4));
    scene->latitude = random_below(&dice, 10) ? random_angle(90) : 100;
    scene->longitude = random_angle(180);
    snprintf(record, sizeof record, "{'name':'%s','latitude':%.17g,'longitude':%.17g}", scene->name,
             scene->latitude, scene->longitude);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = scene->key, .records = record), OK);
}

static void
random_filter(struct filter *filter)
{
    *filter = (struct filter){.asks_near = random_below(&dice, 3) != 0};
    if (random_below(&dice, 2))
        filter->name[0] = (char)('a' + random_below(&dice, 5)); // nothing is called e
    filter->latitude = random_angle(90);
    filter->longitude = random_angle(180);
    filter->distance = (double)random_below(&dice, 22) * 1000;
}

static const char *
filters_in_words(const struct filter *filters, size_t count)
{
    static char words[1024];
    size_t size = 0;
    size += (size_t)sprintf(words, "[");
    for (size_t i = 0; i < count; i++) {
        size += (size_t)sprintf(words + size, "%s{", i ? "," : "");
        if (filters[i].name[0])
            size += (size_t)sprintf(words + size, "'name':'%s'%s", filters[i].name,
                                    filters[i].asks_near ? "," : "");
        if (filters[i].asks_near)
            size +=
                (size_t)sprintf(words + size, "'latitude':%.17g,'longitude':%.17g,'distance':%.17g",
                                filters[i].latitude, filters[i].longitude, filters[i].distance);
        size += (size_t)sprintf(words + size, "}");
    }
    sprintf(words + size, "]");
    return words;
}

// The shortest distance from the filters that find the scene; infinite where none has a point, NAN
// where none finds it.
static double
look_at(const struct sample_scene *scene, const struct filter *filters, size_t count)
{
    double found_km = count ? (double)NAN : (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (filters[i].name[0] && filters[i].name[0] != scene->name[0])
            continue;
        double km = INFINITY;
        if (filters[i].asks_near) {
            km = geodesy_distance_km(scene->latitude, scene->longitude, filters[i].latitude,
                                     filters[i].longitude);
            if (scene->latitude > 90 || km > filters[i].distance)
                continue;
        }
        found_km = fmin(found_km, km); // of a number and NAN, the number
    }
    return found_km;
}

static int
compare_samples(const void *a, const void *b)
{
    const struct sample_scene *one = *(struct sample_scene *const *)a;
    const struct sample_scene *other = *(struct sample_scene *const *)b;
    if (one->found_km != other->found_km)
        return one->found_km < other->found_km ? -1 : 1;
    return strcmp(one->key, other->key);
}

static void
check_query(struct service *service, struct sample_scene *scenes, size_t filter_count)
{
    struct filter filters[FILTERS];
    struct sample_scene *expected[SCENES];
    uint32_t count = 0,
             wanted = 1 + (uint32_t)random_below(&dice, random_below(&dice, 2) ? 8 : 400);
    for (size_t i = 0; i < filter_count; i++)
        random_filter(&filters[i]);
    for (size_t i = 0; i < SCENES; i++) {
        scenes[i].found_km = look_at(&scenes[i], filters, filter_count);
        if (!isnan(scenes[i].found_km))
            expected[count++] = &scenes[i];
    }
    qsort(expected, count, sizeof expected[0], compare_samples);
    const char *words = filters_in_words(filters, filter_count);
    owned(message_destroy) struct message *answer =
        ASK(service, SCENE_QUERY, .records = words, .num_records = wanted);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.more, count > wanted, "%s", words);
    cr_assert_eq(answer->reply.count, count < wanted ? count : wanted, "%s", words);
    for (uint32_t i = 0; i < answer->reply.count; i++) {
        const struct scene *found = reply_scene(answer, i);
        cr_assert(text_is(found->key, expected[i]->key), "%u of %s", i, words);
        cr_assert_eq(expected[i]->found_km, reply_distance(&answer->reply, i));
    }
}

Test(scene_query, a_union_of_filters_is_what_a_look_at_every_scene_finds, .fini = service_end)
{
    static struct sample_scene scenes[SCENES];
    struct service *service = service_begin(1);
    for (size_t i = 0; i < SCENES; i++) {
        snprintf(scenes[i].key, sizeof scenes[i].key, "s%03u", (unsigned)i);
        put_scene(service, &scenes[i]);
    }
    for (size_t i = 0; i < ASKED; i++) {
        check_query(service, scenes, i % (FILTERS + 1));
        if (i % 4 == 0) // and they move
            put_scene(service, &scenes[random_below(&dice, SCENES)]);
    }
}

Test(scene_query, a_union_of_filters_that_find_nothing_is_empty, .fini = service_end)
{
    struct service *service = service_begin(1);
    owned(message_destroy) struct message *answer =
        ASK(service, SCENE_QUERY,
            .records = "[{'latitude':1,'longitude':2,'distance':3},{'name':'nobody'}]");
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, 0);
    cr_assert_eq(answer->reply.more, 0);
}
