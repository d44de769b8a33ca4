// subscribers_test.c - devices of scenes, rounds of events, newest-wins.

#include <criterion/criterion.h>
#include <arpa/inet.h>
#include <stdio.h>
#include "actors/record_set.h"
#include "actors/subscribers.h"
#include "proto/metrics.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

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
    arena_finish(&arena);
}

TestSuite(subscribers, .init = start, .fini = end);

static struct subscriber *
admit(uint64_t scene_id, const char *key, uint64_t since)
{
    return subscribers_admit(subscribers, scene_id, text_from(&arena, key), since);
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

// What leaves in the next round, as "type:key:seq " in order.
static const char *
round_text(void)
{
    static char text[4096];
    struct stream *stream;
    const struct event *event;
    size_t size = 0;
    text[0] = '\0';
    subscribers_begin_round(subscribers);
    while ((event = subscribers_next(subscribers, &stream)) != NULL)
        size += (size_t)snprintf(text + size, sizeof text - size, "%u:%s:%lu ", event->msg_type,
                                 text_chars(record_key(event->record)), event->seq);
    return text;
}

Test(subscribers, an_event_of_a_scene_without_devices_is_not_kept)
{
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    cr_assert(!subscribers_collect(subscribers));
}

Test(subscribers, events_leave_in_order)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_CREATED, "a", 1, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert(subscribers_collect(subscribers));
    cr_assert_str_eq(round_text(), "0:a:1 1:a:2 1:a:3 ");
    cr_assert(!subscribers_collect(subscribers));
    cr_assert(!subscribers_leave(subscribers));
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

Test(subscribers, a_round_after_a_merged_one_is_not_merged)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    cr_assert_str_eq(round_text(), "1:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 3, false);
    cr_assert_str_eq(round_text(), "1:a:2 1:a:3 ");
}

Test(subscribers, many_records_of_a_merged_round_leave_once_each_in_order_of_their_newest_state)
{
    enum { RECORDS = 2000 };
    struct stream *stream;
    const struct event *event;
    char key[24];
    admit(SCENE, "d", 0);
    for (unsigned i = 0; i < 3 * RECORDS; i++) {
        snprintf(key, sizeof key, "%u", i * 7 % RECORDS);
        take(SCENE, EVENT_OBJECT_UPDATED, key, i + 1, true);
    }
    subscribers_begin_round(subscribers);
    for (uint64_t seq = 2 * RECORDS + 1; seq <= 3 * RECORDS; seq++) {
        event = subscribers_next(subscribers, &stream);
        snprintf(key, sizeof key, "%lu", (seq - 1) * 7 % RECORDS);
        cr_assert_eq(event->seq, seq);
        cr_assert(text_is(record_key(event->record), key));
    }
    cr_assert_null(subscribers_next(subscribers, &stream));
}

Test(subscribers, what_comes_while_a_round_leaves_waits_for_the_next)
{
    struct stream *stream;
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, true);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 2, true);
    subscribers_begin_round(subscribers);
    cr_assert_eq(subscribers_next(subscribers, &stream)->seq, 1);
    take(SCENE, EVENT_OBJECT_UPDATED, "b", 3, true);
    cr_assert_eq(subscribers_next(subscribers, &stream)->seq, 2);
    cr_assert_null(subscribers_next(subscribers, &stream));
    cr_assert_str_eq(round_text(), "1:b:3 ");
}

Test(subscribers, records_beyond_the_limit_are_dropped_and_counted_but_known_ones_are_not)
{
    char key[24];
    uint64_t before = counter_get(COUNT_EVENTS_DROPPED);
    admit(SCENE, "d", 0);
    for (unsigned i = 0; i <= ROUND_EVENTS; i++) {
        snprintf(key, sizeof key, "%u", i);
        take(SCENE, EVENT_OBJECT_UPDATED, key, i + 1, true);
    }
    cr_assert_eq(counter_get(COUNT_EVENTS_DROPPED) - before, 1);
    take(SCENE, EVENT_OBJECT_DELETED, "0", ROUND_EVENTS + 2, true);
    cr_assert_eq(counter_get(COUNT_EVENTS_DROPPED) - before, 1);
}

Test(subscribers, a_new_registration_keeps_its_place_in_the_order_of_events)
{
    struct subscriber *first = admit(SCENE, "d", 5);
    first->state = SUBSCRIBER_REACHABLE;
    uint64_t ticket = first->ticket;
    struct subscriber *second = admit(SCENE, "d", 9);
    cr_assert_eq(second, first);
    cr_assert_eq(second->since, 5);
    cr_assert_eq(second->state, SUBSCRIBER_PENDING);
    cr_assert_neq(second->ticket, ticket);
}

Test(subscribers, only_the_ticket_of_the_valid_registration_finds_a_device)
{
    const struct text *key = text_from(&arena, "d");
    uint64_t stale = admit(SCENE, "d", 0)->ticket;
    struct subscriber *device = admit(SCENE, "d", 0);
    cr_assert_null(subscribers_find(subscribers, SCENE, key, stale));
    cr_assert_eq(subscribers_find(subscribers, SCENE, key, device->ticket), device);
    cr_assert_null(subscribers_find(subscribers, OTHER_SCENE, key, device->ticket));
    uint64_t ticket = device->ticket;
    subscribers_remove(subscribers, SCENE, key);
    cr_assert_null(subscribers_find(subscribers, SCENE, key, ticket));
}

Test(subscribers, removing_devices_leaves_the_others_in_place)
{
    struct stream *stream;
    admit_many(5);
    subscribers_remove(subscribers, SCENE, text_from(&arena, "device0"));
    subscribers_remove(subscribers, SCENE, text_from(&arena, "device4"));
    subscribers_remove(subscribers, SCENE, text_from(&arena, "nobody"));
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    subscribers_begin_round(subscribers);
    cr_assert_not_null(subscribers_next(subscribers, &stream));
    cr_assert_eq(stream->device_count, 3);
    for (uint32_t i = 0; i < stream->device_count; i++) {
        cr_expect_eq(stream->devices[i]->place, i);
        cr_expect(!text_is(stream->devices[i]->key, "device0"));
        cr_expect(!text_is(stream->devices[i]->key, "device4"));
    }
}

Test(subscribers, nothing_leaves_after_the_last_device_has_gone)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 1, false);
    subscribers_remove(subscribers, SCENE, text_from(&arena, "d"));
    cr_assert_str_eq(round_text(), "");
    cr_assert(!subscribers_leave(subscribers));
}

Test(subscribers, what_waits_for_a_deleted_scene_still_leaves)
{
    admit(SCENE, "d", 0);
    take(SCENE, EVENT_OBJECT_DELETED, "a", 1, false);
    subscribers_end_scene(subscribers, SCENE);
    cr_assert_str_eq(round_text(), "3:a:1 ");
    take(SCENE, EVENT_OBJECT_UPDATED, "a", 2, false);
    cr_assert(!subscribers_collect(subscribers));
}

Test(subscribers, an_ipv4_socket_reaches_ipv4_only)
{
    union endpoint endpoint;
    cr_assert(endpoint_from(AF_INET, "192.0.2.1", 5000, &endpoint));
    cr_assert_eq(endpoint_size(&endpoint), sizeof(struct sockaddr_in));
    cr_assert_eq(endpoint.v4.sin_family, AF_INET);
    cr_assert_eq(ntohs(endpoint.v4.sin_port), 5000);
    cr_assert_eq(ntohl(endpoint.v4.sin_addr.s_addr), 0xc0000201);
    cr_assert(!endpoint_from(AF_INET, "2001:db8::1", 5000, &endpoint));
    cr_assert(!endpoint_from(AF_INET, "", 5000, &endpoint));
}

Test(subscribers, an_ipv6_socket_reaches_ipv4_by_mapped_addresses)
{
    union endpoint endpoint;
    char text[INET6_ADDRSTRLEN];
    cr_assert(endpoint_from(AF_INET6, "192.0.2.1", 5000, &endpoint));
    cr_assert_eq(endpoint_size(&endpoint), sizeof(struct sockaddr_in6));
    cr_assert_str_eq(inet_ntop(AF_INET6, &endpoint.v6.sin6_addr, text, sizeof text),
                     "::ffff:192.0.2.1");
    cr_assert(endpoint_from(AF_INET6, "2001:db8::1", 5000, &endpoint));
    cr_assert_eq(ntohs(endpoint.v6.sin6_port), 5000);
    cr_assert(!endpoint_from(AF_INET6, "nonsense", 5000, &endpoint));
}
