// lock_rules_test.c - who may change a locked object.

#include "actors/scene/entity/lock_rules.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_shard.h"

static struct message *message;
static struct object *object;
static struct shard shard = {.settings.locks_enforce = true};

static void
begin(void)
{
    message = message_create(OBJECT_UPDATE);
    object = (struct object *)(void *)record_new(&message->arena, &object_schema);
    object->owner = text_from(&message->arena, "phone");
}

static void
end(void)
{
    message_destroy(&message);
}

TestSuite(lock_rules, .init = begin, .fini = end);

static enum error
asks(const char *device)
{
    return lock_permits(&shard, message, object, text_from(&message->arena, device));
}

Test(lock_rules, an_object_without_owner_may_be_changed_by_all)
{
    object->owner = text_from(&message->arena, "");
    cr_assert_null(lock_holder(object));
    cr_assert_eq(asks("tablet"), OK);
}

Test(lock_rules, only_the_holder_may_change_a_locked_object)
{
    cr_assert_eq(asks("phone"), OK);
    cr_assert_eq(asks("tablet"), ERR_LOCKED);
    cr_assert_eq(asks(""), ERR_LOCKED);
}

Test(lock_rules, a_refusal_names_the_holder)
{
    cr_assert_eq(asks("tablet"), ERR_LOCKED);
    cr_assert(text_is(reply_envelope(message)->holder, "phone"));
}

Test(lock_rules, a_lock_means_nothing_to_updates_where_it_is_not_enforced)
{
    shard.settings.locks_enforce = false;
    cr_assert_eq(asks("tablet"), OK);
}
