// scene_cascade_test.c - with events.cascade each object of a deleted scene is told of once, in
// slices and in order, then the scene; a scene that is made again meanwhile comes behind.
#include "actors/scene/scene_cascade.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

enum { OBJECTS_OF_HALL = 2600, SLICE = 500 };

static void
furnish(struct service *service)
{
    owned(buffer_finish) struct buffer bulk = {0};
    service->settings.events_cascade = true;
    service_restart(service);
    for (int i = 0; i < OBJECTS_OF_HALL; i++)
        buffer_put_format(&bulk, "%s{'frame':%d}", i ? "," : "[", i);
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data), OK);
    service_restart(service); // no events are left of what was made
}

// All objects in the order of their keys, then the scene, each with the next number; returns the
// last one.
static uint64_t
check_farewell(struct service *service)
{
    uint64_t seq = service_event(service, "hall", 0)->seq;
    const struct text *last = NULL;
    for (size_t i = 0; i < OBJECTS_OF_HALL; i++) {
        const struct event *event = service_event(service, "hall", i);
        const struct text *key = event_object(event)->key;
        cr_assert_eq(event->msg_type, EVENT_OBJECT_DELETED, "event %zu", i);
        cr_assert_eq(event->seq, seq + i);
        cr_assert(!last || text_compare(last, key) < 0, "each once, in order");
        last = key;
    }
    const struct event *end = service_event(service, "hall", OBJECTS_OF_HALL);
    cr_assert_eq(end->msg_type, EVENT_SCENE_DELETED);
    cr_assert_eq(end->seq, seq + OBJECTS_OF_HALL);
    return end->seq;
}

SERVICE_TEST(scene_cascade, tells_of_each_object_once_and_of_the_scene_at_last)
{
    furnish(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    check_farewell(service);
    cr_assert_eq(service_count_events(service, "hall"), OBJECTS_OF_HALL + 1);
}

SERVICE_TEST(scene_cascade, waits_for_the_streamer_after_each_slice)
{
    furnish(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    size_t told = 0;
    owned(message_destroy) struct message *message = NULL;
    while (!message || message->operation != CASCADE) { // which the streamer keeps
        message_destroy(&message);
        message = mailbox_receive(service->streamer, 10000);
        cr_assert_not_null(message);
        told += message->operation == EVENTS ? events_of(message)->count : 0;
    }
    service_barrier(service);
    cr_assert(told <= SLICE && service_count_events(service, "hall") <= SLICE, "%zu", told);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND, "it is gone at once");
}

// Requests that make the scene again come behind its end, whenever they were sent.
static void
check_made_again(struct service *service, uint64_t made)
{
    uint64_t last = check_farewell(service);
    const struct event *again = service_event(service, "hall", OBJECTS_OF_HALL + 1);
    cr_assert_eq(again->msg_type, EVENT_SCENE_CREATED);
    cr_assert_gt(again->seq, last, "(epoch, seq) of a key never repeats");
    cr_assert_neq(again->scene_id, service_event(service, "hall", 0)->scene_id);
    cr_assert_eq(service_outcome(service, made), OK);
}

SERVICE_TEST(scene_cascade, a_scene_made_again_comes_behind)
{
    furnish(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    check_made_again(service, SEND(service, SCENE_PUT, .scene = "hall", .records = "{}"));
}

SERVICE_TEST(scene_cascade, a_scene_made_before_the_deletion_is_durable_comes_behind)
{
    furnish(service);
    cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), OK); // it is in memory
    uint64_t gone = SEND(service, SCENE_DELETE, .scene = "hall");
    check_made_again(service,
                     SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{'frame':1}"));
    cr_assert_eq(service_outcome(service, gone), OK);
    owned(message_destroy) struct message *all = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_assert_eq(all->reply.count, 1, "of the new scene");
}

SERVICE_TEST(scene_cascade, a_registration_comes_behind)
{
    furnish(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    check_made_again(service,
                     SEND(service, REGISTER, .records = "{'key':'hall','devices':[{'key':'d1'}]}",
                          .scene = "hall"));
}

SERVICE_TEST(scene_cascade, a_failed_deletion_lets_the_others_go_on)
{
    furnish(service);
    cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), OK);
    service_set_faults(service, "unavailable=1");
    uint64_t gone = SEND(service, SCENE_DELETE, .scene = "hall");
    uint64_t made = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'b'}");
    cr_assert_neq(service_outcome(service, gone), OK);
    service_outcome(service, made); // it is answered, and fails if it meets the same store
    service_set_faults(service, "");
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'name':'b'}"), OK);
    owned(message_destroy) struct message *all =
        ASK(service, OBJECT_QUERY, .scene = "hall", .num_records = 10000);
    cr_assert_eq(all->reply.count, OBJECTS_OF_HALL, "nothing is deleted");
}

SERVICE_TEST(scene_cascade, an_end_of_the_server_meanwhile_ends_it)
{
    furnish(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK); // the streamer returns nothing
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{}"), OK);
    cr_assert_eq(service_event(service, "hall", 0)->msg_type, EVENT_SCENE_CREATED);
}
