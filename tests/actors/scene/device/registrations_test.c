// registrations_test.c - which device is in which scene, and what goes when it leaves: its locks.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/feed/feed_token.h"
#include "proto/records/device.h"
#include "tests/support/scene_service.h"

static const struct device *
reply_device(const struct message *message, uint32_t index)
{
    return (const struct device *)(const void *)reply_scene(message, 0)->devices->items[index];
}

static uint32_t
count_devices(struct service *service, const char *scene)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct records *devices = reply_scene(answer, 0)->devices;
    return devices ? devices->count : 0;
}

static bool
is_owned_by(struct service *service, struct object_key key, const char *owner)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert_eq(answer->reply.fault.error, OK);
    return text_is(object_owner(reply_object(answer, 0)), owner);
}

// How many objects of the scene the device holds.
static uint32_t
count_held(struct service *service, const char *scene, const char *owner)
{
    char filter[64];
    snprintf(filter, sizeof filter, "{'owner':'%s'}", owner);
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_QUERY, .scene = scene, .records = filter);
    cr_assert_eq(answer->reply.fault.error, OK);
    return answer->reply.count;
}

#define PHONE "{'devices':[{'key':'phone'}]}"

// ---------------------------------------------------------------- in and out

SHARDED_TEST(registrations, registering_makes_the_scene_and_answers_with_target_and_origin)
{
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "hall", .records = PHONE);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, 2);
    cr_assert(text_is(reply_scene(answer, 0)->key, "hall"));
    cr_assert_eq(reply_scene(answer, 0)->devices->count, 1);
    cr_assert(text_is(reply_device(answer, 0)->key, "phone"));
    cr_assert_eq(text_size(reply_scene(answer, 1)->key), 0);
    cr_assert_eq(service_event(service, "hall", 0)->msg_type, EVENT_SCENE_CREATED);
    cr_assert_eq(service_event(service, "hall", 1)->msg_type, EVENT_DEVICE_REGISTERED);
}

SERVICE_TEST(registrations, what_is_kept_of_a_device_is_packed)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert(frozen_is_packed(service_event(service, "hall", 1)->record));
}

static const struct udp_state *
udp_of(const struct record *udp)
{
    return (const struct udp_state *)(const void *)udp;
}

SERVICE_TEST(registrations, each_device_of_a_request_gets_a_token_and_nobody_else_sees_it)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = "{'devices':[{'key':'old'}]}"),
                 OK);
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "hall",
            .records = "{'devices':[{'key':'b','hostname':'127.0.0.9','port':9000},{'key':'a',"
                       "'hostname':'127.0.0.1','port':9000}]}");
    const struct udp_state *a = udp_of(device_rare_of(reply_device(answer, 0))->udp);
    const struct udp_state *b = udp_of(device_rare_of(reply_device(answer, 1))->udp);
    cr_assert(text_is(a->state, "active"));
    cr_assert(text_is(b->state, "pending"));
    cr_assert_eq(text_size(a->token), 22);
    cr_assert_eq(text_size(b->token), 22);
    cr_assert(!text_equal(a->token, b->token));
    cr_assert_eq(a->expires_s, INT32_MAX);
    cr_assert_null(device_rare_of(reply_device(answer, 2))->udp,
                   "old was registered by another request");
    cr_assert(
        text_equal(
            udp_of(((const struct envelope *)(const void *)answer->reply.envelope)->udp)->token,
            b->token),
        "the envelope tells of the request's first");
    owned(message_destroy) struct message *seen = ASK(service, SCENE_GET, .scene = "hall");
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_null(device_rare_of(reply_device(seen, i))->udp);
}

SERVICE_TEST(registrations, of_a_device_that_stands_twice_the_last_counts)
{
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "hall",
            .records = "{'devices':[{'key':'a','hostname':'127.0.0.1','port':9000},{'key':'a'}]}");
    const struct udp_state *shown = udp_of(device_rare_of(reply_device(answer, 0))->udp);
    cr_assert(text_equal(
        udp_of(((const struct envelope *)(const void *)answer->reply.envelope)->udp)->token,
        shown->token));
    struct opened room;
    const struct device *stored = device_open(service_event(service, "hall", 2)->record, &room);
    char hash[FEED_TOKEN_HASH_SIZE];
    cr_assert(feed_token_hash(shown->token, hash));
    cr_assert(text_is(stored->token, hash));
}

SHARDED_TEST(registrations, a_registration_is_invisible_until_it_is_durable)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t request = SEND(service, REGISTER, .scene = "hall", .records = PHONE);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    cr_assert_eq(count_devices(service, "hall"), 0);
    cr_assert_eq(service_count_events(service, "hall"), 1);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, request), OK);
    cr_assert_eq(count_devices(service, "hall"), 1);
}

SHARDED_TEST(registrations, devices_are_told_again_after_a_restart)
{
    cr_assert_eq(
        DO(service, REGISTER, .scene = "hall", .records = "{'devices':[{'key':'a'},{'key':'b'}]}"),
        OK);
    service_restart(service);
    for (size_t place = 0; place < 2; place++) {
        const struct event *event = service_event(service, "hall", place);
        cr_assert_eq(event->msg_type, EVENT_DEVICE_KNOWN);
        cr_assert_eq(event->seq, 0, "the streamer hears of it, nobody else");
    }
    cr_assert_eq(count_devices(service, "hall"), 2);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    cr_assert_eq(service_event(service, "hall", 2)->seq, 1);
}

SHARDED_TEST(registrations, who_is_not_registered_cannot_leave_or_align)
{
    static const char aligned[] =
        "{'devices':[{'key':'phone','transform':{'translation':[1,2,3],'rotation':[0,0,0]}}]}";
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), ERR_NOT_FOUND);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = "{'devices':[{'key':'x'}]}"),
                 OK);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), ERR_NOT_FOUND);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = aligned), ERR_NOT_FOUND);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = aligned), OK);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), ERR_NOT_FOUND);
    service_restart(service);
    cr_assert_eq(count_devices(service, "hall"), 1);
}

SHARDED_TEST(registrations, what_is_missing_is_named)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall"), ERR_MISSING);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = "{}"), ERR_MISSING);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall",
                    .records = "{'key':'yard','devices':[{'key':'phone'}]}"),
                 ERR_MALFORMED);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = "{'devices':[{}]}"),
                 ERR_MISSING);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
}

// A body that names `count` devices.
static void
put_devices(struct buffer *out, int count)
{
    buffer_put_chars(out, "{'devices':[");
    for (int i = 0; i < count; i++)
        buffer_put_format(out, "%s{'key':'device %d','transform':{'translation':[%d,0,0]}}",
                          i ? "," : "", i, i);
    buffer_put(out, "]}", 3);
}

SHARDED_TEST(registrations, more_devices_than_a_commit_takes_come_and_go)
{
    enum { DEVICES = 2500 };
    static const enum operation operations[] = {REGISTER, ALIGN, REGISTER, DEREGISTER};
    owned(buffer_finish) struct buffer body = {0};
    put_devices(&body, DEVICES);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        cr_assert_eq(DO(service, operations[i], .scene = "hall", .records = body.data), OK, "%s",
                     operation_rows[operations[i]].name);
        cr_assert_eq(count_devices(service, "hall"), operations[i] == DEREGISTER ? 0 : DEVICES);
    }
    service_restart(service);
    cr_assert_eq(count_devices(service, "hall"), 0);
}

SHARDED_TEST(registrations, a_full_scene_takes_no_other_device_but_those_that_it_has)
{
    owned(buffer_finish) struct buffer body = {0};
    put_devices(&body, LIMIT_SCENE_DEVICES);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = body.data), OK);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), ERR_INVALID);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall",
                    .records = "{'devices':[{'key':'device 7','transform':{'rotation':[1,0,0]}}]}"),
                 OK);
    cr_assert_eq(count_devices(service, "hall"), LIMIT_SCENE_DEVICES);
}

// ---------------------------------------------------------------- locks

SHARDED_TEST(registrations, a_device_that_leaves_leaves_its_locks)
{
    struct object_key held = service_create_object(service, "hall", "{'owner':'phone'}");
    struct object_key locked = service_create_object(service, "hall", "{}");
    struct object_key others = service_create_object(service, "hall", "{'owner':'tablet'}");
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert_eq(DO(service, OBJECT_LOCK, .object = locked.chars, .device = "phone"), OK);
    service_restart(service); // the objects are on disk
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    for (int round = 0; round < 2; round++) {
        cr_assert(is_owned_by(service, held, ""));
        cr_assert(is_owned_by(service, locked, ""));
        cr_assert(is_owned_by(service, others, "tablet"));
        service_restart(service);
    }
}

SHARDED_TEST(registrations, a_lock_that_is_being_granted_is_released_too)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t lock = SEND(service, OBJECT_LOCK, .object = key.chars, .device = "phone");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t leave = SEND(service, DEREGISTER, .scene = "hall", .records = PHONE);
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, lock), OK);
    cr_assert_eq(service_outcome(service, leave), OK);
    cr_assert(is_owned_by(service, key, ""));
}

SHARDED_TEST(registrations, objects_that_are_being_created_are_released_too)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t committing =
        SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{'owner':'phone'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t filling = SEND(service, OBJECT_CREATE, .scene = "hall",
                            .records = "[{'owner':'phone'},{'owner':'tablet'}]");
    uint64_t leave = SEND(service, DEREGISTER, .scene = "hall", .records = PHONE);
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, committing), OK);
    cr_assert_eq(service_outcome(service, filling), OK);
    cr_assert_eq(service_outcome(service, leave), OK);
    cr_assert_eq(count_held(service, "hall", "phone"), 0);
    cr_assert_eq(count_held(service, "hall", "tablet"), 1);
}

SHARDED_TEST(registrations, one_of_many_gets_a_lock)
{
    enum { DEVICES = 50 };
    uint64_t ids[DEVICES];
    int granted = 0;
    struct object_key key = service_create_object(service, "hall", "{}");
    for (int i = 0; i < DEVICES; i++) {
        char device[32];
        snprintf(device, sizeof device, "device %d", i);
        ids[i] = SEND(service, OBJECT_LOCK, .object = key.chars, .device = device);
    }
    for (int i = 0; i < DEVICES; i++) {
        owned(message_destroy) struct message *answer = service_answer(service, ids[i]);
        granted += answer->reply.fault.error == OK;
        if (i == 0) {
            cr_assert_eq(answer->reply.fault.error, OK);
            continue;
        }
        cr_assert_eq(answer->reply.fault.error, ERR_LOCKED);
        cr_assert(text_is(reply_envelope(answer)->holder, "device 0"));
    }
    cr_assert_eq(granted, 1);
}

// ---------------------------------------------------------------- another scene with the same key

// Closes the gate; what is sent from now on is one commit when it opens.
static uint64_t
begin_commit(struct service *service)
{
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = SEND(service, SCENE_PUT, .scene = "aside");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    return first;
}

static void
land(struct service *service, uint64_t first)
{
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
}

Test(registrations, the_answer_does_not_show_another_scene_that_has_the_key_now,
     .fini = service_end)
{
    struct service *service = service_begin(1);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'public':true}",
                    .role = CALLER_USER, .user = "ann"),
                 OK);
    uint64_t first = begin_commit(service);
    uint64_t request = SEND(service, REGISTER, .scene = "hall", .records = PHONE,
                            .role = CALLER_USER, .user = "bob");
    uint64_t end = SEND(service, SCENE_DELETE, .scene = "hall", .role = CALLER_USER, .user = "ann");
    uint64_t made =
        SEND(service, SCENE_CREATE, .scene = "hall", .records = "{'public':false,'name':'secret'}",
             .role = CALLER_USER, .user = "ann");
    land(service, first);
    cr_assert_eq(service_outcome(service, end), OK);
    cr_assert_eq(service_outcome(service, made), OK);
    cr_assert_eq(service_outcome(service, request), ERR_NOT_FOUND);
}

Test(registrations, the_answer_does_not_show_a_scene_that_is_hidden_now, .fini = service_end)
{
    struct service *service = service_begin(1);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'public':true}",
                    .role = CALLER_USER, .user = "ann"),
                 OK);
    uint64_t first = begin_commit(service);
    uint64_t request = SEND(service, REGISTER, .scene = "hall", .records = PHONE,
                            .role = CALLER_USER, .user = "bob");
    uint64_t hidden =
        SEND(service, SCENE_PUT, .scene = "hall", .records = "{'public':false,'name':'secret'}",
             .role = CALLER_USER, .user = "ann");
    land(service, first);
    cr_assert_eq(service_outcome(service, hidden), OK);
    cr_assert_eq(service_outcome(service, request), ERR_NOT_FOUND);
}

// Records with devices 0 to count - 1, which are placed.
static const char *
many_devices(size_t count)
{
    static char records[64 << 10];
    size_t size = (size_t)snprintf(records, sizeof records, "{'devices':[");
    for (size_t i = 0; i < count; i++)
        size += (size_t)snprintf(
            records + size, sizeof records - size,
            "%s{'key':'%zu','transform':{'translation':[1,0,0],'rotation':[0,0,0]}}", i ? "," : "",
            i);
    snprintf(records + size, sizeof records - size, "]}");
    return records;
}

// The first slice of a request on devices, the end of its scene and another scene with its key are
// one commit; what the request ends with.
static enum error
outcome_after_another_scene(struct service *service, enum operation operation)
{
    enum { DEVICES = 200 };
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = many_devices(DEVICES)), OK);
    uint64_t first = begin_commit(service);
    uint64_t request = SEND(service, operation, .scene = "hall", .records = many_devices(DEVICES));
    uint64_t end = SEND(service, SCENE_DELETE, .scene = "hall");
    uint64_t made = SEND(service, SCENE_CREATE, .scene = "hall");
    land(service, first);
    cr_assert_eq(service_outcome(service, end), OK);
    cr_assert_eq(service_outcome(service, made), OK);
    return service_outcome(service, request);
}

Test(registrations, devices_leave_no_other_scene_that_has_the_key_now, .fini = service_end)
{
    cr_assert_eq(outcome_after_another_scene(service_begin(1), DEREGISTER), ERR_NOT_FOUND);
}

Test(registrations, devices_are_placed_in_no_other_scene_that_has_the_key_now, .fini = service_end)
{
    cr_assert_eq(outcome_after_another_scene(service_begin(1), ALIGN), ERR_NOT_FOUND);
}
