// shown_test.c - published records: who may read them, what changes do, how they go.
#include "proto/message/shown.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

enum { MEMORY = 1 << 20 };

static shown_t *shown;
static struct message *message; // of user u1
static struct arena arena;
static shown_item_t *item; // of the scene

static void
begin(void)
{
    shown = shown_create(MEMORY);
    message = message_create(OBJECT_GET);
    message->caller.role = CALLER_USER;
    strcpy(message->caller.user, "u1");
}

static void
end(void)
{
    shown_destroy(&shown);
    message_destroy(&message);
    arena_finish(&arena);
}

TestSuite(shown, .init = begin, .fini = end);

static const frozen_t *
frozen(const struct schema *schema, unsigned key_field, const char *key, unsigned name_field,
       const char *name)
{
    struct record *record = record_new(&arena, schema);
    record_set_text(record, key_field, text_from(&arena, key));
    record_set_text(record, name_field, text_from(&arena, name));
    return record_freeze(schema, record);
}

static const frozen_t *
scene_called(const char *key, const char *name)
{
    return frozen(&scene_schema, SCENE_KEY, key, SCENE_NAME, name);
}

static const frozen_t *
object_called(const char *key, const char *name)
{
    return frozen(&object_schema, OBJECT_KEY, key, OBJECT_NAME, name);
}

static struct access_item
access_to(const char *owner, bool is_public)
{
    return (struct access_item){text_from(&arena, owner), is_public};
}

static void
put_scene(const char *owner, bool is_public)
{
    const struct access_item access = access_to(owner, is_public);
    const frozen_t *scene = scene_called("scene", "first");
    shown_put(shown, scene, &access, 7, &item);
    record_unref(&scene);
}

static void
change_scene(const char *name, const char *owner, bool is_public)
{
    const struct access_item access = access_to(owner, is_public);
    const frozen_t *scene = scene_called("scene", name);
    shown_change(shown, item, scene, &access);
    record_unref(&scene);
}

static void
put_object(const char *key, const char *name)
{
    const frozen_t *object = object_called(key, name);
    shown_put_part(shown, item, object);
    record_unref(&object);
}

static void
change_object(const char *key, const char *name)
{
    const frozen_t *object = object_called(key, name);
    shown_change_part(shown, item, object);
    record_unref(&object);
}

// The name of what is read; "" = nothing is.
static const char *
name_of(const struct schema *schema, const char *key, unsigned name)
{
    struct shown_reading reading;
    if (!shown_read(shown, message, schema, text_from(&arena, key), &reading))
        return "";
    const char *found =
        text_chars(text_copy(&arena, record_text(frozen_record(reading.record), name)));
    record_unref(&reading.record);
    return found;
}

static const char *
scene_read(void)
{
    return name_of(&scene_schema, "scene", SCENE_NAME);
}

static const char *
object_read(const char *key)
{
    return name_of(&object_schema, key, OBJECT_NAME);
}

Test(shown, nothing_is_found_in_an_empty_table)
{
    cr_expect_str_eq("", scene_read());
    cr_expect_eq(0, shown_bytes(shown));
}

Test(shown, record_is_read_by_its_schema_and_key)
{
    put_scene("u1", false);
    put_object("o", "chair");
    cr_expect_str_eq("first", scene_read());
    cr_expect_str_eq("chair", object_read("o"));
    cr_expect_str_eq("", object_read("scene"));
    cr_expect_str_eq("", object_read("p"));
}

Test(shown, newest_event_of_a_scene_is_told_with_it)
{
    struct shown_reading reading;
    put_scene("u1", false);
    shown_move(item, 9);
    cr_assert(shown_read(shown, message, &scene_schema, text_from(&arena, "scene"), &reading));
    cr_expect_eq(9, reading.place);
    record_unref(&reading.record);
}

Test(shown, change_replaces_what_is_shown_and_shows_nothing_else)
{
    put_scene("u1", false);
    put_object("o", "chair");
    change_object("o", "table");
    change_object("p", "lamp");
    change_scene("second", "u1", false);
    cr_expect_str_eq("table", object_read("o"));
    cr_expect_str_eq("", object_read("p"));
    cr_expect_str_eq("second", scene_read());
}

Test(shown, private_scene_of_another_is_not_read_and_neither_are_its_parts)
{
    put_scene("u2", true);
    put_object("o", "chair");
    cr_expect_str_eq("chair", object_read("o"));
    change_scene("second", "u2", false);
    cr_expect_str_eq("", scene_read());
    cr_expect_str_eq("", object_read("o"));
    message->caller.role = CALLER_ADMIN;
    cr_expect_str_eq("chair", object_read("o"));
}

Test(shown, parts_go_with_their_scene_and_do_not_come_back_with_a_later_one)
{
    put_scene("u1", false);
    put_object("o", "chair");
    shown_remove_whole(shown, &item);
    cr_expect_null(item);
    cr_expect_str_eq("", object_read("o"));
    put_scene("u1", false);
    cr_expect_str_eq("", object_read("o"));
    put_object("o", "other");
    cr_expect_str_eq("other", object_read("o"));
}

Test(shown, dropped_record_is_not_read)
{
    put_scene("u1", false);
    put_object("o", "chair");
    shown_remove_key(shown, &object_schema, text_from(&arena, "o"));
    cr_expect_str_eq("", object_read("o"));
}

Test(shown, record_that_is_forgotten_leaves_the_one_in_its_place)
{
    const frozen_t *old = object_called("o", "chair");
    put_scene("u1", false);
    shown_put_part(shown, item, old);
    change_object("o", "table");
    shown_remove_record(shown, old);
    cr_expect_str_eq("table", object_read("o"));
    record_unref(&old);
}

Test(shown, record_that_stands_alone_is_put_once_and_dropped)
{
    const struct access_item access = access_to("u1", false);
    const frozen_t *scene = scene_called("scene", "alone");
    shown_put_loose(shown, scene, &access);
    shown_put_loose(shown, scene, &access);
    cr_expect_str_eq("alone", scene_read());
    shown_remove_key(shown, &scene_schema, text_from(&arena, "scene"));
    cr_expect_str_eq("", scene_read());
    cr_expect_eq(0, shown_bytes(shown));
    record_unref(&scene);
}

Test(shown, nothing_is_read_while_changes_that_belong_together_are_made)
{
    put_scene("u1", false);
    put_object("o", "chair");
    shown_begin(shown);
    shown_begin(shown);
    change_object("o", "table");
    cr_expect_str_eq("", object_read("o"));
    shown_end(shown);
    shown_end(shown);
    cr_expect_str_eq("table", object_read("o"));
}

Test(shown, memory_is_bounded_and_what_is_read_stays)
{
    char key[16];
    put_scene("u1", false);
    put_object("read", "chair");
    for (unsigned i = 0; i < 20000; i++) {
        cr_assert_str_eq("chair", object_read("read"));
        snprintf(key, sizeof key, "o%u", i);
        put_object(key, "other");
        cr_assert_leq(shown_bytes(shown), MEMORY);
    }
    cr_expect_str_eq("other", object_read("o19999"));
    cr_expect_str_eq("", object_read("o0"));
}

Test(shown, record_that_has_grown_too_large_is_not_shown_any_more)
{
    static char large[2 * MEMORY];
    put_scene("u1", false);
    put_object("o", "chair");
    memset(large, 'x', sizeof large - 1);
    change_object("o", large);
    cr_expect_str_eq("", object_read("o"));
    cr_expect_leq(shown_bytes(shown), MEMORY);
}

Test(shown, reading_of_a_part_is_noted_at_its_scene_once)
{
    put_scene("u1", false);
    put_object("o", "chair");
    cr_expect_not(shown_was_read(item));
    object_read("o");
    cr_expect(shown_was_read(item));
    cr_expect_not(shown_was_read(item));
    cr_expect_not(shown_was_read(NULL));
}

Test(shown, without_memory_or_table_nothing_is_shown)
{
    shown_destroy(&shown);
    put_scene("u1", false);
    put_object("o", "chair");
    cr_expect_str_eq("", scene_read());
    shown = shown_create(0);
    put_scene("u1", false);
    cr_expect_null(item);
    cr_expect_str_eq("", scene_read());
}
