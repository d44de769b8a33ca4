// scene_actor_access_test.c - the access table for scenes and what is in them: each
// operation for the scene's owner, another user and an administrator.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/device.h"
#include "tests/support/scene_service.h"

#define OWNER "u00000000000000000000001"
#define OTHER "u00000000000000000000002"
#define PHONE "{'devices':[{'key':'phone','transform':{'translation':[1,2,3]}}]}"

// What another user gets, where the scene is public and where it is private.
struct rule {
    enum operation operation;
    enum error in_public, in_private;
    const char *records;
};

// clang-format off
static const struct rule rules[] = {
    {SCENE_PUT,         ERR_FORBIDDEN, ERR_NOT_FOUND, "{'name':'new'}"},
    {SCENE_UPDATE,      ERR_FORBIDDEN, ERR_NOT_FOUND, "{'name':'new'}"},
    {SCENE_GET,         OK,            ERR_NOT_FOUND, NULL},
    {SCENE_ADD_ASSET,   ERR_FORBIDDEN, ERR_NOT_FOUND, NULL},
    {SCENE_DROP_ASSET,  ERR_FORBIDDEN, ERR_NOT_FOUND, NULL},
    {REGISTER,          OK,            ERR_NOT_FOUND, PHONE},
    {ALIGN,             OK,            ERR_NOT_FOUND, PHONE},
    {DEREGISTER,        OK,            ERR_NOT_FOUND, PHONE},
    {OBJECT_CREATE,     OK,            ERR_NOT_FOUND, "{'name':'new'}"},
    {OBJECT_UPDATE,     OK,            ERR_NOT_FOUND, "{'name':'new'}"},
    {OBJECT_GET,        OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_QUERY,      OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_LOCK,       OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_UNLOCK,     OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_ADD_ASSET,  OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_DROP_ASSET, OK,            ERR_NOT_FOUND, NULL},
    {OBJECT_DELETE,     OK,            ERR_NOT_FOUND, NULL},
    {PROPERTY_CREATE,   OK,            ERR_NOT_FOUND, "{'name':'new'}"},
    {PROPERTY_UPDATE,   OK,            ERR_NOT_FOUND, "{'name':'new'}"},
    {PROPERTY_GET,      OK,            ERR_NOT_FOUND, NULL},
    {PROPERTY_QUERY,    OK,            ERR_NOT_FOUND, NULL},
    {PROPERTY_DELETE,   OK,            ERR_NOT_FOUND, NULL},
    {SCENE_DELETE,      ERR_FORBIDDEN, ERR_NOT_FOUND, NULL},
};
// clang-format on

enum { RULES = sizeof rules / sizeof rules[0] };

// A scene of OWNER with an object, a property and a device.
static struct object_key
furnish(struct service *service, const char *scene, bool is_public)
{
    struct object_key key;
    cr_assert_eq(DO(service, SCENE_PUT, .scene = scene, .role = CALLER_USER, .user = OWNER,
                    .records = is_public ? "{}" : "{'public':false}"),
                 OK);
    key = service_create_object(service, scene, "{}");
    cr_assert_eq(DO(service, REGISTER, .scene = scene, .records = PHONE), OK);
    cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = scene, .records = "{'key':'heat'}"), OK);
    return key;
}

// What `role` gets for each rule, in scenes of their own.
static void
check_all(struct service *service, bool is_public, enum caller_role role, const char *user)
{
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        bool is_other = role == CALLER_USER && strcmp(user, OTHER) == 0;
        enum error expected = !is_other ? OK : is_public ? rule->in_public : rule->in_private;
        char scene[32];
        snprintf(scene, sizeof scene, "s%zu-%d-%d-%s", i, is_public, (int)role, user + 23);
        struct object_key key = furnish(service, scene, is_public);
        enum target target = operation_rows[rule->operation].target;
        cr_expect_eq(DO(service, rule->operation, .scene = scene, .device = "phone", .asset = "a",
                        .object = target == BY_OBJECT ? key.chars : NULL,
                        .property = target == BY_PROPERTY ? "heat" : NULL, .records = rule->records,
                        .role = role, .user = user),
                     expected, "%s of a %s scene", operation_rows[rule->operation].name,
                     is_public ? "public" : "private");
    }
}

SHARDED_TEST(scene_actor_access, owner_does_everything_in_a_private_scene)
{
    check_all(service, false, CALLER_USER, OWNER);
}

SHARDED_TEST(scene_actor_access, another_user_shares_a_public_scene_and_does_not_change_its_record)
{
    check_all(service, true, CALLER_USER, OTHER);
}

SHARDED_TEST(scene_actor_access, a_private_scene_of_another_is_not_there)
{
    check_all(service, false, CALLER_USER, OTHER);
}

SHARDED_TEST(scene_actor_access, administrator_does_everything)
{
    check_all(service, false, CALLER_ADMIN, OTHER);
}

SHARDED_TEST(scene_actor_access, without_auth_everybody_does_everything)
{
    check_all(service, false, CALLER_TRUSTED, OTHER);
}

SHARDED_TEST(scene_actor_access, what_may_not_be_seen_is_answered_as_what_is_not_there)
{
    furnish(service, "hall", false);
    owned(message_destroy) struct message *hidden =
        ASK(service, SCENE_GET, .scene = "hall", .role = CALLER_USER, .user = OTHER);
    owned(message_destroy) struct message *absent =
        ASK(service, SCENE_GET, .scene = "lull", .role = CALLER_USER, .user = OTHER);
    cr_assert_str_eq(hidden->reply.fault.detail, "there is no scene hall");
    cr_assert_str_eq(absent->reply.fault.detail, "there is no scene lull");
}

SHARDED_TEST(scene_actor_access, a_scene_made_by_a_first_write_belongs_to_the_writer_and_is_public)
{
    static const enum operation writes[] = {SCENE_PUT, SCENE_CREATE, REGISTER, OBJECT_CREATE};
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        char scene[16];
        snprintf(scene, sizeof scene, "s%zu", i);
        cr_assert_eq(DO(service, writes[i], .scene = scene, .role = CALLER_USER, .user = OTHER,
                        .records = writes[i] == REGISTER ? PHONE : "{}"),
                     OK);
        owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = scene);
        cr_expect(text_is(reply_scene(answer, 0)->user, OTHER), "%s",
                  operation_rows[writes[i]].name);
        cr_expect(reply_scene(answer, 0)->is_public);
    }
}

SHARDED_TEST(scene_actor_access, without_auth_a_scene_belongs_to_nobody)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(text_size(reply_scene(answer, 0)->user), 0);
}

SHARDED_TEST(scene_actor_access, a_body_does_not_give_a_scene_away)
{
    furnish(service, "hall", false);
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "hall", .role = CALLER_USER, .user = OWNER,
                    .records = "{'user':'" OTHER "'}"),
                 OK);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall", .role = CALLER_USER, .user = OTHER),
                 ERR_NOT_FOUND);
}

// Whether a query of the scene's shard finds it.
static bool
is_found(struct service *service, const char *scene, enum caller_role role, const char *user)
{
    owned(message_destroy) struct message *answer =
        ASK(service, SCENE_QUERY, .scene = scene, .role = role, .user = user);
    cr_assert_eq(answer->reply.fault.error, OK);
    for (uint32_t i = 0; i < answer->reply.count; i++)
        if (text_is(reply_scene(answer, i)->key, scene))
            return true;
    return false;
}

SHARDED_TEST(scene_actor_access, a_query_leaves_out_what_may_not_be_read)
{
    furnish(service, "hidden", false);
    furnish(service, "shown", true);
    cr_expect(is_found(service, "hidden", CALLER_USER, OWNER));
    cr_expect_not(is_found(service, "hidden", CALLER_USER, OTHER));
    cr_expect(is_found(service, "hidden", CALLER_ADMIN, OTHER));
    cr_expect(is_found(service, "shown", CALLER_USER, OTHER));
}

// Whether the caller is told how the phone's transform came about.
static bool
sees_alignment(struct service *service, enum caller_role role, const char *user)
{
    owned(message_destroy) struct message *answer =
        ASK(service, SCENE_GET, .scene = "hall", .role = role, .user = user);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct record *phone = reply_scene(answer, 0)->devices->items[0];
    cr_assert(record_has(phone, DEVICE_TRANSFORM));
    cr_assert_not(record_has(phone, DEVICE_HOSTNAME));
    return record_has(phone, DEVICE_ALIGNMENT);
}

SHARDED_TEST(scene_actor_access, others_see_key_and_transform_of_a_device)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .role = CALLER_USER, .user = OWNER,
                    .records = PHONE),
                 OK);
    cr_expect(sees_alignment(service, CALLER_USER, OWNER));
    cr_expect_not(sees_alignment(service, CALLER_USER, OTHER));
    cr_expect(sees_alignment(service, CALLER_ADMIN, OTHER));
    cr_expect(sees_alignment(service, CALLER_TRUSTED, ""));
}
