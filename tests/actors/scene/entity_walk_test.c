// entity_walk_test.c - a walk through the objects of a scene finds them as they were when it began,
// whatever changes between its slices.
#include "actors/scene/entity_walk.h"

#include <criterion/criterion.h>

#include "actors/scene/entity_cache.h"
#include "proto/records/object.h"
#include "tests/support/bare_shard.h"
#include "tests/support/samples.h"

static struct shard *shard;
static struct scene_state *hall;
static struct message *question;
static struct entity_walk *walk;
static actor_t tired = {.turn.slice_us = 1}; // each slice of it is over at once

static void
put(const char *key, const char *name)
{
    const frozen_t *object = bare_object("hall", key, name);
    entity_cache_put(shard, hall, object);
    record_unref(&object);
}

static void
drop(const char *key)
{
    const frozen_t *object = bare_object("hall", key, "");
    entity_cache_remove(shard, hall, object);
    record_unref(&object);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    question = message_create(OBJECT_QUERY);
    for (const char *key = "b\0d\0f\0h\0"; *key; key += 2)
        put(key, "old");
    cr_assert_eq(entity_walk_resume(question, hall, OBJECTS, OBJECTS + 1, &walk), OK);
}

static void
end(void)
{
    message_destroy(&question);
    cr_assert_null(hall->walks);
    bare_shard_end();
}

TestSuite(entity_walk, .init = begin, .fini = end);

// The next object must have this key and name; the slice ends behind it.
static void
expect(const char *key, const char *name)
{
    const frozen_t *found = entity_walk_next(walk);
    cr_assert_not_null(found, "%s is missing", key);
    const struct object *object = (const struct object *)(const void *)frozen_record(found);
    cr_assert_str_eq(text_chars(object->key), key);
    cr_assert_str_eq(text_chars(object->name), name);
    cr_assert(entity_walk_must_pause(walk, &tired, 1000));
}

static void
resume(void)
{
    cr_assert_eq(entity_walk_resume(question, hall, OBJECTS, OBJECTS + 1, &walk), OK);
}

Test(entity_walk, finds_all_in_order)
{
    for (const char *key = "b\0d\0f\0h\0"; *key; key += 2) {
        expect(key, "old");
        resume();
    }
    cr_assert_null(entity_walk_next(walk));
    cr_assert_null(entity_walk_next(walk));
}

Test(entity_walk, finds_what_changes_as_it_was)
{
    expect("b", "old");
    put("b", "new");
    put("d", "new");
    put("d", "newer");
    drop("f");
    put("f", "again");
    drop("h");
    resume();
    expect("d", "old");
    resume();
    expect("f", "old");
    resume();
    expect("h", "old");
    resume();
    cr_assert_null(entity_walk_next(walk));
}

Test(entity_walk, does_not_find_what_is_made_meanwhile)
{
    put("a", "new");
    put("c", "new");
    put("i", "new");
    drop("c");
    put("c", "again");
    resume();
    expect("b", "old");
    put("e", "new");
    resume();
    expect("d", "old");
    drop("b"); // where it stands is found without it
    resume();
    expect("f", "old");
    resume();
    expect("h", "old");
    resume();
    cr_assert_null(entity_walk_next(walk));
}

Test(entity_walk, walks_at_once_find_each_their_own_state)
{
    struct message *later = message_create(OBJECT_QUERY);
    struct entity_walk *other;
    put("d", "new");
    cr_assert_eq(entity_walk_resume(later, hall, OBJECTS, OBJECTS + 1, &other), OK);
    put("d", "newer");
    resume();
    expect("b", "old");
    resume();
    expect("d", "old");
    struct entity_walk *first = walk;
    cr_assert_eq(entity_walk_resume(later, hall, OBJECTS, OBJECTS + 1, &walk), OK);
    expect("b", "old");
    cr_assert_eq(entity_walk_resume(later, hall, OBJECTS, OBJECTS + 1, &walk), OK);
    expect("d", "new");
    walk = first;
    message_destroy(&later);
}

Test(entity_walk, does_not_go_on_in_another_scene)
{
    struct scene_state *yard = bare_shard_add_scene(shard, "yard", "");
    cr_assert_eq(entity_walk_resume(question, yard, OBJECTS, OBJECTS + 1, &walk), ERR_NOT_FOUND);
}
