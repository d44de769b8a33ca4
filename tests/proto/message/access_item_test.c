// access_item_test.c - who may do what with what belongs to somebody: four kinds of callers, public
// and private, mine and not.
#include "proto/message/access_item.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Whether `role` (user u1) sees an item of `owner`.
static bool
sees(enum caller_role role, const char *owner, bool is_public)
{
    struct arena arena = {0};
    struct caller caller = {.role = role, .user = "u1"};
    const struct access_item item = {owner ? text_from(&arena, owner) : NULL, is_public};
    bool is_seen = access_sees(&caller, &item);
    arena_finish(&arena);
    return is_seen;
}

Test(access_item, administrators_and_all_without_users_see_everything)
{
    cr_expect(sees(CALLER_ADMIN, "u2", false));
    cr_expect(sees(CALLER_TRUSTED, "u2", false));
}

Test(access_item, user_sees_what_is_theirs_or_public)
{
    cr_expect(sees(CALLER_USER, "u1", false));
    cr_expect(sees(CALLER_USER, "u2", true));
    cr_expect_not(sees(CALLER_USER, "u2", false));
    cr_expect_not(sees(CALLER_USER, NULL, false), "it is nobody's");
}

Test(access_item, who_is_not_logged_in_sees_nothing)
{
    cr_expect_not(sees(CALLER_ANONYMOUS, "u2", true));
}

Test(access_item, nobody_owns_what_has_no_owner)
{
    struct arena arena = {0};
    const struct caller nobody = {.role = CALLER_USER};
    cr_expect_not(access_is_owner(&nobody, &(struct access_item){NULL, true}));
    cr_expect_not(access_is_owner(&nobody, &(struct access_item){text_from(&arena, ""), true}));
    arena_finish(&arena);
}

static struct message *
message_of(enum operation operation, enum caller_role role, const char *user)
{
    struct message *message = message_create(operation);
    message->caller.role = role;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user);
    return message;
}

// What happens to `role` (user u1) who asks for an item.
static enum error
outcome(enum operation operation, enum caller_role role, const char *owner, bool is_public)
{
    struct message *message = message_of(operation, role, "u1");
    const struct access_item item = {text_new(&message->arena, owner, strlen(owner)), is_public};
    enum error error = access_check(message, &item);
    cr_expect_eq(error == OK, access_permits(message, &item));
    message_destroy(&message);
    return error;
}

Test(access_item, everybody_does_everything_without_auth)
{
    cr_expect_eq(OK, outcome(SCENE_DELETE, CALLER_TRUSTED, "u2", false));
}

Test(access_item, administrator_changes_what_is_private_and_of_others)
{
    cr_expect_eq(OK, outcome(SCENE_DELETE, CALLER_ADMIN, "u2", false));
}

Test(access_item, owner_reads_and_changes_what_is_private)
{
    cr_expect_eq(OK, outcome(SCENE_GET, CALLER_USER, "u1", false));
    cr_expect_eq(OK, outcome(SCENE_DELETE, CALLER_USER, "u1", false));
}

Test(access_item, public_item_of_another_is_read_and_shared_but_not_changed)
{
    cr_expect_eq(OK, outcome(SCENE_GET, CALLER_USER, "u2", true));
    cr_expect_eq(OK, outcome(OBJECT_UPDATE, CALLER_USER, "u2", true));
    cr_expect_eq(ERR_FORBIDDEN, outcome(SCENE_DELETE, CALLER_USER, "u2", true));
}

Test(access_item, private_item_of_another_is_not_there)
{
    cr_expect_eq(ERR_NOT_FOUND, outcome(SCENE_GET, CALLER_USER, "u2", false));
    cr_expect_eq(ERR_NOT_FOUND, outcome(OBJECT_UPDATE, CALLER_USER, "u2", false));
    cr_expect_eq(ERR_NOT_FOUND, outcome(SCENE_DELETE, CALLER_USER, "u2", false));
}

// What user u1 gets who names a device of another user in a public scene of `owner`.
static enum error
outcome_with_device(enum operation operation, enum caller_role role, const char *owner)
{
    struct message *message = message_of(operation, role, "u1");
    message->caller.takes_device = true;
    const struct access_item item = {text_new(&message->arena, owner, strlen(owner)), true};
    enum error error = access_check(message, &item);
    cr_expect_eq(error == OK, access_permits(message, &item));
    message_destroy(&message);
    return error;
}

Test(access_item, device_of_another_is_not_used)
{
    static const enum operation uses[] = {REGISTER, ALIGN, DEREGISTER, OBJECT_LOCK};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        cr_expect_eq(ERR_FORBIDDEN, outcome_with_device(uses[i], CALLER_USER, "u2"));
        cr_expect_eq(ERR_FORBIDDEN, outcome_with_device(uses[i], CALLER_USER, "u1"));
        cr_expect_eq(OK, outcome_with_device(uses[i], CALLER_ADMIN, "u2"));
    }
}

Test(access_item, lock_of_another_device_is_ended_by_the_owner_of_the_scene)
{
    cr_expect_eq(ERR_FORBIDDEN, outcome_with_device(OBJECT_UNLOCK, CALLER_USER, "u2"));
    cr_expect_eq(OK, outcome_with_device(OBJECT_UNLOCK, CALLER_USER, "u1"));
    cr_expect_eq(OK, outcome_with_device(OBJECT_UNLOCK, CALLER_ADMIN, "u2"));
}

Test(access_item, item_of_nobody_is_the_administrators)
{
    cr_expect_eq(ERR_NOT_FOUND, outcome(SCENE_GET, CALLER_USER, "", false));
    cr_expect_eq(ERR_FORBIDDEN, outcome(SCENE_DELETE, CALLER_USER, "", true));
    cr_expect_eq(OK, outcome(SCENE_DELETE, CALLER_ADMIN, "", false));
}

Test(access_item, anonymous_caller_sees_nothing)
{
    cr_expect_eq(ERR_NOT_FOUND, outcome(SCENE_GET, CALLER_ANONYMOUS, "", true));
}
