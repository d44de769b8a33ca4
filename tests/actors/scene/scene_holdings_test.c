// scene_holdings_test.c - who pays for what in a scene: the sums in the book and in the batch, with
// changes that land, that do not, and that are read again.

#include "actors/scene/scene_holdings.h"

#include <criterion/criterion.h>

#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_staging.h"
#include "proto/base/owned.h"
#include "proto/feed/event.h"
#include "proto/records/object.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct scene_state *hall;
static budget_book_t *book;
static struct arena arena;

static void
begin(void)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_RECORD_BYTES] = 1000000};
    shard = bare_shard_begin();
    book = budget_book_create(limits, 1);
    shard->settings.book = book;
    hall = bare_shard_add_scene(shard, "hall", "ann");
}

static void
end(void)
{
    bare_shard_end();
    budget_book_destroy(&book);
    arena_finish(&arena);
}

TestSuite(scene_holdings, .init = begin, .fini = end);

static struct record *
loose(const char *name, const char *user)
{
    owned(record_unref) const frozen_t *object = bare_object("hall", "o", name);
    struct record *record = record_copy(&arena, &object_schema, frozen_record(object));
    record_set_text(record, OBJECT_USER, user ? text_from(&arena, user) : NULL);
    return record;
}

static const frozen_t *
object(const char *name, const char *user)
{
    return record_freeze(&object_schema, loose(name, user));
}

static int64_t
held(const char *user)
{
    return budget_book_held(book, BUDGET_RECORD_BYTES, user);
}

static const frozen_t *
stage(const struct record *record, const frozen_t *before)
{
    return shard_stage_put(shard, hall, KEY_OBJECT, record, before, EVENT_OBJECT_UPDATED);
}

// The write of a sum in the filling batch; NULL = there is none.
static const struct write *
sum_of(const char *user)
{
    struct key key = key_in_scene(KEY_HOLDING, hall->id, text_from(&arena, user));
    const struct batch *batch = shard->staging.filling.batch;
    const struct write *found = NULL;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->writes[i].key_size == key.size &&
            memcmp(batch_key(batch, &batch->writes[i]).data, key.data, key.size) == 0) {
            cr_assert_null(found, "the sum is written twice");
            found = &batch->writes[i];
        }
    return found;
}

static void
assert_sum(const char *user, int64_t bytes)
{
    const struct write *write = sum_of(user);
    const struct batch *batch = shard->staging.filling.batch;
    cr_assert_not_null(write);
    cr_assert_eq(write->is_delete, bytes == 0);
    if (bytes)
        cr_assert_eq((int64_t)key_get_u64(batch_value(batch, write).data), bytes);
    cr_assert_eq(held(user), bytes);
}

// The filling batch fails.
static void
fail_batch(void)
{
    struct stage stage = staging_abandon(&shard->staging, 0);
    for (const struct change *change = stage.first; change; change = change->next)
        scene_holdings_dropped(shard, change);
    staging_free_stage(&shard->staging, &stage);
    bare_shard_grant(shard);
}

Test(scene_holdings, a_batch_has_the_sum_of_its_entities_once)
{
    const frozen_t *one = stage(loose("one", "bob"), NULL);
    assert_sum("bob", (int64_t)record_size(one));
    const frozen_t *longer = stage(loose("one that is longer", "bob"), one);
    assert_sum("bob", (int64_t)record_size(longer));
    cr_assert_eq(held("ann"), 0);
    shard_stage_delete(shard, hall, KEY_OBJECT, longer, EVENT_OBJECT_DELETED);
    assert_sum("bob", 0);
}

Test(scene_holdings, a_change_of_no_size_writes_no_sum)
{
    owned(record_unref) const frozen_t *one = object("one", "bob");
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), (int64_t)record_size(one));
    stage(loose("two", "bob"), one);
    cr_assert_null(sum_of("bob"));
    cr_assert_eq(held("bob"), (int64_t)record_size(one));
}

Test(scene_holdings, the_owner_of_the_scene_pays_for_what_names_nobody)
{
    const frozen_t *old = stage(loose("old", NULL), NULL);
    assert_sum("ann", (int64_t)record_size(old));
}

Test(scene_holdings, who_makes_an_entity_larger_pays_for_all_of_it)
{
    owned(record_unref) const frozen_t *small = object("small", "bob");
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), (int64_t)record_size(small));
    struct record *larger = loose("one that is larger", "bob");
    size_t bytes = record_frozen_size(&object_schema, larger);
    cr_assert_eq(
        scene_holdings_grow(shard, hall, text_from(&arena, "carl"), true, small, larger, &bytes),
        OK);
    const frozen_t *staged = stage(larger, small);
    cr_assert_eq(record_size(staged), bytes);
    assert_sum("carl", (int64_t)bytes);
    assert_sum("bob", 0);
}

Test(scene_holdings, who_makes_an_entity_no_larger_pays_nothing)
{
    owned(record_unref) const frozen_t *one = object("one", "bob");
    struct record *other = loose("two", "bob");
    size_t bytes = record_frozen_size(&object_schema, other);
    cr_assert_eq(
        scene_holdings_grow(shard, hall, text_from(&arena, "carl"), true, one, other, &bytes), OK);
    cr_assert(text_is(entity_of(other)->user, "bob"));
}

Test(scene_holdings, nobody_grows_beyond_the_budget_but_where_there_are_no_users)
{
    owned(record_unref) const frozen_t *small = object("small", "bob");
    struct record *larger = loose("one that is larger", "bob");
    size_t bytes = record_frozen_size(&object_schema, larger);
    const struct text *bob = text_from(&arena, "bob");
    scene_holdings_known(shard, hall, bob, 1000000);
    cr_assert_eq(scene_holdings_grow(shard, hall, bob, true, small, larger, &bytes),
                 ERR_OVER_STORED_BUDGET);
    cr_assert_eq(scene_holdings_grow(shard, hall, bob, false, small, larger, &bytes), OK);
}

Test(scene_holdings, a_batch_that_fails_leaves_the_book_as_it_was_and_the_sums_come_again)
{
    owned(record_unref) const frozen_t *old = object("old", "bob");
    int64_t before = (int64_t)record_size(old);
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), before);
    const frozen_t *longer = stage(loose("one that is longer", "bob"), old);
    const frozen_t *taken = stage(loose("one that is longer still", "carl"), longer);
    shard_stage_delete(shard, hall, KEY_OBJECT, taken, EVENT_OBJECT_DELETED);
    cr_assert_eq(held("bob"), 0);
    fail_batch();
    cr_assert_eq(held("bob"), before);
    cr_assert_eq(held("carl"), 0);
    stage(loose("two", "bob"), old);
    assert_sum("bob", before);
}

Test(scene_holdings, a_state_that_is_visible_already_counts_once)
{
    owned(record_unref) const frozen_t *old = object("old", "bob");
    owned(record_unref) const frozen_t *longer = object("one that is longer", "bob");
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), (int64_t)record_size(old));
    cr_assert(scene_holdings_changed(shard, hall, old, longer));
    cr_assert_null(sum_of("bob"));
    scene_holdings_write(shard, hall);
    assert_sum("bob", (int64_t)record_size(longer));
    cr_assert_not(scene_holdings_changed(shard, hall, longer, longer));
}

Test(scene_holdings, what_is_read_decides)
{
    owned(record_unref) const frozen_t *one = object("one", "bob");
    owned(record_unref) const frozen_t *other = object("other", NULL);
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), 77);
    scene_holdings_known(shard, hall, text_from(&arena, "carl"), 88);
    scene_holdings_count(hall, one);
    scene_holdings_count(hall, other);
    scene_holdings_counted(shard, hall, true);
    assert_sum("bob", (int64_t)record_size(one));
    assert_sum("ann", (int64_t)record_size(other));
    assert_sum("carl", 0);
}

Test(scene_holdings, what_cannot_be_read_leaves_the_sums)
{
    owned(record_unref) const frozen_t *one = object("one", "bob");
    scene_holdings_known(shard, hall, text_from(&arena, "bob"), 77);
    scene_holdings_count(hall, one);
    scene_holdings_counted(shard, hall, false);
    cr_assert_eq(held("bob"), 77);
    cr_assert_null(sum_of("bob"));
}

Test(scene_holdings, a_scene_that_is_gone_gives_all_back_once)
{
    const frozen_t *one = stage(loose("one", "bob"), NULL);
    cr_assert_eq(held("bob"), (int64_t)record_size(one));
    scenes_unindex(shard, hall);
    cr_assert_eq(held("bob"), 0);
    fail_batch();
    cr_assert_eq(held("bob"), 0);
}
