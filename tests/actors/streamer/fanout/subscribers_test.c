// subscribers_test.c - devices of scenes, their lanes, whose turn it is.

#include "actors/streamer/fanout/subscribers.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/record_set.h"
#include "proto/message/metrics.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/fed_devices.h"

enum { SCENE = 7, OTHER_SCENE = 8 };

static struct arena arena;
static subscribers_t *subscribers;

static void
start(void)
{
    arena_init(&arena);
    subscribers = subscribers_create();
}

static void
end(void)
{
    subscribers_destroy(&subscribers);
    fed_devices_end();
    arena_finish(&arena);
}

TestSuite(subscribers, .init = start, .fini = end);

static struct subscriber *
admit_to(uint64_t scene_id, const char *key, uint64_t since, const struct lane_key *lane)
{
    struct subscriber *device = fed_device(scene_id, key);
    subscribers_admit(subscribers, device, scene_id, since, lane);
    return device;
}

static struct subscriber *
admit(uint64_t scene_id, const char *key, uint64_t since)
{
    return admit_to(scene_id, key, since, &(struct lane_key){.form = FEED_PLAIN});
}

static union udp_endpoint
endpoint_of(int port)
{
    union udp_endpoint endpoint;
    cr_assert(udp_endpoint_from(AF_INET, "192.0.2.1", port, &endpoint));
    return endpoint;
}

static void
direct(struct subscriber *device, int port)
{
    union udp_endpoint endpoint = endpoint_of(port);
    subscribers_set_endpoint(subscribers, device, &endpoint);
}

static void
admit_many(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "device%u", i);
        admit(SCENE, key, 0);
    }
}

// An event of the object called `key`; the seq is its name too.
static void
take(uint64_t scene_id, uint8_t msg_type, const char *key, uint64_t seq, bool load)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    struct event event = {.seq = seq,
                          .scene_id = scene_id,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = msg_type};
    subscribers_take(subscribers, &event, load);
    record_unref(&event.scene);
    record_unref(&event.record);
}

// The next event that is sent, and its lane; NULL if there is none.
static const struct event *
next(struct lane **ret_lane)
{
    struct lane *lane = subscribers_next(subscribers, false);
    if (!lane)
        return NULL;
    const struct event *event = &lane->leaving.events[lane->next_event++];
    lane->sent = event->seq;
    *ret_lane = lane;
    return event;
}

// The events of the batches that begin now, as "type:key:seq " in order.
static const char *
round_text_at(uint64_t now_us)
{
    static char text[4096];
    struct lane *lane;
    const struct event *event;
    size_t size = 0;
    text[0] = '\0';
    subscribers_begin_batches(subscribers, now_us);
    while ((event = next(&lane)) != NULL)
        size += (size_t)snprintf(text + size, sizeof text - size, "%u:%s:%lu ", event->msg_type,
                                 text_chars(frozen_key(event->record)), event->seq);
    return text;
}

static const char *
round_text(void)
{
    static uint64_t now_us = 1;
    return round_text_at(now_us += 1000000);
}

Test(subscribers, an_event_of_a_scene_without_devices_is_not_kept)
{
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    cr_assert(!subscribers_has_events(subscribers));
}

Test(subscribers, events_leave_in_order)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_CREATED, "a", 1, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert(subscribers_has_events(subscribers));
    cr_assert_str_eq(round_text(), "0:a:1 1:a:2 1:a:3 ");
    cr_assert(!subscribers_has_events(subscribers));
    cr_assert(!subscribers_is_sending(subscribers));
}

Test(subscribers, scenes_leave_in_the_order_of_their_first_events)
{
    admit(SCENE, "d", 0);
    admit(OTHER_SCENE, "d", 0);
    take(OTHER_SCENE, EVENT_OBJECT_UPDATED, "o", 5, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    take(OTHER_SCENE, EVENT_OBJECT_UPDATED, "o", 6, false);
    cr_assert_str_eq(round_text(), "1:o:5 1:o:6 1:a:1 ");
}

Test(subscribers, under_load_the_newest_state_replaces_the_one_that_waits)
{
    admit(SCENE, "d", 0);
    uint64_t before = counter_get(COUNT_UDP_SUPERSEDED);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 2, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, true);
    cr_assert_eq(counter_get(COUNT_UDP_SUPERSEDED) - before, 1);
    cr_assert_str_eq(round_text(), "1:b:2 1:a:3 ");
}

Test(subscribers, load_merges_what_was_taken_before_it)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 4, true);
    cr_assert_str_eq(round_text(), "1:a:3 1:b:4 ");
}

Test(subscribers, an_update_over_a_waiting_create_stays_a_create)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_CREATED, "a", 1, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, true);
    cr_assert_str_eq(round_text(), "0:a:3 ");
}

Test(subscribers, an_update_after_a_create_that_has_left_is_an_update)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_CREATED, "a", 1, true);
    cr_assert_str_eq(round_text(), "0:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, true);
    cr_assert_str_eq(round_text(), "1:a:2 ");
}

Test(subscribers, a_delete_wins_even_over_a_waiting_create)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_CREATED, "a", 1, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 2, true);
    take(SCENE, EVENT_OBJECT_DELETED, "a", 3, true);
    take(SCENE, EVENT_OBJECT_DELETED, "b", 4, true);
    cr_assert_str_eq(round_text(), "3:a:3 3:b:4 ");
}

Test(subscribers, a_thousand_waiting_datagrams_are_kept_and_more_are_merged)
{
    admit_many(500);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    cr_assert_str_eq(round_text(), "1:a:1 1:a:2 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 4, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 5, false);
    cr_assert_str_eq(round_text(), "1:a:5 ");
}

Test(subscribers, a_batch_after_a_merged_one_is_not_merged)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    cr_assert_str_eq(round_text(), "1:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert_str_eq(round_text(), "1:a:2 1:a:3 ");
}

Test(subscribers, entities_of_a_merged_batch_are_sent_once_in_the_order_of_their_newest_state)
{
    enum { RECORDS = 2000 };
    struct lane *lane;
    const struct event *event;
    char key[24];
    admit(SCENE, "d", 0);
    for (unsigned i = 0; i < 3 * RECORDS; i++) {
        snprintf(key, sizeof key, "%u", i * 7 % RECORDS);
        take(SCENE, EVENT_OBJECT_UPDATED, key, i + 1, true);
    }
    subscribers_begin_batches(subscribers, 1);
    for (uint64_t seq = 2 * RECORDS + 1; seq <= 3 * RECORDS; seq++) {
        event = next(&lane);
        snprintf(key, sizeof key, "%lu", (seq - 1) * 7 % RECORDS);
        cr_assert_eq(event->seq, seq);
        cr_assert(text_is(frozen_key(event->record), key));
    }
    cr_assert_null(next(&lane));
}

Test(subscribers, events_that_come_while_a_batch_is_sent_wait_for_the_next)
{
    struct lane *lane;
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 2, true);
    subscribers_begin_batches(subscribers, 1);
    cr_assert_eq(next(&lane)->seq, 1);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 3, true);
    cr_assert_eq(next(&lane)->seq, 2);
    cr_assert_null(next(&lane));
    cr_assert_str_eq(round_text(), "1:b:3 ");
}

Test(subscribers, records_beyond_the_limit_are_dropped_and_counted_but_known_ones_are_not)
{
    char key[24];
    uint64_t before = counter_get(COUNT_EVENTS_DROPPED);
    admit(SCENE, "d", 0);
    for (unsigned i = 0; i <= BATCH_EVENTS; i++) {
        snprintf(key, sizeof key, "%u", i);
        take(SCENE, EVENT_OBJECT_UPDATED, key, i + 1, true);
    }
    cr_assert_eq(counter_get(COUNT_EVENTS_DROPPED) - before, 1);
    take(SCENE, EVENT_OBJECT_DELETED, "0", BATCH_EVENTS + 2, true);
    cr_assert_eq(counter_get(COUNT_EVENTS_DROPPED) - before, 1);
}

Test(subscribers, a_new_registration_keeps_its_place_in_the_order_of_events)
{
    struct subscriber *first = admit(SCENE, "d", 5);
    first->state = SUBSCRIBER_REACHABLE;
    admit(SCENE, "d", 9);
    cr_assert_eq(first->lane->device_count, 1);
    cr_assert_eq(first->since, 5);
    cr_assert_eq(first->joined, 5);
    cr_assert_eq(first->state, SUBSCRIBER_PENDING);
}

Test(subscribers, a_device_that_left_and_comes_again_begins_anew)
{
    struct subscriber *device = admit(SCENE, "d", 5);
    direct(device, 5000);
    subscribers_fall_behind(subscribers, device, 7, 1);
    subscribers_remove(subscribers, device);
    cr_assert_null(device->lane);
    cr_assert_null(device->receiver);
    cr_assert_null(device->traffic);
    admit(SCENE, "d", 9);
    cr_assert_eq(device->since, 9);
    cr_assert_eq(device->joined, 9);
    cr_assert(!device->is_behind);
}

Test(subscribers, who_was_sent_nothing_has_no_traffic)
{
    struct subscriber *device = admit(SCENE, "d", 5);
    direct(device, 5000);
    cr_assert_null(device->traffic);
    subscribers_ask(subscribers, device, &(struct asked){.from = 3, .to = 4});
    cr_assert_not_null(device->traffic);
}

Test(subscribers, removing_devices_leaves_the_others_in_place)
{
    struct lane *lane;
    admit_many(5);
    subscribers_remove(subscribers, fed_device(SCENE, "device0"));
    subscribers_remove(subscribers, fed_device(SCENE, "device4"));
    subscribers_remove(subscribers, fed_device(SCENE, "nobody"));
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    subscribers_begin_batches(subscribers, 1);
    cr_assert_not_null(next(&lane));
    cr_assert_eq(lane->device_count, 3);
    for (uint32_t i = 0; i < lane->device_count; i++) {
        cr_expect_eq(lane->devices[i]->place, i);
        cr_expect_neq(lane->devices[i], fed_device(SCENE, "device0"));
        cr_expect_neq(lane->devices[i], fed_device(SCENE, "device4"));
    }
}

Test(subscribers, nothing_leaves_after_the_last_device_has_gone)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    subscribers_remove(subscribers, fed_device(SCENE, "d"));
    cr_assert_str_eq(round_text(), "");
    cr_assert(!subscribers_is_sending(subscribers));
}

Test(subscribers, what_waits_for_a_deleted_scene_still_leaves)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_DELETED, "a", 1, false);
    subscribers_end_scene(subscribers, SCENE);
    cr_assert_str_eq(round_text(), "3:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    cr_assert(!subscribers_has_events(subscribers));
}

Test(subscribers, a_device_of_a_deleted_scene_is_forgotten_when_nothing_waits_for_it)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_DELETED, "a", 1, false);
    subscribers_end_scene(subscribers, SCENE);
    cr_assert_not(subscribers_forget_ended(subscribers, device));
    round_text();
    cr_assert_not_null(device->lane);
    cr_assert(subscribers_forget_ended(subscribers, device));
    cr_assert_null(device->lane);
    cr_assert(subscribers_forget_ended(subscribers, device), "it is none");
}

Test(subscribers, devices_that_get_the_same_bytes_share_a_lane)
{
    const struct text *unity = text_from(&arena, "unity");
    struct subscriber *plain = admit(SCENE, "a", 0);
    struct subscriber *packed =
        admit_to(SCENE, "b", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 60});
    struct subscriber *slow =
        admit_to(SCENE, "c", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 10});
    struct subscriber *other = admit_to(
        SCENE, "d", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 10, .convention = unity});
    struct subscriber *same = admit_to(
        SCENE, "e", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 10, .convention = unity});
    cr_assert_neq(plain->lane, packed->lane);
    cr_assert_neq(packed->lane, slow->lane);
    cr_assert_neq(slow->lane, other->lane);
    cr_assert_eq(other->lane, same->lane);
    cr_assert(text_is(same->lane->key.convention, "unity"));
    cr_assert_neq(plain->lane, admit(OTHER_SCENE, "a", 0)->lane);
}

Test(subscribers, an_event_goes_to_all_lanes_of_its_scene)
{
    admit(SCENE, "a", 0);
    admit_to(SCENE, "b", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 60});
    take(SCENE, EVENT_OBJECT_UPDATED, "o", 1, false);
    cr_assert_str_eq(round_text(), "1:o:1 1:o:1 ");
}

Test(subscribers, a_device_that_changes_its_lane_gets_what_comes_after_that)
{
    struct subscriber *device = admit(SCENE, "d", 5);
    struct subscriber *again =
        admit_to(SCENE, "d", 9, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 60});
    cr_assert_eq(again, device);
    cr_assert_eq(device->since, 9);
    cr_assert_eq(device->lane->key.form, FEED_PACKED);
    cr_assert_eq(device->lane->device_count, 1);
    take(SCENE, EVENT_OBJECT_UPDATED, "o", 10, false);
    cr_assert_str_eq(round_text(), "1:o:10 ");
}

Test(subscribers, a_packed_lane_leaves_at_once_and_then_at_its_ticks)
{
    admit_to(SCENE, "d", 0, &(struct lane_key){.form = FEED_PACKED, .rate_hz = 10});
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    cr_assert_str_eq(round_text_at(5000000), "1:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert_eq(subscribers_due_us(subscribers), 5100000);
    cr_assert_str_eq(round_text_at(5099999), "");
    cr_assert_str_eq(round_text_at(5102000), "1:a:3 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 4, false);
    cr_assert_eq(subscribers_due_us(subscribers), 5200000, "a late turn moves no tick");
    cr_assert_str_eq(round_text_at(5900000), "1:a:4 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 5, false);
    cr_assert_eq(subscribers_due_us(subscribers), 6000000, "this one was no tick");
}

Test(subscribers, under_load_a_plain_lane_leaves_every_16_ms)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    cr_assert_str_eq(round_text_at(5000000), "1:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, true);
    cr_assert_eq(subscribers_due_us(subscribers), 5016000);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert_str_eq(round_text_at(5000001), "1:a:3 ");
}

Test(subscribers, lanes_give_way_to_one_another)
{
    struct lane *lane;
    admit(SCENE, "d", 0);
    admit(OTHER_SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(OTHER_SCENE, EVENT_OBJECT_UPDATED, "o", 5, false);
    subscribers_begin_batches(subscribers, 1);
    cr_assert_eq(next(&lane)->seq, 1);
    subscribers_rotate(subscribers);
    cr_assert_eq(next(&lane)->seq, 5);
    subscribers_rotate(subscribers);
    cr_assert_eq(next(&lane)->seq, 2);
    cr_assert_null(next(&lane));
}

Test(subscribers, a_device_behind_is_due_when_a_quarter_of_its_budget_is_free)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    subscriber_traffic(device)->budget.datagrams_ns = UINT64_C(7000000) * 1000; // full until then
    subscribers_fall_behind(subscribers, device, 3, 6900000);
    cr_assert_eq(device->since, 3);
    cr_assert_eq(device->lane->behind_count, 1);
    cr_assert_eq(subscribers_due_us(subscribers), 7000000 - 75000);
    cr_assert_null(subscribers_next_behind(subscribers, 6924999));
    cr_assert_eq(subscribers_next_behind(subscribers, 6925000), device);
}

Test(subscribers, a_device_without_backlog_gets_the_events_after_those_that_were_sent)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 8, false);
    cr_assert_str_eq(round_text(), "1:a:8 ");
    subscribers_fall_behind(subscribers, device, 3, 1);
    subscribers_end_backlog(subscribers, device);
    cr_assert_eq(device->since, 8);
    cr_assert(!device->is_behind);
    cr_assert_eq(subscribers_due_us(subscribers), UINT64_MAX);
}

Test(subscribers, what_a_device_without_an_address_misses_is_kept_for_ten_seconds)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    subscribers_fall_behind(subscribers, device, 3, 1000000);
    cr_assert_eq(subscribers_due_us(subscribers), 11000000);
    direct(device, 5000);
    cr_assert_eq(subscribers_next_behind(subscribers, 1000001), device);
}

Test(subscribers, a_removed_device_leaves_no_timer)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    direct(admit(SCENE, "stays", 0), 5001);
    subscribers_fall_behind(subscribers, device, 3, 1);
    subscribers_remove(subscribers, fed_device(SCENE, "d"));
    cr_assert_eq(subscribers_due_us(subscribers), UINT64_MAX);
}

Test(subscribers, a_device_that_asks_is_served_at_once_and_only_once)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    subscribers_ask(subscribers, device, &(struct asked){.from = 3, .to = 4});
    subscribers_ask(subscribers, device, &(struct asked){.from = 2, .to = 3});
    cr_assert_eq(subscribers_next_behind(subscribers, 1), device);
    cr_assert_eq(device->traffic->asked.from, 2, "both questions are one");
    cr_assert_eq(device->traffic->asked.to, 4);
    subscribers_end_asked(subscribers, device);
    cr_assert_null(subscribers_next_behind(subscribers, UINT64_MAX - 1));
}

Test(subscribers, a_refusal_does_not_replace_a_question_that_waits)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    subscribers_ask(subscribers, device, &(struct asked){.from = 3, .to = 4});
    subscribers_ask(subscribers, device, &(struct asked){.from = 1, .to = 9, .is_refused = true});
    cr_assert(!device->traffic->asked.is_refused);
    cr_assert_eq(device->traffic->asked.to, 4);
}

Test(subscribers, a_device_that_asked_and_leaves_leaves_no_timer)
{
    struct subscriber *device = admit(SCENE, "d", 0);
    direct(device, 5000);
    subscribers_ask(subscribers, device, &(struct asked){.from = 3, .to = 4});
    subscribers_remove(subscribers, fed_device(SCENE, "d"));
    cr_assert_eq(subscribers_due_us(subscribers), UINT64_MAX);
}

Test(subscribers, numbers_that_never_came_are_lost_and_those_of_other_events_are_not)
{
    struct lane *lane = admit(SCENE, "d", 0)->lane;
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 4, false);
    subscribers_note(subscribers,
                     &(struct event){.seq = 5, .scene_id = SCENE, .msg_type = EVENT_LOCK_GRANTED});
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 6, false);
    cr_assert_eq(lane->lost, 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 9, false);
    cr_assert_eq(lane->lost, 8);
}

Test(subscribers, devices_of_a_scene_with_many_lanes_share_some_at_no_higher_rates)
{
    struct lane *lanes[240];
    unsigned lane_count = 0;
    for (unsigned rate_hz = 1; rate_hz <= 240; rate_hz++) {
        struct lane_key key = {.form = FEED_PACKED, .rate_hz = rate_hz};
        struct lane *lane =
            admit_to(SCENE, text_chars(text_format(&arena, "d%u", rate_hz)), 0, &key)->lane;
        cr_assert_leq(lane->key.rate_hz, rate_hz);
        cr_assert(rate_hz > LANES_AS_ASKED || lane->key.rate_hz == rate_hz);
        unsigned i = 0;
        while (i < lane_count && lanes[i] != lane)
            i++;
        lanes[i] = lane;
        lane_count += i == lane_count;
    }
    cr_assert_eq(lane_count, LANES_AS_ASKED + 2, "60 and 120 Hz are shared, 30 was there");
}
