// entity_edit_test.c - what an edit makes of an entity, whatever its kind.

#include "actors/scene/entity/entity_edit.h"

#include <criterion/criterion.h>

#include "actors/scene/entity/keyframes.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/property_kind.h"
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

static struct message *message;

static void
begin(void)
{
    message = message_create(OBJECT_UPDATE);
}

static void
end(void)
{
    message_destroy(&message);
}

TestSuite(entity_edit, .init = begin, .fini = end);

static struct record *
read_as(const struct schema *schema, const char *chars)
{
    const struct json *json;
    struct record *record;
    cr_assert_eq(json_parse(&message->arena, chars, strlen(chars), &json), OK, "%s", chars);
    cr_assert_eq(record_from_json(&message->arena, schema, json, "", &record), OK, "%s", chars);
    return record;
}

static const struct entity *
object_from(const char *chars)
{
    struct record *object;
    const struct record *edit = read_as(&object_edit_schema, chars);
    cr_assert_eq(
        entity_edited(&message->arena, &object_kind, NULL, edit, LIST_OVERWRITE, "", &object), OK);
    return entity_of(object);
}

static const struct entity *
edited(const struct entity *stored, const char *chars, enum list_mode mode)
{
    struct record *object;
    const struct record *edit = read_as(&object_edit_schema, chars);
    cr_assert_eq(entity_edited(&message->arena, &object_kind, stored, edit, mode, "", &object), OK);
    return entity_of(object);
}

Test(entity_edit, an_edit_keeps_what_it_does_not_name)
{
    const struct entity *stored = object_from("{\"name\":\"chair\",\"frame\":7}");
    const struct entity *after = edited(stored, "{\"frame\":8}", LIST_OVERWRITE);
    cr_assert(text_is(after->name, "chair"));
    cr_assert_eq(object_of(&after->base)->rare->frame, 8);
    cr_assert_eq(object_of(&stored->base)->rare->frame, 7);
}

Test(entity_edit, an_edit_without_actions_keeps_those_that_are_stored)
{
    const struct entity *stored = object_from("{\"actions\":[{\"name\":\"spin\"}]}");
    const struct entity *after = edited(stored, "{\"frame\":8}", LIST_OVERWRITE);
    cr_assert_eq(list_count(entity_actions(after)), 1);
}

Test(entity_edit, the_last_action_that_is_taken_out_leaves_no_mark_of_any)
{
    const struct entity *stored = object_from("{\"actions\":[{\"name\":\"spin\"}]}");
    const struct entity *after = edited(stored, "{\"actions\":[{\"name\":\"spin\"}]}", LIST_REMOVE);
    cr_assert_eq(list_count(entity_actions(after)), 0);
    cr_assert_not(record_has(&after->base, ENTITY_ACTIONS));
}

Test(entity_edit, the_edit_itself_stays_as_it_came)
{
    struct record *object;
    struct record *edit =
        read_as(&object_edit_schema, "{\"translation\":[1,2,3],\"actions\":[{\"name\":\"spin\"}]}");
    uint64_t present = edit->present;
    for (int run = 0; run < 2; run++)
        cr_assert_eq(
            entity_edited(&message->arena, &object_kind, NULL, edit, LIST_OVERWRITE, "", &object),
            OK);
    cr_assert_eq(edit->present, present);
    cr_assert_eq(list_count(entity_actions(entity_of(object))), 1);
}

Test(entity_edit, records_of_an_update_are_merged_one_over_the_other)
{
    struct record *changed = NULL;
    const struct entity *stored = object_from("{\"name\":\"chair\",\"frame\":1}");
    message->records = records_new(&message->arena, 2);
    message->records->items[message->records->count++] =
        read_as(&object_edit_schema, "{\"frame\":2,\"name\":\"stool\"}");
    message->records->items[message->records->count++] =
        read_as(&object_edit_schema, "{\"frame\":3}");
    cr_assert_eq(entity_edit_by_records(message, &object_kind, stored, &changed), OK);
    cr_assert(text_is(entity_of(changed)->name, "stool"));
    cr_assert_eq(object_of(changed)->rare->frame, 3);
}

Test(entity_edit, an_update_without_records_changes_nothing)
{
    struct record *changed = NULL;
    const struct entity *stored = object_from("{\"name\":\"chair\"}");
    cr_assert_eq(entity_edit_by_records(message, &object_kind, stored, &changed), OK);
    cr_assert_null(changed);
}

Test(entity_edit, an_entity_beyond_the_limit_is_too_large)
{
    size_t bytes = 0;
    struct record *property = record_new(&message->arena, &property_schema);
    cr_assert_eq(entity_check_size(&property_kind, property, &bytes), OK);
    cr_assert_geq(bytes, property_schema.size);
    char *chars = arena_alloc(&message->arena, LIMIT_ENTITY_BYTES);
    memset(chars, 'x', LIMIT_ENTITY_BYTES);
    record_set_text(property, ENTITY_NAME, text_new(&message->arena, chars, LIMIT_ENTITY_BYTES));
    cr_assert_eq(entity_check_size(&property_kind, property, NULL), ERR_TOO_LARGE);
}

// The texts of the stored object are not copied for each record.
Test(entity_edit, of_many_records_takes_little_memory_whatever_the_size_of_the_entity)
{
    enum { TAG_BYTES = 4000 };
    char tag[TAG_BYTES + 1] = {0};
    memset(tag, 'x', TAG_BYTES);
    const struct entity *stored = object_from("{\"name\":\"a\"}");
    struct record *large = record_copy_flat(&message->arena, &object_schema, &stored->base);
    record_set_text(large, OBJECT_NAME, text_from(&message->arena, tag));
    message->records = records_new(&message->arena, LIMIT_EDITS);
    while (message->records->count < LIMIT_EDITS)
        message->records->items[message->records->count++] =
            read_as(&object_edit_schema, "{\"type\":\"t\"}");
    size_t before = message->arena.size;
    struct record *changed = NULL;
    cr_assert_eq(entity_edit_by_records(message, &object_kind, entity_of(large), &changed), OK);
    cr_expect_eq(text_size(object_of(changed)->name), TAG_BYTES);
    cr_expect_str_eq(text_chars(object_of(changed)->type), "t");
    cr_expect_lt(message->arena.size - before, LIMIT_EDITS * TAG_BYTES);
}

Test(entity_edit, of_more_records_than_one_thing_takes_is_refused)
{
    struct fault fault;
    struct record *changed = NULL;
    message->array = "objects";
    message->records = records_new(&message->arena, LIMIT_EDITS + 1);
    while (message->records->count <= LIMIT_EDITS)
        message->records->items[message->records->count++] =
            read_as(&object_edit_schema, "{\"type\":\"t\"}");
    enum error error =
        entity_edit_by_records(message, &object_kind, object_from("{\"name\":\"a\"}"), &changed);
    cr_assert_eq(error, ERR_INVALID);
    fault_take(error, &fault);
    cr_expect_str_eq(fault.pointer, "/objects/16");
}
