// news_log_test.c - events as lines.
#include "gateway/foxglove/news_log.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"

static struct arena arena;
static struct event_batch batch;
static struct buffer out;
static const frozen_t *scene;
static uint64_t seq;

static void
begin(void)
{
    struct record *hall = record_new(&arena, &scene_schema);
    record_set_text(hall, SCENE_KEY, text_from(&arena, "hall"));
    scene = record_freeze(&scene_schema, hall);
}

static void
finish(void)
{
    record_unref(&scene);
    event_batch_finish(&batch);
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(news_log, .init = begin, .fini = finish);

static void
take(uint8_t msg_type, uint8_t reason, const char *key)
{
    struct record *record = record_new(&arena, &object_schema);
    record_set_text(record, OBJECT_KEY, text_from(&arena, key));
    const frozen_t *object = record_freeze(&object_schema, record);
    const struct event event = {
        .seq = ++seq, .scene = scene, .record = object, .msg_type = msg_type, .reason = reason};
    cr_assert_eq(event_batch_take(&batch, &event), BATCH_ADDED);
    record_unref(&object);
}

Test(news_log, moves_are_no_news)
{
    take(EVENT_OBJECT_UPDATED, REASON_NONE, "a");
    take(EVENT_LOCK_ASKED, REASON_NONE, "a");
    news_log_put(&batch, &out);
    cr_assert_eq(out.size, 0);
}

Test(news_log, who_comes_and_goes_has_a_line)
{
    static const char expected[] = "object a was created\nlock a was locked\n"
                                   "lock a was released: expired\nobject a was deleted";
    take(EVENT_OBJECT_CREATED, REASON_NONE, "a");
    take(EVENT_LOCK_GRANTED, REASON_NONE, "a");
    take(EVENT_LOCK_RELEASED, REASON_EXPIRED, "a");
    take(EVENT_OBJECT_DELETED, REASON_NONE, "a");
    news_log_put(&batch, &out);
    cr_assert_eq(out.size, sizeof expected - 1, "%.*s", (int)out.size, out.data);
    cr_assert_arr_eq(out.data, expected, out.size);
}

Test(news_log, of_many_lines_the_rest_is_counted)
{
    for (unsigned i = 0; i < NEWS_LOG_LINES + 5; i++)
        take(EVENT_OBJECT_CREATED, REASON_NONE, "a");
    news_log_put(&batch, &out);
    static const char end[] = "\nand 5 more";
    cr_assert_arr_eq(out.data + out.size - (sizeof end - 1), end, sizeof end - 1);
}
