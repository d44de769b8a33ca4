// arrivals_test.c - stamped updates of both forms are counted and timed once for each listener.
#include "tools/cli/arrivals.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/feed/feed_packed.h"
#include "proto/records/object.h"

static roster_t *roster;
static struct listener listener;
static struct arrivals arrivals;

static void
start(void)
{
    roster = roster_create(2);
    roster_put(roster, 0, "a");
    roster_put(roster, 1, "b");
    listener_init(&listener, 2);
    arrivals.roster = roster;
}

static void
end(void)
{
    arrivals_finish(&arrivals);
    listener_finish(&listener);
    roster_destroy(&roster);
}

TestSuite(arrivals, .init = start, .fini = end);

static void
take(const char *text, uint64_t now_us)
{
    arrivals_take(&arrivals, &listener, text, strlen(text), now_us);
}

static void
expect_counts(uint64_t datagrams, uint64_t changes, uint64_t news, uint64_t unreadable)
{
    cr_expect_eq(arrivals.datagrams, datagrams);
    cr_expect_eq(arrivals.changes, changes);
    cr_expect_eq(arrivals.news, news);
    cr_expect_eq(arrivals.latency.count, news);
    cr_expect_eq(arrivals.unreadable, unreadable);
}

Test(arrivals, plain_update_is_timed_by_its_stamp)
{
    take("{\"msg_type\":1,\"key\":\"b\",\"timestamp\":1000,\"seq\":9,\"prev\":8}", 1030);
    expect_counts(1, 1, 1, 0);
    cr_expect_eq(listener.newest_us[0], 0);
    cr_expect_eq(listener.newest_us[1], 1000);
    cr_expect_eq(arrivals.latency.largest_us, 30);
}

Test(arrivals, what_was_told_before_is_no_news)
{
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":1000,\"seq\":1,\"prev\":0}", 1030);
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":1000,\"seq\":2,\"prev\":1}", 9030);
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":900,\"seq\":3,\"prev\":2}", 9030);
    expect_counts(3, 3, 1, 0);
    cr_expect_eq(listener.newest_us[0], 1000);
}

Test(arrivals, gaps_are_counted)
{
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":1,\"seq\":1,\"prev\":0}", 2);
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":2,\"seq\":5,\"prev\":4}", 2);
    cr_expect_eq(sequences_totals(listener.sequences).lost, 3);
}

Test(arrivals, without_stamp_or_of_strangers_is_only_a_datagram)
{
    take("{\"msg_type\":0,\"key\":\"a\",\"seq\":1,\"prev\":0}", 5);
    take("{\"msg_type\":1,\"key\":\"stranger\",\"timestamp\":1,\"seq\":2,\"prev\":1}", 5);
    expect_counts(2, 0, 0, 0);
}

Test(arrivals, what_is_no_datagram_is_unreadable)
{
    static const char *const bad[] = {"",
                                      "}",
                                      "{",
                                      "{}",
                                      "{\"key\":\"a}",
                                      "{\"key\":\"a\"}",
                                      "{\"key\":\"a\",\"seq\":}",
                                      "\x96\x01\x03\x01\x02\x90"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        take(bad[i], 5);
        cr_expect_eq(arrivals.unreadable, i + 1, "%s", bad[i]);
    }
    arrivals.packed = true;
    take("{\"msg_type\":1,\"key\":\"a\",\"timestamp\":1,\"seq\":2,\"prev\":1}", 5);
    cr_expect_eq(arrivals.unreadable, sizeof bad / sizeof bad[0] + 1);
}

// One packed datagram with an update of each object.
static void
pack(struct buffer *out)
{
    struct feed_packed packed = {0};
    struct arena arena = {0};
    static const char *const keys[] = {"a", "b"};
    for (size_t i = 0; i < 2; i++) {
        struct record *loose = record_new(&arena, &object_schema);
        record_set_text(loose, OBJECT_KEY, text_from(&arena, keys[i]));
        record_set_integer(loose, OBJECT_TIMESTAMP, 1000 + (int64_t)i);
        const frozen_t *record = record_freeze(&object_schema, loose);
        struct event event = {.msg_type = EVENT_OBJECT_UPDATED, .record = record};
        cr_assert(feed_packed_add(&packed, &event, FIELD_BIT(OBJECT_TIMESTAMP)));
        record_unref(&record);
    }
    feed_packed_close(&packed, 3, 8, 10, out);
    feed_packed_finish(&packed);
    arena_finish(&arena);
}

Test(arrivals, packed_changes_are_timed_each)
{
    struct buffer out = {0};
    pack(&out);
    arrivals.packed = true;
    arrivals_take(&arrivals, &listener, out.data, out.size, 1101);
    expect_counts(1, 2, 2, 0);
    cr_expect_eq(listener.newest_us[0], 1000);
    cr_expect_eq(listener.newest_us[1], 1001);
    cr_expect_eq(latency_within(&arrivals.latency, 1), 101);
    buffer_finish(&out);
}
