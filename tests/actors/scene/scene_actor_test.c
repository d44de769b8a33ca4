// scene_actor_test.c - when changes of a scene actor become visible, in which order they are
// streamed, and what a failed commit leaves. Commits are held at a gate and fail by plan.
#include "actors/scene/scene_actor.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

// The name that readers get of a scene is this one; NULL = there is no such scene.
static bool
shows_scene(struct service *service, const char *key, const char *name)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = key);
    if (!name)
        return answer->reply.fault.error == ERR_NOT_FOUND;
    return answer->reply.fault.error == OK && text_is(reply_scene(answer, 0)->name, name);
}

static void
check_event(struct service *service, const char *scene, size_t place, uint8_t msg_type)
{
    const struct event *event = service_event(service, scene, place);
    cr_assert_eq(event->msg_type, msg_type, "event %zu is of type %u", place, event->msg_type);
    cr_assert_eq(event->seq, place + 1);
}

// Sends the request and waits until its commit stands at the closed gate.
#define SEND_AND_HOLD(service, ...)                                                                \
    ({                                                                                             \
        gate_close((service)->store, GATE_COMMITS);                                                \
        uint64_t held_id_ = SEND((service), __VA_ARGS__);                                          \
        cr_assert(gate_await((service)->store, GATE_COMMITS));                                     \
        held_id_;                                                                                  \
    })

// ---------------------------------------------------------------- visible when durable

SHARDED_TEST(scene_actor, a_scene_is_invisible_until_its_creation_is_durable)
{
    uint64_t put =
        SEND_AND_HOLD(service, SCENE_PUT, .scene = "hall", .records = "{'name':'first'}");
    cr_assert(shows_scene(service, "hall", NULL));
    cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), ERR_NOT_FOUND);
    cr_assert_eq(service_count_events(service, "hall"), 0);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, put), OK);
    cr_assert(shows_scene(service, "hall", "first"));
    check_event(service, "hall", 0, EVENT_SCENE_CREATED);
}

SHARDED_TEST(scene_actor, a_change_of_an_object_is_invisible_until_it_is_durable)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    uint64_t update =
        SEND_AND_HOLD(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    cr_assert(service_shows_name(service, key, "old"));
    check_event(service, "hall", 1, EVENT_OBJECT_CREATED);
    cr_assert_eq(service_count_events(service, "hall"), 2);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, update), OK);
    cr_assert(service_shows_name(service, key, "new"));
    check_event(service, "hall", 2, EVENT_OBJECT_UPDATED);
}

SHARDED_TEST(scene_actor, an_object_stays_visible_until_its_removal_is_durable)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    uint64_t removal = SEND_AND_HOLD(service, OBJECT_DELETE, .object = key.chars);
    cr_assert(service_shows_name(service, key, "cube"));
    uint64_t update = SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'x'}");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(service_outcome(service, update), ERR_NOT_FOUND, "for writers it was gone");
    cr_assert(service_shows_name(service, key, NULL));
}

SHARDED_TEST(scene_actor, writers_build_on_what_is_staged)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    uint64_t first =
        SEND_AND_HOLD(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    uint64_t second =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'type':'Mesh'}");
    uint64_t third = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{'name':'other'}");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    owned(message_destroy) struct message *answer = service_answer(service, second);
    cr_assert(text_is(reply_object(answer, 0)->name, "new"));
    cr_assert(text_is(reply_object(answer, 0)->type, "Mesh"));
    cr_assert_eq(service_outcome(service, third), OK);
    check_event(service, "hall", 4, EVENT_OBJECT_CREATED);
}

SHARDED_TEST(scene_actor, what_comes_during_a_commit_is_the_next_commit)
{
    enum { UPDATES = 200 };
    uint64_t ids[UPDATES];
    struct object_key key = service_create_object(service, "hall", "{}");
    uint64_t before = gate_ended(service->store, GATE_COMMITS);
    uint64_t first =
        SEND_AND_HOLD(service, OBJECT_UPDATE, .object = key.chars, .records = "{'frame':-1}");
    for (int i = 0; i < UPDATES; i++) {
        char record[32];
        snprintf(record, sizeof record, "{'frame':%d}", i);
        ids[i] = SEND(service, OBJECT_UPDATE, .object = key.chars, .records = record);
    }
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    for (int i = 0; i < UPDATES; i++) {
        owned(message_destroy) struct message *answer = service_answer(service, ids[i]);
        cr_assert_eq(reply_object(answer, 0)->rare->frame, i);
    }
    cr_assert_eq(gate_ended(service->store, GATE_COMMITS) - before, 2);
    for (int i = 0; i < UPDATES; i++) {
        const struct event *event = service_event(service, "hall", (size_t)i + 3);
        cr_assert_eq(event_object(event)->rare->frame, i);
        cr_assert_eq(event->seq, (uint64_t)i + 4);
    }
}

SHARDED_TEST(scene_actor, what_was_answered_is_there_after_a_restart)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall",
                    .records = "{'name':'Great hall','tags':['a','b'],'latitude':52.5}"),
                 OK);
    struct object_key kept = service_create_object(service, "hall", "{'name':'kept'}");
    struct object_key gone = service_create_object(service, "hall", "{'name':'gone'}");
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = gone.chars), OK);
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = kept.chars, .records = "{'frame':7}"), OK);
    service_restart(service);
    owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert(text_is(reply_scene(scene, 0)->name, "Great hall"));
    cr_assert_eq(texts_count(reply_scene(scene, 0)->tags), 2);
    cr_assert_eq(reply_scene(scene, 0)->latitude, 52.5);
    owned(message_destroy) struct message *object = ASK(service, OBJECT_GET, .object = kept.chars);
    cr_assert(text_is(reply_object(object, 0)->name, "kept"));
    cr_assert_eq(reply_object(object, 0)->rare->frame, 7);
    cr_assert(service_shows_name(service, gone, NULL));
}

SHARDED_TEST(scene_actor, finishes_what_is_staged_before_it_ends)
{
    enum { UPDATES = 50 };
    struct object_key key = service_create_object(service, "hall", "{}");
    for (int i = 1; i <= UPDATES; i++) {
        char record[32];
        snprintf(record, sizeof record, "{'frame':%d}", i);
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = record);
    }
    service_restart(service);
    owned(message_destroy) struct message *object = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert_eq(reply_object(object, 0)->rare->frame, UPDATES);
}

// ---------------------------------------------------------------- a failed commit

SHARDED_TEST(scene_actor, a_failed_change_leaves_memory_and_disk_as_they_were)
{
    static const char *const plans[] = {"unavailable=1", "conflict=1", "unknown=1"};
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        owned(arena_finish) struct arena arena = {0};
        service_set_faults(service, plans[i]);
        cr_assert_neq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}"),
                      OK, "%s", plans[i]);
        cr_assert(service_shows_name(service, key, "old"));
        const struct object *stored = service_stored_object(service, &arena, "hall", key);
        cr_assert(text_is(stored->name, "old"));
    }
    service_set_faults(service, "");
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'type':'Mesh'}"), OK);
    cr_assert(service_shows_name(service, key, "old"));
    check_event(service, "hall", 2, EVENT_OBJECT_UPDATED); // the third of all: none of a failure
}

SHARDED_TEST(scene_actor, a_commit_of_unknown_outcome_that_was_written_counts)
{
    service_set_faults(service, "unknown=1"); // the first is not written, the second is
    cr_assert_neq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'name':'a'}"), OK);
    cr_assert(shows_scene(service, "hall", NULL));
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'name':'b'}"), OK);
    cr_assert(shows_scene(service, "hall", "b"));
    service_set_faults(service, "");
    service_restart(service);
    cr_assert(shows_scene(service, "hall", "b"));
}

SHARDED_TEST(scene_actor, after_a_failed_creation_scenes_are_created_as_ever)
{
    static const char *const keys[] = {"hall", "yard", "attic", "cellar", "hall"};
    service_set_faults(service, "unavailable=1");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        cr_assert_eq(DO(service, SCENE_PUT, .scene = keys[i]), ERR_UNAVAILABLE);
        cr_assert_eq(DO(service, OBJECT_CREATE, .scene = keys[i], .records = "{}"),
                     ERR_UNAVAILABLE);
        cr_assert(shows_scene(service, keys[i], NULL));
    }
    service_set_faults(service, "");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] - 1; i++) {
        struct object_key key = service_create_object(service, keys[i], "{'name':'cube'}");
        cr_assert(service_shows_name(service, key, "cube"));
        check_event(service, keys[i], 0, EVENT_SCENE_CREATED);
    }
}

SHARDED_TEST(scene_actor, what_had_built_on_a_failed_change_runs_again_without_it)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    uint64_t fails =
        SEND_AND_HOLD(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    uint64_t runs_again =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'type':'Mesh'}");
    service_barrier(service);
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, fails), ERR_UNAVAILABLE);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    owned(message_destroy) struct message *answer = service_answer(service, runs_again);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, 1);
    cr_assert(text_is(reply_object(answer, 0)->name, "old"));
    cr_assert(text_is(reply_object(answer, 0)->type, "Mesh"));
    check_event(service, "hall", 2, EVENT_OBJECT_UPDATED);
    cr_assert(text_is(event_object(service_event(service, "hall", 2))->name, "old"));
}

SHARDED_TEST(scene_actor, what_had_built_on_a_creation_that_failed_finds_nothing)
{
    uint64_t put = SEND_AND_HOLD(service, SCENE_PUT, .scene = "hall");
    uint64_t update = SEND(service, SCENE_UPDATE, .scene = "hall", .records = "{'name':'x'}");
    uint64_t removal = SEND(service, SCENE_DELETE, .scene = "hall");
    uint64_t create = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{'name':'cube'}");
    service_barrier(service);
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, put), ERR_UNAVAILABLE);
    cr_assert_eq(service_outcome(service, update), ERR_NOT_FOUND);
    cr_assert_eq(service_outcome(service, removal), ERR_NOT_FOUND);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, create), OK);
    check_event(service, "hall", 0, EVENT_SCENE_CREATED);
    check_event(service, "hall", 1, EVENT_OBJECT_CREATED);
}

SHARDED_TEST(scene_actor, a_failed_delete_leaves_the_scene_with_its_objects)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    uint64_t removal = SEND_AND_HOLD(service, SCENE_DELETE, .scene = "hall");
    uint64_t remade = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'again'}");
    service_barrier(service);
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, removal), ERR_UNAVAILABLE);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, remade), OK);
    check_event(service, "hall", 2, EVENT_SCENE_UPDATED); // the old scene, not a new one
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'frame':1}"), OK);
    cr_assert(service_shows_name(service, key, "cube"));
}

SHARDED_TEST(scene_actor, what_waited_for_room_goes_on_after_a_failed_commit)
{
    enum { BULK = 300, WAITING = 4 };
    owned(buffer_finish) struct buffer bulk = {0};
    uint64_t ids[WAITING];
    for (int i = 0; i < BULK; i++)
        buffer_put_chars(&bulk, i ? ",{}" : "[{}");
    buffer_put(&bulk, "]", 2);
    uint64_t fails = SEND_AND_HOLD(service, SCENE_PUT, .scene = "hall");
    for (int i = 0; i < WAITING; i++) // only one of them fits into a commit
        ids[i] = SEND(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    service_barrier(service);
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, fails), ERR_UNAVAILABLE);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    for (int i = 0; i < WAITING; i++)
        cr_assert_eq(service_outcome(service, ids[i]), OK);
    owned(message_destroy) struct message *all = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_assert_eq(all->reply.count, WAITING * BULK);
}

// ---------------------------------------------------------------- order

SHARDED_TEST(scene_actor, numbers_the_events_of_each_scene_without_gaps_in_the_order_of_changes)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'a'}");
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "yard"), OK);
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'b'}"), OK);
    cr_assert_eq(DO(service, OBJECT_LOCK, .object = key.chars, .device = "phone"), OK);
    cr_assert_eq(DO(service, OBJECT_UNLOCK, .object = key.chars, .device = "phone"), OK);
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "hall", .records = "{'name':'h'}"), OK);
    cr_assert_eq(DO(service, SCENE_ADD_ASSET, .scene = "hall", .asset = "floor"), OK);
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = key.chars), OK);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    const uint8_t types[] = {EVENT_SCENE_CREATED,  EVENT_OBJECT_CREATED, EVENT_OBJECT_UPDATED,
                             EVENT_LOCK_GRANTED,   EVENT_LOCK_RELEASED,  EVENT_SCENE_UPDATED,
                             EVENT_OBJECT_UPDATED, // with the scene's update
                             EVENT_SCENE_UPDATED,  EVENT_OBJECT_DELETED, EVENT_SCENE_DELETED};
    for (size_t i = 0; i < sizeof types; i++)
        check_event(service, "hall", i, types[i]);
    check_event(service, "yard", 0, EVENT_SCENE_CREATED);
    cr_assert_eq(service_count_events(service, "hall"), sizeof types);
    cr_assert(text_is(event_object(service_event(service, "hall", 1))->name, "a"));
    cr_assert(text_is(object_owner(event_object(service_event(service, "hall", 3))), "phone"));
    cr_assert(text_is(event_object(service_event(service, "hall", 8))->name, "b"));
}

SHARDED_TEST(scene_actor, a_refused_request_emits_nothing)
{
    struct object_key key = service_create_object(service, "hall", "{'owner':'phone'}");
    cr_assert_eq(DO(service, SCENE_CREATE, .scene = "hall", .records = "{}"), ERR_CONFLICT);
    cr_assert_eq(DO(service, OBJECT_LOCK, .object = key.chars, .device = "tablet"), ERR_LOCKED);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall",
                    .records = "[{},{'quaternion_rotation':[9,9,9,9]}]"),
                 ERR_INVALID);
    cr_assert_eq(DO(service, OBJECT_LOCK, .object = key.chars, .device = "phone"), OK); // renewal
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = key.chars), OK);
    check_event(service, "hall", 2, EVENT_OBJECT_DELETED); // right behind the two creations
}

SHARDED_TEST(scene_actor, a_deleted_scene_says_goodbye_to_its_objects_where_events_cascade)
{
    service->settings.events_cascade = true;
    service_restart(service);
    for (int i = 0; i < 3; i++)
        service_create_object(service, "hall", "{}");
    service_restart(service); // the objects are on disk only
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    for (size_t i = 0; i < 3; i++)
        check_event(service, "hall", i, EVENT_OBJECT_DELETED);
    check_event(service, "hall", 3, EVENT_SCENE_DELETED);
}

SHARDED_TEST(scene_actor, the_events_of_a_scene_made_again_have_numbers_of_their_own)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    const struct event *last = service_event(service, "hall", 2);
    cr_assert_eq(last->msg_type, EVENT_SCENE_DELETED);
    uint64_t last_seq = last->seq, last_id = last->scene_id;
    const struct event *first = service_event(service, "hall", 3);
    cr_assert_eq(first->msg_type, EVENT_SCENE_CREATED);
    cr_assert_gt(first->seq, last_seq, "(epoch, seq) of a key never repeats");
    cr_assert_neq(first->scene_id, last_id);
}

// ---------------------------------------------------------------- many objects at once

// The body of a create: objects called 0, 1, …
static void
put_bulk(struct buffer *out, int count, size_t name_bytes)
{
    buffer_put_chars(out, "[");
    for (int i = 0; i < count; i++)
        buffer_put_format(out, "%s{'frame':%d,'name':'%0*d'}", i ? "," : "", i, (int)name_bytes, i);
    buffer_put(out, "]", 2);
}

static void
check_bulk(const struct message *answer, uint32_t count)
{
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_eq(answer->reply.count, count);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(reply_object(answer, i)->rare->frame, i,
                     "answered in the order of the request");
}

SHARDED_TEST(scene_actor, creates_2000_objects_in_slices)
{
    enum { OBJECTS = 2000, SLICE = 300 };
    owned(buffer_finish) struct buffer bulk = {0};
    put_bulk(&bulk, OBJECTS, 4);
    uint64_t before = gate_ended(service->store, GATE_COMMITS);
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    check_bulk(answer, OBJECTS);
    cr_assert_eq(gate_ended(service->store, GATE_COMMITS) - before, (OBJECTS + SLICE - 1) / SLICE);
    for (size_t i = 0; i < OBJECTS; i++) {
        const struct event *event = service_event(service, "hall", i + 1);
        cr_assert_eq(event->seq, i + 2);
        cr_assert_eq(event_object(event)->rare->frame, (int64_t)i);
    }
    service_restart(service);
    owned(message_destroy) struct message *all = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_assert_eq(all->reply.count, OBJECTS);
}

SHARDED_TEST(scene_actor, others_are_served_between_the_slices)
{
    owned(buffer_finish) struct buffer bulk = {0};
    put_bulk(&bulk, 1000, 4);
    uint64_t create = SEND_AND_HOLD(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    cr_assert(shows_scene(service, "hall", NULL));
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    owned(message_destroy) struct message *some = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_assert_eq(some->reply.count, 300);
    gate_open(service->store, GATE_COMMITS);
    owned(message_destroy) struct message *answer = service_answer(service, create);
    check_bulk(answer, 1000);
}

SHARDED_TEST(scene_actor, a_slice_that_failed_is_not_created_and_the_ones_before_stay)
{
    owned(buffer_finish) struct buffer bulk = {0};
    put_bulk(&bulk, 1000, 4);
    service_set_faults(service, "unavailable=3");
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    cr_assert_eq(answer->reply.fault.error, ERR_UNAVAILABLE);
    static const char told[] = "the first 600 records were created; then: ";
    cr_assert_eq(strncmp(answer->reply.fault.detail, told, strlen(told)), 0, "%s",
                 answer->reply.fault.detail);
    service_set_faults(service, "");
    for (int i = 0; i < 2; i++) {
        owned(message_destroy) struct message *some = ASK(service, OBJECT_QUERY, .scene = "hall");
        cr_assert_eq(some->reply.count, 600);
        service_restart(service);
    }
}

SHARDED_TEST(scene_actor, creates_objects_that_are_larger_together_than_a_commit)
{
    enum { OBJECTS = 1500, NAME_BYTES = LIMIT_TEXT_BYTES };
    owned(buffer_finish) struct buffer bulk = {0};
    put_bulk(&bulk, OBJECTS, NAME_BYTES); // 6 MB, of 8 that a body may have
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    check_bulk(answer, OBJECTS);
}

// Five texts of 4 KiB each: 300 of them would be 6 MB in one commit.
SHARDED_TEST(scene_actor, cuts_slices_by_bytes_too)
{
    enum { OBJECTS = 300 };
    char text[LIMIT_TEXT_BYTES + 1];
    owned(buffer_finish) struct buffer bulk = {0};
    snprintf(text, sizeof text, "%0*d", LIMIT_TEXT_BYTES, 0);
    for (int i = 0; i < OBJECTS; i++)
        buffer_put_format(&bulk,
                          "%s{'frame':%d,'name':'%s','type':'%s','subtype':'%s','parent':'%s','"
                          "asset_sub_id':'%s'}",
                          i ? "," : "[", i, text, text, text, text, text);
    buffer_put(&bulk, "]", 2);
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    check_bulk(answer, OBJECTS);
}
