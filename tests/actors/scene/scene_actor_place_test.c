// scene_actor_place_test.c - what an answer says of the event that its state stands behind: who
// joins a scene drops what it hears up to there, and who has written knows what is older.
#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/scene_actor.h"
#include "proto/base/owned.h"
#include "tests/support/gate.h"
#include "tests/support/scene_service.h"

enum { EPOCH = 7 };

static struct service *
service_of_epoch(struct service *service)
{
    service_stop(service);
    service->settings.epoch = EPOCH;
    service_start(service);
    return service;
}

static void
assert_place(const struct message *answer, int64_t seq)
{
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    const struct envelope *envelope = (const struct envelope *)(const void *)answer->reply.envelope;
    cr_assert_not_null(envelope);
    cr_assert_eq(envelope->epoch, EPOCH);
    cr_assert_eq(envelope->seq, seq, "%lld", (long long)envelope->seq);
}

// Events of the scene: 1 its creation, 2 an object, 3 another.
SHARDED_TEST(scene_actor_place, reads_of_a_scene_stand_behind_its_newest_event)
{
    service_of_epoch(service);
    service_create_object(service, "s", "{'name':'a'}");
    service_create_object(service, "s", "{'name':'b'}");
    owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "s");
    owned(message_destroy) struct message *objects = ASK(service, OBJECT_QUERY, .scene = "s");
    owned(message_destroy) struct message *properties = ASK(service, PROPERTY_QUERY, .scene = "s");
    assert_place(scene, 3);
    assert_place(objects, 3);
    assert_place(properties, 3);
}

// Events of the scene: 1 its creation, 2 and 3 the devices.
SHARDED_TEST(scene_actor_place, a_registration_stands_behind_its_own_events)
{
    service_of_epoch(service);
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "s", .records = "{'devices':[{'key':'d1'},{'key':'d2'}]}");
    assert_place(answer, 3);
}

// --- writes ---

// A scene with one object, of events 1 and 2, and another commit that is under way: what is sent
// now waits for the next one, all of it.
static struct object_key
begin_held(struct service *service, uint64_t *ret_held)
{
    service_of_epoch(service);
    struct object_key key = service_create_object(service, "s", "{'name':'a','tags':['t']}");
    gate_close(service->store, GATE_COMMITS);
    *ret_held = SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'b'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    return key;
}

static uint64_t
send_name(struct service *service, struct object_key key, const char *record)
{
    return SEND(service, OBJECT_UPDATE, .object = key.chars, .records = record);
}

static void
assert_answer(struct service *service, uint64_t id, int64_t seq, const char *name)
{
    owned(message_destroy) struct message *answer = service_answer(service, id);
    assert_place(answer, seq);
    cr_assert_str_eq(text_chars(reply_object(answer, 0)->name), name);
}

SHARDED_TEST(scene_actor_place, a_write_tells_the_number_of_its_event)
{
    service_of_epoch(service);
    owned(message_destroy) struct message *created =
        ASK(service, OBJECT_CREATE, .scene = "s", .records = "{'name':'a'}");
    assert_place(created, 2);
    const char *key = text_chars(reply_object(created, 0)->key);
    owned(message_destroy) struct message *updated =
        ASK(service, OBJECT_UPDATE, .object = key, .records = "{'name':'b'}");
    assert_place(updated, 3);
    owned(message_destroy) struct message *property =
        ASK(service, PROPERTY_CREATE, .scene = "s", .records = "{'key':'p','name':'p'}");
    assert_place(property, 4);
    owned(message_destroy) struct message *deleted = ASK(service, OBJECT_DELETE, .object = key);
    assert_place(deleted, 5);
}

SHARDED_TEST(scene_actor_place, writes_of_one_commit_tell_a_number_each)
{
    uint64_t held, ids[3];
    struct object_key key = begin_held(service, &held);
    ids[0] = send_name(service, key, "{'name':'c'}");
    ids[1] = SEND(service, OBJECT_CREATE, .scene = "s", .records = "{'name':'x'}");
    ids[2] = send_name(service, key, "{'name':'d'}");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    assert_answer(service, held, 3, "b");
    assert_answer(service, ids[0], 4, "c");
    assert_answer(service, ids[1], 5, "x");
    assert_answer(service, ids[2], 6, "d");
}

SHARDED_TEST(scene_actor_place, what_came_by_udp_behind_a_write_is_not_in_its_number)
{
    uint64_t held;
    struct object_key key = begin_held(service, &held);
    char record[128];
    snprintf(record, sizeof record, "{'key':'%s','name':'by udp'}", key.chars);
    uint64_t datagram = SEND(service, DATAGRAMS, .records = record);
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    assert_answer(service, held, 3, "b");
    cr_assert_eq(service_outcome(service, datagram), OK);
    cr_assert_str_eq(text_chars(event_object(service_event(service, "s", 3))->name), "by udp");
}

SHARDED_TEST(scene_actor_place, a_write_that_changes_nothing_tells_the_number_of_what_it_shows)
{
    uint64_t held, ids[3];
    struct object_key key = begin_held(service, &held);
    ids[0] = send_name(service, key, "[]");
    ids[1] = send_name(service, key, "{'name':'c'}");
    ids[2] = send_name(service, key, "[]");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    assert_answer(service, held, 3, "b");
    assert_answer(service, ids[0], 3, "b");
    assert_answer(service, ids[1], 4, "c");
    assert_answer(service, ids[2], 4, "c");
    service_create_object(service, "s", "{'name':'other'}");
    uint64_t later = send_name(service, key, "[]");
    assert_answer(service, later, 5, "c");
}

// What is created first may have changed when the last is there: all events of it are behind its
// own.
SHARDED_TEST(scene_actor_place, a_creation_of_many_tells_the_number_of_the_first)
{
    enum { MANY = 700 }; // in three commits
    owned(buffer_finish) struct buffer records = {0};
    service_of_epoch(service);
    for (int i = 0; i < MANY; i++)
        buffer_put_chars(&records, i ? ",{}" : "[{}");
    buffer_put_chars(&records, "]");
    buffer_put_char(&records, '\0');
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "s", .records = (const char *)records.data);
    cr_assert_eq(answer->reply.count, MANY);
    assert_place(answer, 2);
}

SHARDED_TEST(scene_actor_place, the_answer_to_a_repeat_tells_no_number)
{
    service_of_epoch(service);
    struct object_key key = service_create_object(service, "s", "{'name':'a'}");
    for (int i = 0; i < 2; i++) {
        owned(message_destroy) struct message *answer =
            ASK(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'b'}",
                .repeat_key = "k", .repeat_print = "p");
        cr_assert_eq(answer->reply.is_replayed, i == 1);
        cr_assert_eq(answer->reply.envelope == NULL, i == 1);
    }
}
