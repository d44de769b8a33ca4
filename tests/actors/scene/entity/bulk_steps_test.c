// bulk_steps_test.c - what a bulk request names, and in which order it is done.

#include "actors/scene/entity/bulk_steps.h"

#include <criterion/criterion.h>

#include "proto/base/limits.h"
#include "proto/records/bulk.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

static struct message *message;
static struct bulk *bulk;
static struct bulk_steps *steps;

static void
begin(void)
{
    message = message_create(SCENE_BULK);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "hall"));
    bulk = (struct bulk *)(void *)record_new(&message->arena, &bulk_schema);
    steps = NULL;
}

static void
finish(void)
{
    bulk_steps_destroy(&steps);
    message_destroy(&message);
}

TestSuite(bulk_steps, .init = begin, .fini = finish);

static const struct records *
edits(const struct schema *schema, unsigned count, const char *const *keys)
{
    struct records *list = records_new(&message->arena, count);
    for (; list->count < count; list->count++) {
        struct record *edit = record_new(&message->arena, schema);
        if (keys)
            record_set_text(edit, ENTITY_KEY, text_from(&message->arena, keys[list->count]));
        list->items[list->count] = edit;
    }
    return list;
}

static void
assert_refused(enum error wanted, const char *pointer)
{
    struct fault fault;
    cr_assert_eq(bulk_steps_new(message, bulk, &steps), wanted);
    fault_take(wanted, &fault);
    cr_expect_str_eq(fault.pointer, pointer);
    cr_expect_null(steps);
}

Test(bulk_steps, are_creations_then_updates_then_deletions_and_properties_last)
{
    struct bulk_part *properties =
        (struct bulk_part *)(void *)record_new(&message->arena, &bulk_properties_schema);
    properties->create = edits(&property_edit_schema, 1, NULL);
    bulk->properties = &properties->base;
    bulk->objects.delete = texts_of_one(&message->arena, text_from(&message->arena, "c"));
    bulk->objects.update = edits(&object_edit_schema, 1, (const char *const[]){"b"});
    bulk->objects.create = edits(&object_edit_schema, 2, NULL);
    cr_assert_eq(bulk_steps_new(message, bulk, &steps), OK);
    const enum operation wanted[] = {OBJECT_CREATE, OBJECT_CREATE, OBJECT_UPDATE, OBJECT_DELETE,
                                     PROPERTY_CREATE};
    cr_assert_eq(steps->count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(steps->items[i].list->as, wanted[i]);
    cr_expect_eq(steps->items[1].index, 1);
}

Test(bulk_steps, name_a_thing_once)
{
    bulk->objects.update = edits(&object_edit_schema, 2, (const char *const[]){"a", "b"});
    bulk->objects.delete = texts_of_one(&message->arena, text_from(&message->arena, "b"));
    assert_refused(ERR_INVALID, "/delete/0");
}

Test(bulk_steps, of_two_kinds_may_have_one_key)
{
    struct bulk_part *properties =
        (struct bulk_part *)(void *)record_new(&message->arena, &bulk_properties_schema);
    properties->delete = texts_of_one(&message->arena, text_from(&message->arena, "a"));
    bulk->properties = &properties->base;
    bulk->objects.delete = texts_of_one(&message->arena, text_from(&message->arena, "a"));
    cr_expect_eq(bulk_steps_new(message, bulk, &steps), OK);
}

Test(bulk_steps, an_update_says_its_key)
{
    bulk->objects.update = edits(&object_edit_schema, 1, NULL);
    assert_refused(ERR_MISSING, "/update/0/key");
}

Test(bulk_steps, a_chosen_key_does_not_look_generated)
{
    struct bulk_part *properties =
        (struct bulk_part *)(void *)record_new(&message->arena, &bulk_properties_schema);
    properties->create =
        edits(&property_edit_schema, 1, (const char *const[]){"0123456789abcdef01234567"});
    bulk->properties = &properties->base;
    assert_refused(ERR_INVALID, "/properties/create/0/key");
}

Test(bulk_steps, are_a_thousand_at_most)
{
    bulk->objects.create = edits(&object_edit_schema, LIMIT_BULK_STEPS, NULL);
    cr_assert_eq(bulk_steps_new(message, bulk, &steps), OK);
    bulk_steps_destroy(&steps);
    bulk->objects.delete = texts_of_one(&message->arena, text_from(&message->arena, "b"));
    assert_refused(ERR_INVALID, "");
}

Test(bulk_steps, make_the_same_keys_from_the_same_seed)
{
    static const unsigned char seed[16] = "0123456789abcde";
    bulk->objects.create = edits(&object_edit_schema, 2, NULL);
    message->seed = seed;
    cr_assert_eq(bulk_steps_new(message, bulk, &steps), OK);
    const struct text *first = bulk_step_new_key(message, steps, &steps->items[0]);
    cr_expect(text_equal(first, bulk_step_new_key(message, steps, &steps->items[0])));
    cr_expect_not(text_equal(first, bulk_step_new_key(message, steps, &steps->items[1])));
}
