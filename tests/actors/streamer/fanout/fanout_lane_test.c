// fanout_lane_test.c - batches and ticks of one lane, the changes that it keeps, its list of
// devices.

#include "actors/streamer/fanout/fanout_lane.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct lane *lane;
static struct subscriber device;

static void
start_lane(enum feed_form form, unsigned rate_hz)
{
    arena_init(&arena);
    device = (struct subscriber){0};
    lane = lane_create(NULL, &(struct lane_key){.form = form, .rate_hz = rate_hz});
    lane_add(lane, &device);
}

static void
start(void)
{
    start_lane(FEED_PACKED, 10);
}

static void
end(void)
{
    while (lane->device_count)
        lane_remove(lane, lane->devices[0]);
    lane_destroy(lane);
    arena_finish(&arena);
}

TestSuite(fanout_lane, .init = start, .fini = end);

static struct event
event_of(const char *key, uint64_t seq)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    return (struct event){.seq = seq,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = EVENT_OBJECT_UPDATED};
}

static void
event_end(struct event *event)
{
    record_unref(&event->scene);
    record_unref(&event->record);
}

static void
take(const char *key, uint64_t seq)
{
    struct event event = event_of(key, seq);
    lane_take(lane, &event, false);
    event_end(&event);
}

// Sends all of a batch that begins now.
static void
send_round(uint64_t now_us)
{
    lane_begin_batch(lane, now_us);
    for (; lane->next_event < lane->leaving.count; lane->next_event++) {
        const struct event *event = &lane->leaving.events[lane->next_event];
        struct pending_repeat *repeat = retransmit_find(&lane->retransmit, event);
        struct sending sending = retransmit_sending(repeat, event, now_us);
        retransmit_note_change(&lane->retransmit, repeat, event, &sending, now_us);
        lane->sent = event->seq;
    }
}

Test(fanout_lane, a_lane_where_nothing_waits_is_never_due)
{
    cr_assert_eq(lane_due_us(lane, false), UINT64_MAX);
}

Test(fanout_lane, the_first_batch_is_due_at_once_and_the_next_a_tick_later)
{
    take("a", 1);
    cr_assert_eq(lane_due_us(lane, false), 0);
    send_round(5000000);
    lane_end_batch(lane);
    take("a", 2);
    cr_assert_eq(lane_due_us(lane, false), 5100000);
}

Test(fanout_lane, repeats_make_it_due_but_not_before_its_tick)
{
    take("a", 1);
    send_round(5000000);
    lane_end_batch(lane);
    cr_assert_eq(lane_due_us(lane, false), 5100000);
    lane->key.rate_hz = 1;
    cr_assert_eq(lane_due_us(lane, false), 6000000);
}

Test(fanout_lane, a_due_repeat_is_more_to_send)
{
    take("a", 1);
    send_round(5000000);
    cr_assert(!lane_has_more(lane));
    lane_end_batch(lane);
    lane_begin_batch(lane, 5100000);
    cr_assert(lane_has_more(lane));
}

// The times at which a lane that got its last change at `START` tells up to where all was sent.
Test(fanout_lane, a_tail_comes_after_a_second_and_then_every_fifteen)
{
    enum { START = 5000000 };
    lane->key.has_tail = true;
    lane->key.form = FEED_PLAIN;
    cr_assert_eq(lane_due_us(lane, false), UINT64_MAX, "nothing was sent yet");
    take("a", 1);
    lane_begin_batch(lane, START);
    lane_note_sent(lane, true);
    lane->next_event = 1;
    lane->sent = 1;
    lane_end_batch(lane);
    for (uint64_t due_us = START + 1000000; due_us < START + 60000000; due_us += 15000000) {
        cr_assert_eq(lane_due_us(lane, false), due_us);
        lane_begin_batch(lane, due_us);
        cr_assert(lane_tail_is_due(lane));
        cr_assert(lane_has_more(lane));
        lane_note_sent(lane, false);
        cr_assert(!lane_has_more(lane));
        lane_end_batch(lane);
    }
    take("a", 2);
    cr_assert_eq(lane_due_us(lane, false), lane->begun_us);
}

Test(fanout_lane, tails_that_were_due_while_nothing_was_sent_are_one)
{
    enum { START = 5000000 };
    lane->key.has_tail = true;
    lane->key.form = FEED_PLAIN;
    take("a", 1);
    lane_begin_batch(lane, START);
    lane_note_sent(lane, true);
    lane->next_event = 1;
    lane_end_batch(lane);
    lane_begin_batch(lane, START + 60000000);
    cr_assert(lane_tail_is_due(lane));
    lane_note_sent(lane, false);
    cr_assert_eq(lane_due_us(lane, false), START + 61000000);
}

Test(fanout_lane, who_did_not_ask_for_tails_gets_none)
{
    lane->key.form = FEED_PLAIN;
    take("a", 1);
    lane_begin_batch(lane, 5000000);
    lane_note_sent(lane, true);
    lane->next_event = 1;
    lane_end_batch(lane);
    cr_assert_eq(lane_due_us(lane, false), UINT64_MAX);
}

// What a lane shows of a loss: the `prev` of the datagram that begins with `seq`.
static uint64_t
prev_of(uint64_t seq)
{
    lane_pass_gap(lane, seq);
    uint64_t prev = lane->sent;
    lane->sent = seq;
    return prev;
}

Test(fanout_lane, an_event_without_a_place_is_a_gap_before_the_next_one)
{
    char key[24];
    lane->sent = 7;
    for (uint64_t seq = 10; seq < BATCH_EVENTS + 10; seq++) {
        snprintf(key, sizeof key, "%lu", seq);
        take(key, seq);
    }
    take("no room", BATCH_EVENTS + 10);
    take("10", BATCH_EVENTS + 11);
    lane_begin_batch(lane, 1);
    cr_assert_eq(lane->leaving.count, BATCH_EVENTS);
    cr_assert_eq(prev_of(11), 7, "nothing is lost before it");
    cr_assert(!lane_is_at_gap(lane, 12));
    lane->sent = BATCH_EVENTS + 9;
    cr_assert(lane_is_at_gap(lane, BATCH_EVENTS + 11), "a datagram ends here");
    cr_assert_eq(prev_of(BATCH_EVENTS + 11), BATCH_EVENTS + 10);
    lane_end_batch(lane);
}

Test(fanout_lane, a_loss_at_the_end_of_a_batch_shows_in_the_next)
{
    take("a", 1);
    lane_note_lost(lane, 3);
    lane_begin_batch(lane, 1);
    cr_assert_eq(prev_of(1), 0);
    take("b", 4);
    lane_end_batch(lane);
    lane_begin_batch(lane, 2);
    cr_assert_eq(prev_of(4), 3);
    lane_end_batch(lane);
}

Test(fanout_lane, what_was_lost_cannot_be_asked_for)
{
    take("a", 1);
    send_round(1);
    lane_remember(lane, 0, 1, RECENT_BYTES);
    cr_assert(recent_changes_reach(&lane->recent, 1));
    lane_end_batch(lane);
    take("b", 2);
    lane_note_lost(lane, 3);
    lane_begin_batch(lane, 2);
    lane->sent = 2;
    lane_end_batch(lane);
    cr_assert(!recent_changes_reach(&lane->recent, 3));
    cr_assert(recent_changes_reach(&lane->recent, 4));
}

Test(fanout_lane, a_device_that_goes_changes_the_place_of_one_other)
{
    static struct subscriber others[3];
    for (unsigned i = 0; i < 3; i++)
        lane_add(lane, &others[i]);
    uint32_t before = lane->removals;
    lane_remove(lane, &device);
    cr_assert_eq(lane->removals - before, 1);
    cr_assert_eq(lane->devices[0], &others[2]);
    for (uint32_t i = 0; i < lane->device_count; i++)
        cr_assert_eq(lane->devices[i]->place, i);
}

#define OBJECT "0018880a270698496c36e392"

static void
restart_as_track(const char *object)
{
    end();
    start_lane(FEED_TRACK, 10);
    snprintf(lane->key.object, sizeof lane->key.object, "%s", object);
}

static struct event
motion_of(const char *key, uint64_t seq)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&object->base, OBJECT_KEY, text_from(&arena, key));
    for (int i = 0; i < 16; i += 5)
        object->transform[i] = 1;
    record_mark(&object->base, OBJECT_TRANSFORM);
    return (struct event){.seq = seq,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, &object->base),
                          .msg_type = EVENT_OBJECT_UPDATED};
}

static uint32_t
waiting_after(const char *key, uint64_t seq)
{
    struct event event = motion_of(key, seq);
    lane_take(lane, &event, false);
    event_end(&event);
    return lane->collecting.count;
}

Test(fanout_lane, a_lane_of_opentrackio_takes_the_newest_state_of_its_object_alone)
{
    restart_as_track(OBJECT);
    cr_expect_eq(waiting_after("0018880a270698496c36e393", 1), 0);
    cr_expect_eq(waiting_after(OBJECT, 2), 1);
    cr_expect_eq(waiting_after(OBJECT, 3), 1);
    cr_expect_eq(lane->collecting.events[0].seq, 3);
}

Test(fanout_lane, a_lane_of_opentrackio_without_object_takes_nothing)
{
    const struct lane_key asked = {
        .form = FEED_TRACK, .rate_hz = 60, .object = OBJECT, .source = 7};
    restart_as_track("");
    cr_expect_eq(waiting_after(OBJECT, 1), 0);
    cr_expect_eq(waiting_after("", 2), 0);
    struct lane_key shared = lane_key_shared(&asked);
    cr_expect_eq(shared.form, FEED_TRACK);
    cr_expect_str_eq(shared.object, "");
    cr_expect_gt(shared.rate_hz, 0);
}

Test(fanout_lane, lanes_of_opentrackio_differ_by_object_and_source)
{
    struct lane_key key = {.form = FEED_TRACK, .rate_hz = 10, .object = OBJECT};
    restart_as_track(OBJECT);
    cr_expect(lane_is(lane, &key));
    key.source = 2;
    cr_expect(!lane_is(lane, &key));
    key =
        (struct lane_key){.form = FEED_TRACK, .rate_hz = 10, .object = "0018880a270698496c36e393"};
    cr_expect(!lane_is(lane, &key));
}
