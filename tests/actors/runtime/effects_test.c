// effects_test.c - each effect that the outbox can ask for spares what is newer than its cause.
#include "actors/runtime/effects.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/project.h"
#include "tests/support/relations.h"

#define USER "u00000000000000000000001"

// --- the effect itself ---

static struct message *
message_about(enum operation operation, struct effect *(*make)(struct message *message))
{
    struct message *message = message_create(operation);
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = &make(message)->base;
    return message;
}

static struct effect *
make_expel(struct message *message)
{
    return effect_new(message, EXPEL, text_from(&message->arena, USER), 7);
}

static struct effect *
make_stored_without_a_number(struct message *message)
{
    struct effect *effect = make_expel(message);
    effect->base.present &= ~FIELD_BIT(EFFECT_BEFORE);
    return effect;
}

Test(effects, say_what_is_asked_about_what_and_what_is_older)
{
    owned(message_destroy) struct message *message = message_about(EXPEL, make_expel);
    const struct effect *effect = effect_asked(message);
    cr_assert_eq(text_size(effect->id), 16);
    cr_assert(text_is(effect->operation, "EXPEL"));
    cr_assert(text_is(effect->key, USER));
    cr_assert_eq(effect->before, 7);
}

Test(effects, end_only_what_is_older)
{
    owned(message_destroy) struct message *message = message_about(EXPEL, make_expel);
    cr_assert(effect_ends(message, BY_REVOCATION, 6));
    cr_assert_not(effect_ends(message, BY_REVOCATION, 7));
    cr_assert_not(effect_ends(message, BY_REVOCATION, 8));
}

Test(effects, of_an_older_server_end_everything)
{
    owned(message_destroy) struct message *message =
        message_about(EXPEL, make_stored_without_a_number);
    cr_assert(effect_ends(message, BY_REVOCATION, 8));
}

// --- the effects of the table ---

// Asks as a sender whose entry is not gone yet; each receiver did it.
static void
deliver(struct service *service, enum operation operation, const char *key, int64_t scene_id,
        int64_t before)
{
    bool is_for_shards = operation_rows[operation].actor == SCENE_ACTOR;
    for (unsigned i = 0; i < (is_for_shards ? service->settings.shards : 1); i++) {
        char shard[MAILBOX_NAME_SIZE];
        struct message *message = message_create(operation);
        struct effect *effect =
            effect_new(message, operation, text_from(&message->arena, key), before);
        record_set_integer(&effect->base, EFFECT_SCENE_ID, scene_id);
        message->records = records_new(&message->arena, 1);
        message->records->items[message->records->count++] = &effect->base;
        mailbox_shard_name(i, shard);
        const char *to = is_for_shards ? shard : actor_mailbox(operation_rows[operation].actor);
        cr_assert_eq(service_outcome(service, asker_send(&service->asker, to, message)), OK);
    }
}

static int64_t
scene_id_of(struct service *service, const char *key)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = key);
    return reply_scene(answer, 0)->id;
}

static uint32_t
links_to_hall(struct service *service)
{
    return related_count(service, "chair", "hall", CALLER_TRUSTED, "");
}

// The scene is made again, or is not, and something is related to its key.
static void
related_gone_spares(struct service *service, bool is_there_again)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{}"), OK);
    int64_t id = scene_id_of(service, "hall");
    owned(message_destroy) struct message *early, *late;
    int64_t early_moment = relate_and_read(service, "hall", &early)->moment;
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(links_to_hall(service), 0);
    if (is_there_again)
        cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{}"), OK);
    const struct relationship *link = relate_and_read(service, "hall", &late);
    cr_assert_gt(link->moment, early_moment);
    cr_assert_eq(link->scene_id, is_there_again ? scene_id_of(service, "hall") : 0);
    deliver(service, RELATED_GONE, "hall", id, link->moment);
    cr_assert_eq(links_to_hall(service), 1, "what is newer stays");
    deliver(service, RELATED_GONE, "hall", id, link->moment + 1);
    cr_assert_eq(links_to_hall(service), 0, "what is older ends");
}

static void
check_related_gone(struct service *service)
{
    related_gone_spares(service, true);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    related_gone_spares(service, false);
}

static uint32_t
devices_in_hall(struct service *service)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    const struct records *devices = reply_scene(answer, 0)->devices;
    return devices ? devices->count : 0;
}

static void
check_expel(struct service *service)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_ADMIN, .user = USER,
                    .revocations = 1, .records = "{'devices':[{'key':'old'}]}"),
                 OK);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_ADMIN, .user = USER,
                    .revocations = 2, .records = "{'devices':[{'key':'new'}]}"),
                 OK);
    deliver(service, EXPEL, USER, 0, 1);
    cr_assert_eq(devices_in_hall(service), 2);
    deliver(service, EXPEL, USER, 0, 2);
    cr_assert_eq(devices_in_hall(service), 1);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_ADMIN, .user = USER,
                    .revocations = 3, .records = "{'devices':[{'key':'new'}]}"),
                 OK);
    deliver(service, EXPEL, USER, 0, 3);
    cr_assert_eq(devices_in_hall(service), 1, "it was registered again since");
}

// Ids of users never come again: what comes again finds nothing more of them, and nothing of
// others.
static void
check_erase_scenes(struct service *service)
{
    static const char *const users[] = {USER, USER, "u00000000000000000000002"};
    static const char *const scenes[] = {"theirs", "shown", "other"};
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(DO(service, SCENE_PUT, .scene = scenes[i], .role = CALLER_USER,
                        .user = users[i],
                        .records = i == 1 ? "{'public':true}" : "{'public':false}"),
                     OK);
    for (unsigned i = 0; i < 2; i++) {
        deliver(service, ERASE_SCENES, USER, 0, INT64_MAX);
        owned(message_destroy) struct message *shown = ASK(service, SCENE_GET, .scene = "shown");
        owned(message_destroy) struct message *other = ASK(service, SCENE_GET, .scene = "other");
        cr_assert_eq(DO(service, SCENE_GET, .scene = "theirs"), ERR_NOT_FOUND);
        cr_assert_eq(text_size(reply_scene(shown, 0)->user), 0);
        cr_assert(text_is(reply_scene(other, 0)->user, users[2]));
    }
}

// Asks the asset actor as a user.
static struct message *
ask_library(struct service *service, enum operation operation, const char *user, const char *record)
{
    struct message *message = message_create(operation);
    message->caller.role = CALLER_USER;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user);
    asker_set_records(message, &project_schema, record);
    struct message *answer =
        service_answer(service, asker_send(&service->asker, actor_mailbox(ASSET_ACTOR), message));
    cr_assert_eq(answer->reply.fault.error, OK);
    return answer;
}

static uint32_t
count_projects(struct service *service, const char *user)
{
    owned(message_destroy) struct message *answer = ask_library(service, PROJECT_LIST, user, "{}");
    return answer->reply.count;
}

static void
check_erase_library(struct service *service)
{
    static const char *const users[] = {USER, USER, "u00000000000000000000002"};
    for (unsigned i = 0; i < 3; i++) {
        owned(message_destroy) struct message *answer =
            ask_library(service, PROJECT_CREATE, users[i],
                        i == 1 ? "{'name':'p','isPublic':true}" : "{'name':'p'}");
    }
    cr_assert_eq(count_projects(service, USER), 2);
    for (unsigned i = 0; i < 2; i++) {
        deliver(service, ERASE_LIBRARY, USER, 0, INT64_MAX);
        // Who is erased is not answered any more.
        cr_assert_eq(count_projects(service, "a stranger"), 1, "the public one");
        cr_assert_eq(count_projects(service, users[2]), 2, "and their own");
    }
}

static void (*const checks[OPERATION_COUNT])(struct service *service) = {
    [RELATED_GONE] = check_related_gone,
    [EXPEL] = check_expel,
    [ERASE_SCENES] = check_erase_scenes,
    [ERASE_LIBRARY] = check_erase_library,
};

SHARDED_TEST(effects, that_come_again_spare_what_is_newer)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++) {
        enum operation operation = (enum operation)i;
        bool is_effect = operation_rows[i].request == &effect_schema;
        cr_assert_eq(effect_scale_of(operation) != NO_EFFECT, is_effect, "%s has no scale",
                     operation_rows[i].name);
        if (!is_effect)
            continue;
        cr_assert(checks[i], "nobody checks what %s spares", operation_rows[i].name);
        checks[i](service);
    }
}
