// lock_rules_test.c - who may change a locked object.

#include "actors/scene/entity/lock_rules.h"

#include <criterion/criterion.h>

#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"

static struct message *message;
static struct object *object;
static struct scene_state scene;
static struct shard shard = {.settings.locks_enforce = true};

static void
begin(void)
{
    message = message_create(OBJECT_UPDATE);
    object = (struct object *)(void *)record_new(&message->arena, &object_schema);
    scene = (struct scene_state){.key = text_from(&message->arena, "hall"), .stored_fence = 17};
    record_set_text(&object->base, OBJECT_OWNER, text_from(&message->arena, "phone"));
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
    const struct lock_claim claim = {.device = text_from(&message->arena, device)};
    return lock_permits(&shard, message, &scene, object, &claim);
}

Test(lock_rules, an_object_without_owner_may_be_changed_by_all)
{
    object->rare->owner = text_from(&message->arena, "");
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

// --- fences: the scene gave out up to 17, the newest lock of the object has 12 ---

static enum error
claims(int64_t fence)
{
    struct record *lock = record_new(&message->arena, &lock_schema);
    record_set_integer(lock, LOCK_FENCE, 12);
    object->rare->lock = lock;
    record_mark(&object->base, OBJECT_LOCKED);
    record_set_integer(&object->base, OBJECT_NEWEST_FENCE, 12);
    const struct lock_claim claim = {.fence = fence, .has_fence = true};
    return lock_permits(&shard, message, &scene, object, &claim);
}

Test(lock_rules, a_fence_older_than_the_newest_lock_is_refused_with_that)
{
    cr_assert_eq(claims(11), ERR_LOCKED);
    cr_assert(text_is(reply_envelope(message)->holder, "phone"));
    cr_assert_eq(reply_envelope(message)->fence, 12);
}

Test(lock_rules, the_fence_of_the_lock_is_as_good_as_its_device)
{
    cr_assert_eq(claims(12), OK);
}

Test(lock_rules, the_fence_of_another_object_does_not_open_this_one)
{
    cr_assert_eq(claims(13), ERR_LOCKED);
    shard.settings.locks_enforce = false;
    cr_assert_eq(claims(13), OK);
}

Test(lock_rules, a_fence_that_was_never_given_out_is_invalid)
{
    cr_assert_eq(claims(18), ERR_INVALID);
    cr_assert_eq(claims(0), ERR_INVALID);
    cr_assert_eq(claims(-1), ERR_INVALID);
}

Test(lock_rules, a_fence_outlives_its_lock)
{
    cr_assert_eq(claims(12), OK);
    object->base.present &= ~(FIELD_BIT(OBJECT_LOCKED) | FIELD_BIT(OBJECT_OWNER));
    object->rare->owner = NULL;
    const struct lock_claim old = {.fence = 11, .has_fence = true};
    const struct lock_claim last = {.fence = 12, .has_fence = true};
    cr_assert_eq(lock_permits(&shard, message, &scene, object, &old), ERR_LOCKED);
    cr_assert_eq(lock_permits(&shard, message, &scene, object, &last), OK);
}

Test(lock_rules, a_write_of_the_holder_renews_a_lease_that_wants_it)
{
    struct lock *lock = (struct lock *)(void *)record_new(&message->arena, &lock_schema);
    record_set_integer(&lock->base, LOCK_LEASE, 30);
    record_set_integer(&lock->base, LOCK_UNTIL, 5);
    object->rare->lock = &lock->base;
    record_mark(&object->base, OBJECT_LOCKED);
    const struct lock_claim mine = {.device = text_from(&message->arena, "phone")};
    const struct lock_claim others = {.device = text_from(&message->arena, "tablet")};
    cr_assert_null(lock_that_renews(&object->base, &mine));
    lock->renews = true;
    cr_assert_eq(lock_that_renews(&object->base, &mine), lock);
    cr_assert_null(lock_that_renews(&object->base, &others));
    struct record *changed = record_copy_flat(&message->arena, &object_schema, &object->base);
    lock_renew(&message->arena, &object->base, &mine, changed);
    cr_assert_eq(lock->until_us, 5);
    cr_assert_gt(object_lock_of(changed)->until_us, 30000000);
}
