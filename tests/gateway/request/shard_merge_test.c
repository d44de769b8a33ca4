// shard_merge_test.c - what several scene actors found becomes one page.
#include "gateway/request/shard_merge.h"

#include <criterion/criterion.h>
#include <math.h>

#include "proto/records/scene.h"

enum { ACTORS = 2, FOUND = 8 };

static double distances[ACTORS][FOUND];

static struct message *question, *answers[ACTORS];

static void
begin(void)
{
    question = message_create(SCENE_QUERY);
    for (int i = 0; i < ACTORS; i++)
        answers[i] = message_create(SCENE_QUERY);
}

static void
end(void)
{
    message_destroy(&question);
    for (int i = 0; i < ACTORS; i++)
        message_destroy(&answers[i]);
}

TestSuite(shard_merge, .init = begin, .fini = end);

// Actor `i` found a scene; a distance below 0 is none.
static void
found(int i, const char *key, double distance_km)
{
    struct arena *arena = &answers[i]->arena;
    struct record *scene = record_new(arena, &scene_schema);
    struct reply *reply = &answers[i]->reply;
    record_set_text(scene, SCENE_KEY, text_from(arena, key));
    distances[i][reply->count] = distance_km < 0 ? INFINITY : distance_km;
    reply->distances = distances[i];
    reply_add_loose(answers[i], &scene_schema, scene);
}

static void
expect(int64_t start, int64_t count, const char *keys, int64_t next)
{
    record_set_integer(&question->params->base, PARAMS_START_RECORD, start);
    record_set_integer(&question->params->base, PARAMS_NUM_RECORDS, count);
    shard_merge(question, answers, ACTORS);
    const struct envelope *envelope = (const void *)question->reply.envelope;
    cr_assert_eq(strlen(keys), question->reply.count);
    for (uint32_t i = 0; i < question->reply.count; i++)
        cr_assert_eq(keys[i], text_chars(record_key(reply_record(&question->reply, i)))[0]);
    cr_assert_eq(next, envelope ? envelope->next_start_record : 0);
}

Test(shard_merge, the_nearest_come_first_and_those_without_a_distance_last)
{
    found(0, "d", 2);
    found(0, "a", -1);
    found(1, "c", 1);
    found(1, "b", -1);
    expect(0, 10, "cdab", 0);
}

Test(shard_merge, a_page_is_cut_out_of_all)
{
    found(0, "a", -1);
    found(0, "c", -1);
    found(1, "b", -1);
    found(1, "d", -1);
    expect(1, 2, "bc", 3);
}

Test(shard_merge, the_last_page_has_no_next_one)
{
    found(0, "a", -1);
    found(1, "b", -1);
    expect(1, 2, "b", 0);
}

Test(shard_merge, each_of_a_page_has_its_own_distance)
{
    found(0, "b", 2);
    found(0, "d", 4);
    found(1, "a", 1);
    found(1, "c", 3);
    expect(1, 2, "bc", 3);
    cr_assert_eq(2, reply_distance(&question->reply, 0));
    cr_assert_eq(3, reply_distance(&question->reply, 1));
}

Test(shard_merge, a_page_without_a_point_has_no_distances)
{
    found(0, "a", -1);
    answers[0]->reply.distances = NULL;
    expect(0, 10, "a", 0);
    cr_assert_null(question->reply.distances);
}
