// lock_index_test.c - which objects a device holds, as locks come and go.

#include "actors/scene/lock_index.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"
#include "proto/records/property.h"

static struct lock_index locks;
static struct arena arena;

static void
begin(void)
{
    locks = (struct lock_index){0};
}

static void
end(void)
{
    lock_index_finish(&locks);
    arena_finish(&arena);
}

TestSuite(lock_index, .init = begin, .fini = end);

// A frozen object that this device holds (NULL: nobody), yours.
static const frozen_t *
object(const char *key, const char *holder)
{
    struct record *record = record_new(&arena, &object_schema);
    record_set_text(record, OBJECT_KEY, text_from(&arena, key));
    if (holder)
        record_set_text(record, OBJECT_OWNER, text_from(&arena, holder));
    return record_freeze(&object_schema, record);
}

static size_t
count_held(const char *holder)
{
    struct record_set *held = lock_index_held_by(&locks, text_from(&arena, holder));
    return held ? record_set_count(held) : 0;
}

static const frozen_t *
find_held(const char *holder, const char *key)
{
    struct record_set *held = lock_index_held_by(&locks, text_from(&arena, holder));
    return held ? record_set_find(held, text_from(&arena, key)) : NULL;
}

Test(lock_index, an_object_is_found_by_its_holder_alone)
{
    const frozen_t *held = object("cup", "phone");
    lock_index_replace(&locks, NULL, held);
    cr_assert_eq(find_held("phone", "cup"), held);
    cr_assert_eq(count_held("tablet"), 0);
    record_unref(&held);
}

Test(lock_index, an_object_that_nobody_holds_is_not_entered)
{
    const frozen_t *is_free = object("cup", NULL), *is_empty = object("jar", "");
    lock_index_replace(&locks, NULL, is_free);
    lock_index_replace(&locks, NULL, is_empty);
    cr_assert_null(lock_index_held_by(&locks, text_from(&arena, "")));
    cr_assert_eq(locks.holders.count, 0);
    record_unref(&is_free);
    record_unref(&is_empty);
}

Test(lock_index, a_property_has_no_lock)
{
    const frozen_t *property =
        record_freeze(&property_schema, record_new(&arena, &property_schema));
    cr_assert_null(lock_index_holder(property));
    record_unref(&property);
}

Test(lock_index, the_newest_state_of_a_held_object_stands_in_it)
{
    const frozen_t *old = object("cup", "phone"), *now = object("cup", "phone");
    lock_index_replace(&locks, NULL, old);
    lock_index_replace(&locks, old, now);
    cr_assert_eq(count_held("phone"), 1);
    cr_assert_eq(find_held("phone", "cup"), now);
    record_unref(&old);
    record_unref(&now);
}

Test(lock_index, a_lock_goes_over_to_another_device)
{
    const frozen_t *old = object("cup", "phone"), *now = object("cup", "tablet");
    lock_index_replace(&locks, NULL, old);
    lock_index_replace(&locks, old, now);
    cr_assert_eq(count_held("phone"), 0);
    cr_assert_eq(find_held("tablet", "cup"), now);
    record_unref(&old);
    record_unref(&now);
}

Test(lock_index, with_its_last_lock_a_holder_is_forgotten)
{
    const frozen_t *cup = object("cup", "phone"), *jar = object("jar", "phone");
    const frozen_t *is_free = object("cup", NULL);
    lock_index_replace(&locks, NULL, cup);
    lock_index_replace(&locks, NULL, jar);
    lock_index_replace(&locks, cup, is_free);
    cr_assert_eq(count_held("phone"), 1);
    lock_index_replace(&locks, jar, NULL);
    cr_assert_eq(locks.holders.count, 0);
    record_unref(&cup);
    record_unref(&jar);
    record_unref(&is_free);
}
