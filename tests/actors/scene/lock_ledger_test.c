// lock_ledger_test.c - fences only grow, and the batch says what a start must know of locks.

#include "actors/scene/lock_ledger.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_family.h"
#include "tests/support/bare_shard.h"

enum { EPOCH = 1000 };

static struct shard *shard;
static struct scene_state *scene;
static struct arena arena;

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->settings.epoch = EPOCH;
    scene = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    bare_shard_end();
    arena_finish(&arena);
}

TestSuite(lock_ledger, .init = begin, .fini = end);

// The object "cup" with this lock: a fence (0 = none) and a lease of so many seconds (0 = none).
static const frozen_t *
cup(int64_t fence, int64_t lease_s)
{
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, "cup"));
    if (fence) {
        struct record *lock = record_new(&arena, &lock_schema);
        record_set_integer(lock, LOCK_FENCE, fence);
        if (lease_s) {
            record_set_integer(lock, LOCK_LEASE, lease_s);
            record_set_integer(lock, LOCK_UNTIL, 1);
        }
        ((struct object *)(void *)object)->rare->lock = lock;
        record_mark(object, OBJECT_LOCKED);
    }
    return record_freeze(&object_schema, object);
}

static const struct write *
written(char tag)
{
    const struct batch *batch = shard->staging.filling.batch;
    for (size_t i = batch->count; i > 0; i--)
        if (*(const char *)batch_key(batch, &batch->writes[i - 1]).data == tag)
            return &batch->writes[i - 1];
    return NULL;
}

static uint64_t
number_written(char tag)
{
    return key_get_u64(batch_value(shard->staging.filling.batch, written(tag)).data);
}

static void
stage(const frozen_t *before, const frozen_t *after)
{
    lock_ledger_staged(shard, scene, before, after);
    record_unref(&before);
    record_unref(&after);
}

Test(lock_ledger, the_first_fence_of_a_start_is_its_epoch)
{
    cr_assert_eq(fence_next(shard, scene), EPOCH);
    cr_assert_eq(fence_next(shard, scene), EPOCH + 1);
}

Test(lock_ledger, it_is_larger_than_what_is_stored_where_that_is_beyond_the_epoch)
{
    scene->stored_fence = EPOCH + 5;
    cr_assert_eq(fence_next(shard, scene), EPOCH + 6);
}

Test(lock_ledger, a_scene_that_is_made_again_goes_on_behind_the_one_that_is_gone)
{
    for (int i = 0; i < 5; i++)
        fence_next(shard, scene);
    lock_ledger_gone(shard, scene);
    scene->first_fence = scene->fence = 0;
    cr_assert_eq(fence_next(shard, scene), EPOCH + 5);
}

Test(lock_ledger, fences_of_this_start_and_of_earlier_ones_are_known_and_no_others)
{
    scene->stored_fence = 17;
    cr_assert(fence_is_known(scene, 17));
    cr_assert_not(fence_is_known(scene, 18));
    fence_next(shard, scene);
    fence_next(shard, scene);
    cr_assert(fence_is_known(scene, 17));
    cr_assert(fence_is_known(scene, EPOCH));
    cr_assert(fence_is_known(scene, EPOCH + 1));
    cr_assert_not(fence_is_known(scene, EPOCH + 2));
    cr_assert_not(fence_is_known(scene, EPOCH - 1));
    cr_assert_not(fence_is_known(scene, 0));
}

Test(lock_ledger, a_lease_is_written_with_the_fence_and_removed_with_the_lock)
{
    stage(cup(0, 0), cup(fence_next(shard, scene), 30));
    cr_assert_eq(number_written(KEY_LEASE), 30);
    cr_assert_eq(number_written(KEY_FENCE), EPOCH);
    stage(cup(EPOCH, 30), cup(0, 0));
    cr_assert(written(KEY_LEASE)->is_delete);
}

Test(lock_ledger, a_lock_without_an_end_has_a_fence_alone)
{
    stage(NULL, cup(fence_next(shard, scene), 0));
    cr_assert_null(written(KEY_LEASE));
    cr_assert_eq(number_written(KEY_FENCE), EPOCH);
}

Test(lock_ledger, a_change_of_a_locked_object_writes_nothing_beside_it)
{
    stage(cup(5, 30), cup(5, 30));
    cr_assert_null(written(KEY_LEASE));
    cr_assert_null(written(KEY_FENCE));
}

Test(lock_ledger, the_end_of_a_locked_object_ends_its_lease)
{
    stage(cup(5, 30), NULL);
    cr_assert(written(KEY_LEASE)->is_delete);
}

Test(lock_ledger, an_object_whose_owner_was_written_gets_a_lock)
{
    const frozen_t *before = cup(0, 0);
    struct record *after = record_copy(&arena, &object_schema, frozen_record(before));
    cr_assert_eq(object_with_lock(shard, scene, &arena, before, after), after);
    record_set_text(after, OBJECT_OWNER, text_from(&arena, "phone"));
    const struct lock *lock = object_lock_of(object_with_lock(shard, scene, &arena, before, after));
    cr_assert_eq(lock->fence, EPOCH);
    cr_assert(text_is(lock->holder, "phone"));
    cr_assert_not(lock_is_lease(lock));
    record_unref(&before);
}
