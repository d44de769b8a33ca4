// outbox_test.c - a delete ends the relationships to what it deletes, before it is answered, once
// and whatever fails on the way.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/records/effect.h"
#include "tests/support/relations.h"

static uint32_t
count(struct service *service, const char *related)
{
    return related_count(service, "chair", related, CALLER_TRUSTED, "");
}

// A scene with two objects, all three related; the objects' keys.
static void
furnish(struct service *service, const char *scene, struct object_key keys[2])
{
    for (int i = 0; i < 2; i++) {
        keys[i] = service_create_object(service, scene, "{}");
        relate(service, keys[i].chars);
    }
    relate(service, scene);
}

// ---------------------------------------------------------------- what a delete ends

SHARDED_TEST(outbox, a_scene_goes_with_the_relationships_to_all_that_was_in_it)
{
    struct object_key in_hall[2], in_yard[2];
    furnish(service, "hall", in_hall);
    furnish(service, "yard", in_yard);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_expect_eq(count(service, "hall"), 0);
    cr_expect_eq(count(service, in_hall[0].chars), 0);
    cr_expect_eq(count(service, in_hall[1].chars), 0);
    cr_expect_eq(count(service, NULL), 3, "those of the yard stay");
}

SHARDED_TEST(outbox, what_is_not_in_memory_is_found_on_the_disk)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_expect_eq(count(service, NULL), 0);
}

SHARDED_TEST(outbox, a_key_of_the_same_partition_that_was_not_in_the_scene_stays_related)
{
    struct object_key keys[2];
    char stranger[] = "000000000000000000000000"; // perhaps a project's
    furnish(service, "hall", keys);
    memcpy(stranger, keys[0].chars, 3);
    relate(service, stranger);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_expect_eq(count(service, stranger), 1);
    cr_expect_eq(count(service, NULL), 1);
}

SHARDED_TEST(outbox, more_relationships_than_one_commit_takes_all_end)
{
    enum { MANY = 1100 }; // of two assets, as one has at most LIMIT_ASSET_LINKS
    static const char *const assets[] = {"chair", "table"};
    owned(buffer_finish) struct buffer bulk = {0};
    buffer_put_chars(&bulk, "[");
    for (int i = 0; i < MANY; i++)
        buffer_put_format(&bulk, "%s{'frame':%d}", i ? "," : "", i);
    buffer_put(&bulk, "]", 2);
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data);
    cr_assert_eq(answer->reply.count, MANY);
    static uint64_t ids[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] = relate_send(service, assets[i % 2], text_chars(reply_object(answer, i)->key));
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert_eq(service_outcome(service, ids[i]), OK);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    for (int i = 0; i < 2; i++)
        cr_expect_eq(related_count(service, assets[i], NULL, CALLER_TRUSTED, ""), 0);
}

SHARDED_TEST(outbox, an_object_goes_with_the_relationships_to_it)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = keys[0].chars), OK);
    cr_expect_eq(count(service, keys[0].chars), 0);
    cr_expect_eq(count(service, NULL), 2);
}

SHARDED_TEST(outbox, is_empty_once_all_is_done)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = keys[0].chars), OK);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    outbox_await_empty(service);
}

// ---------------------------------------------------------------- failures

SHARDED_TEST(outbox, a_delete_that_fails_ends_nothing)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    service_set_faults(service, "unavailable=1");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), ERR_UNAVAILABLE);
    service_set_faults(service, "");
    cr_expect_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    cr_expect_eq(count(service, NULL), 3);
    cr_expect_eq(outbox_count(service), 0);
}

SHARDED_TEST(outbox, who_refuses_is_asked_again)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    service_set_faults(service, "unavailable=2"); // the delete is written, its effect is refused
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_expect_eq(count(service, NULL), 0);
    service_set_faults(service, "");
    outbox_await_empty(service);
}

// Deletes a scene with a request whose deadline is in `deadline_ms`, and refuses its effect so
// often. Returns how long that took from the first refusal on, and the id of the request's answer.
static uint64_t
refuse(struct service *service, uint64_t deadline_ms, uint64_t refusals, uint64_t *ret_answer)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    gate_close(service->store, GATE_COMMITS);
    *ret_answer =
        SEND(service, SCENE_DELETE, .scene = "hall", .deadline_ms = clock_deadline_ms(deadline_ms));
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert(gate_await_ended(service->store, GATE_COMMITS, ++commits), "the delete");
    service_set_faults(service, "unavailable=1");
    gate_open(service->store, GATE_COMMITS);
    cr_assert(gate_await_ended(service->store, GATE_COMMITS, ++commits), "the first refusal");
    uint64_t began_ms = clock_now_ms();
    cr_assert(gate_await_ended(service->store, GATE_COMMITS, commits + refusals - 1));
    service_set_faults(service, "");
    return clock_now_ms() - began_ms;
}

// As by a block that cannot be read: the questions must not go on at the pace of the first.
SHARDED_TEST(outbox, who_refuses_again_and_again_is_asked_ever_less_often)
{
    enum { LEAST_MS = 200 + 400 + 800 + 1600 }; // between five refusals
    uint64_t answer;
    cr_expect_geq(refuse(service, 300, 5, &answer), LEAST_MS);
    cr_assert_eq(service_outcome(service, answer), ERR_UNAVAILABLE);
    outbox_await_empty(service);
}

// Else who asks for something that was refused for a while would wait for nothing until a deadline.
SHARDED_TEST(outbox, while_a_request_waits_it_is_asked_every_800_ms)
{
    enum { UNASKED_MS = 200 + 400 + 800 + 1600 + 3200 }; // between six refusals
    uint64_t answer;
    cr_expect_lt(refuse(service, 60000, 6, &answer), UNASKED_MS);
    cr_assert_eq(service_outcome(service, answer), OK);
    outbox_await_empty(service);
}

SHARDED_TEST(outbox, a_start_goes_on_with_what_was_not_done)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    asset_actor_destroy(&service->library, service->asker.mailbox);
    SEND(service, SCENE_DELETE, .scene = "hall"); // never answered: nobody ends relationships
    while (DO(service, SCENE_GET, .scene = "hall") == OK)
        service_barrier(service);
    cr_assert_eq(outbox_count(service), 1);
    service_restart(service);
    outbox_await_empty(service);
    cr_expect_eq(count(service, NULL), 0);
}

// Nothing is sent to the scene actors: no message of another reason makes them look.
SHARDED_TEST(outbox, a_start_goes_on_though_nobody_asks_for_anything)
{
    struct object_key keys[2];
    furnish(service, "hall", keys);
    asset_actor_destroy(&service->library, service->asker.mailbox);
    SEND(service, SCENE_DELETE, .scene = "hall");
    while (DO(service, SCENE_GET, .scene = "hall") == OK)
        service_barrier(service);
    cr_assert_eq(outbox_count(service), 1);
    service_stop(service);
    service_start_unasked(service);
    outbox_await_empty(service);
    cr_expect_eq(count(service, NULL), 0);
}

SHARDED_TEST(outbox, who_waits_too_long_is_told_and_the_effect_goes_on)
{
    struct object_key keys[2];
    char name[MAILBOX_NAME_SIZE];
    furnish(service, "hall", keys);
    asset_actor_destroy(&service->library, service->asker.mailbox);
    struct message *message = message_create(SCENE_DELETE);
    asker_set_param(message, PARAMS_SCENE, "hall");
    message->deadline_ms = clock_deadline_ms(100);
    mailbox_shard_name(partition_of_scene(message->params->scene) % service->settings.shards, name);
    cr_expect_eq(service_outcome(service, asker_send(&service->asker, name, message)),
                 ERR_UNAVAILABLE);
    cr_expect_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
    service_restart(service);
    outbox_await_empty(service);
    cr_expect_eq(count(service, NULL), 0);
}

SHARDED_TEST(outbox, a_scene_is_swept_after_its_relationships_were_found)
{
    struct object_key keys[2];
    owned(arena_finish) struct arena arena = {0};
    furnish(service, "hall", keys);
    uint64_t id = (uint64_t)service_stored_scene(service, &arena, "hall")->id;
    asset_actor_destroy(&service->library, service->asker.mailbox);
    SEND(service, SCENE_DELETE, .scene = "hall");
    while (DO(service, SCENE_GET, .scene = "hall") == OK)
        service_barrier(service);
    cr_expect_eq(service_count_keys(service, id), 5, "objects, their look-ups and the sweep");
    service_restart(service);
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    while (service_count_keys(service, id) > 0)
        cr_assert(gate_await_ended(service->store, GATE_COMMITS, ++commits), "never swept");
}

// ---------------------------------------------------------------- at least once

// Asks the asset actor as a scene actor that has forgotten that it did.
static enum error
ask_again(struct service *service, const char *key, int64_t scene_id)
{
    struct message *message = message_create(RELATED_GONE);
    struct record *effect = record_new(&message->arena, &effect_schema);
    record_set_text(effect, EFFECT_ID, text_from(&message->arena, "0123456789abcdef"));
    record_set_text(effect, EFFECT_KEY, text_from(&message->arena, key));
    record_set_integer(effect, EFFECT_SCENE_ID, scene_id);
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = effect;
    return asker_outcome(&service->asker,
                         asker_send(&service->asker, actor_mailbox(ASSET_ACTOR), message));
}

SHARDED_TEST(outbox, an_effect_that_comes_again_finds_nothing_to_do)
{
    struct object_key in_hall[2], in_yard[2];
    owned(arena_finish) struct arena arena = {0};
    furnish(service, "hall", in_hall);
    furnish(service, "yard", in_yard);
    int64_t id = service_stored_scene(service, &arena, "hall")->id;
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(ask_again(service, "hall", id), OK);
    cr_expect_eq(count(service, NULL), 3);
}

// ---------------------------------------------------------------- who sees a relationship

#define OWNER "u00000000000000000000001"
#define OTHER "u00000000000000000000002"

// Three relationships into a scene of OWNER, then a restart: nothing of it is in memory.
static void
furnish_for_owner(struct service *service, const char *record)
{
    struct object_key keys[2];
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER,
                    .records = record),
                 OK);
    furnish(service, "hall", keys);
    service_restart(service);
}

SHARDED_TEST(outbox, relationships_into_a_private_scene_are_seen_by_who_may_read_it)
{
    furnish_for_owner(service, "{'public':false}");
    cr_expect_eq(related_count(service, "chair", NULL, CALLER_USER, OTHER), 0);
    cr_expect_eq(related_count(service, "chair", NULL, CALLER_USER, OWNER), 3);
    cr_expect_eq(related_count(service, "chair", NULL, CALLER_ADMIN, OTHER), 3);
}

SHARDED_TEST(outbox, relationships_into_a_public_scene_and_into_none_are_seen_by_all)
{
    furnish_for_owner(service, "{}");
    relate(service, "whatever");
    cr_expect_eq(related_count(service, "chair", NULL, CALLER_USER, OTHER), 4);
}
