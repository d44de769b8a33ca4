// departures_test.c - who may no longer be in a scene leaves it, and their locks end.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/records/device.h"
#include "proto/records/effect.h"
#include "tests/support/scene_service.h"

#define OWNER "u00000000000000000000001"
#define OTHER "u00000000000000000000002"

static bool
is_in(struct service *service, const char *scene, const char *device)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct records *devices = reply_scene(answer, 0)->devices;
    for (uint32_t i = 0; devices && i < devices->count; i++)
        if (text_is(((const struct device *)(void *)devices->items[i])->key, device))
            return true;
    return false;
}

// A new object of the scene that the device holds.
static struct object_key
held_by(struct service *service, const char *scene, const char *device)
{
    char record[64];
    snprintf(record, sizeof record, "{'owner':'%s'}", device);
    return service_create_object(service, scene, record);
}

static bool
is_held(struct service *service, struct object_key key)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert_eq(answer->reply.fault.error, OK);
    return text_size(object_owner(reply_object(answer, 0))) > 0;
}

// Whether the lock ends: those in scenes that are not in memory do so after the departure.
static bool
gets_free(struct service *service, struct object_key key)
{
    uint64_t deadline_ms = clock_deadline_ms(10000);
    while (is_held(service, key))
        if (clock_left_ms(deadline_ms) == 0)
            return false;
    return true;
}

// What the user actor asks every shard when a user is out, or (may_stay) no administrator any more.
static void
send_expel(struct service *service, const char *user, bool may_stay, uint64_t ids[SERVICE_SHARDS])
{
    for (unsigned shard = 0; shard < service->settings.shards; shard++) {
        char name[MAILBOX_NAME_SIZE];
        struct message *message = message_create(EXPEL);
        struct effect *effect =
            (struct effect *)(void *)record_new(&message->arena, &effect_schema);
        record_set_text(&effect->base, EFFECT_KEY, text_from(&message->arena, user));
        effect->may_stay = may_stay;
        record_mark(&effect->base, EFFECT_MAY_STAY);
        message->records = records_new(&message->arena, 1);
        message->records->items[message->records->count++] = &effect->base;
        mailbox_shard_name(shard, name);
        ids[shard] = asker_send(&service->asker, name, message);
    }
}

// Whether no shard failed.
static bool
all_done(struct service *service, const uint64_t ids[SERVICE_SHARDS])
{
    bool is_done = true;
    for (unsigned shard = 0; shard < service->settings.shards; shard++)
        is_done = service_outcome(service, ids[shard]) == OK && is_done;
    return is_done;
}

static bool
expel(struct service *service, const char *user, bool may_stay)
{
    uint64_t ids[SERVICE_SHARDS];
    send_expel(service, user, may_stay, ids);
    return all_done(service, ids);
}

// ---------------------------------------------------------------- one device

SHARDED_TEST(departures, the_device_of_a_path_leaves_alone_with_its_locks)
{
    service_register(service, "hall", OWNER, "phone");
    service_register(service, "hall", OWNER, "tablet");
    service_register(service, "yard", OWNER, "phone");
    struct object_key held = held_by(service, "hall", "phone");
    struct object_key kept = held_by(service, "hall", "tablet");
    service_restart(service); // the objects are on the disk
    cr_assert_eq(DO(service, DEVICE_DELETE, .scene = "hall", .device = "phone"), OK);
    cr_expect_not(is_in(service, "hall", "phone"));
    cr_expect(is_in(service, "hall", "tablet"));
    cr_expect(is_in(service, "yard", "phone"));
    cr_expect(gets_free(service, held));
    cr_expect(is_held(service, kept));
    cr_expect_eq(DO(service, DEVICE_DELETE, .scene = "hall", .device = "phone"), ERR_NOT_FOUND);
    cr_expect_eq(DO(service, DEVICE_DELETE, .scene = "attic", .device = "phone"), ERR_NOT_FOUND);
}

// ---------------------------------------------------------------- a scene becomes private

// More devices of others than leave with one commit.
static void
crowd(struct service *service)
{
    owned(buffer_finish) struct buffer devices = {0};
    for (int i = 0; i < 700; i++)
        buffer_put_format(&devices, "%s{'key':'d%d'}", i ? "," : "{'devices':[", i);
    buffer_put(&devices, "]}", 3);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER), OK);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_USER, .user = OTHER,
                    .records = devices.data),
                 OK);
}

// Sends what makes the scene private; its first devices have left, and their commit is held.
static uint64_t
send_hiding(struct service *service, const char *if_match)
{
    char name[MAILBOX_NAME_SIZE];
    struct message *message = message_create(SCENE_PUT);
    asker_set_param(message, PARAMS_SCENE, "hall");
    if (if_match)
        asker_set_param(message, PARAMS_IF_MATCH, if_match);
    message->caller.role = CALLER_USER;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", OWNER);
    struct record *record = record_new(&message->arena, &scene_schema);
    record_mark(record, SCENE_PUBLIC);
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = record;
    mailbox_shard_name(partition_of_scene(message->params->scene) % service->settings.shards, name);
    gate_close(service->store, GATE_COMMITS);
    uint64_t id = asker_send(&service->asker, name, message);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    return id;
}

SHARDED_TEST(departures, a_scene_that_is_deleted_meanwhile_is_not_made_again_under_a_condition)
{
    crowd(service);
    uint64_t hiding = send_hiding(service, "*");
    uint64_t deletion =
        SEND(service, SCENE_DELETE, .scene = "hall", .role = CALLER_USER, .user = OWNER);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, deletion), OK);
    cr_assert_eq(service_outcome(service, hiding), ERR_PRECONDITION);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
}

SHARDED_TEST(departures, who_makes_a_scene_private_meets_their_own_condition)
{
    crowd(service);
    uint64_t hiding = send_hiding(service, "*");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, hiding), OK);
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    cr_expect_not(reply_scene(answer, 0)->is_public);
    const struct records *devices = reply_scene(answer, 0)->devices;
    cr_expect_eq(devices ? devices->count : 0, 0);
}

// ---------------------------------------------------------------- users

SHARDED_TEST(departures, a_user_who_is_out_leaves_every_scene_with_their_locks)
{
    static const char *const scenes[] = {"hall", "yard", "attic"};
    struct object_key held[3], kept[3];
    for (int i = 0; i < 3; i++) {
        service_register(service, scenes[i], OWNER, "own");
        service_register(service, scenes[i], OTHER, "others");
        held[i] = held_by(service, scenes[i], "others");
        kept[i] = held_by(service, scenes[i], "own");
    }
    service_restart(service); // the objects are on the disk
    cr_assert(expel(service, OTHER, false));
    for (int i = 0; i < 3; i++) {
        cr_expect_not(is_in(service, scenes[i], "others"), "%s", scenes[i]);
        cr_expect(is_in(service, scenes[i], "own"), "%s", scenes[i]);
        cr_expect(gets_free(service, held[i]), "%s", scenes[i]);
        cr_expect(is_held(service, kept[i]), "%s", scenes[i]);
    }
}

SHARDED_TEST(departures, who_is_no_administrator_any_more_leaves_private_scenes_of_others)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER,
                    .records = "{'public':false}"),
                 OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "own", .role = CALLER_USER, .user = OTHER,
                    .records = "{'public':false}"),
                 OK);
    service_register(service, "hall", OTHER, "phone");
    service_register(service, "own", OTHER, "phone");
    service_register(service, "open", OTHER, "phone");
    cr_assert(expel(service, OTHER, true));
    cr_expect_not(is_in(service, "hall", "phone"));
    cr_expect(is_in(service, "own", "phone"));
    cr_expect(is_in(service, "open", "phone"));
}

SHARDED_TEST(departures, a_registration_that_is_on_its_way_leaves_too)
{
    service_register(service, "hall", OWNER, "own");
    gate_close(service->store, GATE_COMMITS);
    uint64_t arrival = SEND(service, REGISTER, .scene = "hall", .role = CALLER_USER, .user = OTHER,
                            .records = "{'devices':[{'key':'phone'}]}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t ids[SERVICE_SHARDS];
    send_expel(service, OTHER, false, ids);
    gate_open(service->store, GATE_COMMITS);
    cr_assert(all_done(service, ids));
    cr_assert_eq(service_outcome(service, arrival), OK);
    cr_expect_not(is_in(service, "hall", "phone"));
}

SHARDED_TEST(departures, an_expulsion_that_fails_changes_nothing_and_the_next_one_does_it)
{
    service_register(service, "hall", OTHER, "phone");
    struct object_key held = held_by(service, "hall", "phone");
    service_set_faults(service, "unavailable=1");
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(0, name);
    cr_expect_eq(
        DO(service, DEREGISTER, .scene = "hall", .records = "{'devices':[{'key':'phone'}]}"),
        ERR_UNAVAILABLE);
    service_set_faults(service, "");
    cr_expect(is_in(service, "hall", "phone"));
    cr_expect(is_held(service, held));
    cr_expect(expel(service, OTHER, false));
    cr_expect(expel(service, OTHER, false), "and finds nothing to do the next time");
    cr_expect_not(is_in(service, "hall", "phone"));
    cr_expect_not(is_held(service, held));
}

// ---------------------------------------------------------------- a scene becomes private

static enum error
hide(struct service *service, const char *scene)
{
    return DO(service, SCENE_UPDATE, .scene = scene, .role = CALLER_USER, .user = OWNER,
              .records = "{'public':false}");
}

SHARDED_TEST(departures, others_leave_a_scene_that_becomes_private)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER), OK);
    service_register(service, "hall", OWNER, "own");
    service_register(service, "hall", OTHER, "others");
    struct object_key held = held_by(service, "hall", "others");
    struct object_key kept = held_by(service, "hall", "own");
    cr_assert_eq(hide(service, "hall"), OK);
    cr_expect_not(is_in(service, "hall", "others"));
    cr_expect(is_in(service, "hall", "own"));
    cr_expect_not(is_held(service, held));
    cr_expect(is_held(service, kept));
}

SHARDED_TEST(departures, when_a_scene_cannot_become_private_nobody_has_left)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER), OK);
    service_register(service, "hall", OTHER, "others");
    service_set_faults(service, "unavailable=1");
    cr_assert_eq(hide(service, "hall"), ERR_UNAVAILABLE);
    service_set_faults(service, "");
    cr_expect(is_in(service, "hall", "others"));
}

SHARDED_TEST(departures, more_devices_than_one_commit_takes_all_leave)
{
    enum { MANY = 700 };
    owned(buffer_finish) struct buffer bulk = {0};
    buffer_put_chars(&bulk, "{'devices':[");
    for (int i = 0; i < MANY; i++)
        buffer_put_format(&bulk, "%s{'key':'d%d'}", i ? "," : "", i);
    buffer_put(&bulk, "]}", 3);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = OWNER), OK);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_USER, .user = OTHER,
                    .records = bulk.data),
                 OK);
    service_register(service, "hall", OWNER, "own");
    cr_assert_eq(hide(service, "hall"), OK);
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(reply_scene(answer, 0)->devices->count, 1);
    cr_expect_not(reply_scene(answer, 0)->is_public);
}

SHARDED_TEST(departures, without_auth_nobody_leaves_a_scene_that_becomes_private)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = "{'devices':[{'key':'a'}]}"),
                 OK);
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "hall", .records = "{'public':false}"), OK);
    cr_expect(is_in(service, "hall", "a"));
}
