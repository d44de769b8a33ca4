// query_test.c - query strings to records of any schema.
#include "gateway/request/query.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct record *record;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(query, .fini = finish);

static enum error
read_scene(const char *query)
{
    return query_read(&arena, &scene_schema, NULL, query, &record);
}

static const struct scene *
scene(void)
{
    return scene_of(record);
}

Test(query, members_are_read_by_their_types)
{
    cr_assert_eq(read_scene("name=hall%20+1&latitude=-48.5e0&public=true"), OK);
    cr_assert(text_is(scene()->name, "hall  1"));
    cr_assert_eq(scene()->latitude, -48.5);
    cr_assert_eq(scene()->is_public, true);
    cr_assert_eq(record->present,
                 FIELD_BIT(SCENE_NAME) | FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_PUBLIC));
}

Test(query, members_are_read_by_their_other_names)
{
    cr_assert_eq(read_scene("isPublic=false&asset_ids=a1"), OK);
    cr_assert_eq(record->present, FIELD_BIT(SCENE_PUBLIC) | FIELD_BIT(SCENE_ASSETS));
}

Test(query, parameter_said_again_adds_to_a_list)
{
    cr_assert_eq(read_scene("tags=a&name=x&tags=b&tags=c"), OK);
    cr_assert_eq(texts_count(scene()->tags), 3);
    cr_assert(text_is(scene()->tags->items[2], "c"));
}

Test(query, both_names_of_a_list_add_to_it)
{
    cr_assert_eq(read_scene("assets=a1&asset_ids=a2"), OK);
    cr_assert_eq(texts_count(scene()->assets), 2);
}

Test(query, parameter_said_again_replaces_a_value)
{
    cr_assert_eq(read_scene("name=first&name=second"), OK);
    cr_assert(text_is(scene()->name, "second"));
}

Test(query, unknown_and_empty_parameters_are_absent)
{
    cr_assert_eq(read_scene("colour=red&name=&tags=&region&&"), OK);
    cr_assert_eq(record->present, 0);
    cr_assert_eq(read_scene(""), OK);
    cr_assert_eq(record->present, 0);
}

Test(query, members_that_are_records_or_matrices_are_unknown)
{
    cr_assert_eq(read_scene("devices=d1"), OK);
    cr_assert_eq(record->present, 0);
    cr_assert_eq(query_read(&arena, &object_edit_schema, NULL, "transform=1&frame=7", &record), OK);
    cr_assert_eq(record->present, FIELD_BIT(OBJECT_FRAME));
}

Test(query, wrong_types_are_malformed_and_named)
{
    static const struct {
        const char *query, *detail;
    } wrong[] = {
        {"latitude=north", "latitude must be a number"},
        {"latitude=nan", "latitude must be a number"},
        {"latitude=0x10", "latitude must be a number"},
        {"latitude=1e999", "latitude must be a number"},
        {"isPublic=yes", "isPublic must be true or false"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(read_scene(wrong[i].query), ERR_MALFORMED);
        cr_assert_str_eq(fault_last()->pointer, "");
        cr_assert_str_eq(fault_last()->detail, wrong[i].detail);
    }
}

Test(query, bad_encoding_is_malformed)
{
    cr_assert_eq(read_scene("name=%zz"), ERR_MALFORMED);
    cr_assert_eq(read_scene("name=%ff"), ERR_MALFORMED);
}

Test(query, too_many_items_are_invalid_and_named)
{
    struct buffer text = {0};
    for (int i = 0; i < 65; i++)
        buffer_put_chars(&text, "tags=x&");
    buffer_put_char(&text, '\0');
    cr_assert_eq(read_scene(text.data), ERR_INVALID);
    buffer_finish(&text);
    cr_assert_str_eq(fault_last()->detail, "tags must have at most 64 items");
}

Test(query, view_says_which_members_may_come)
{
    const struct view view = {.fields = FIELD_BIT(SCENE_NAME)};
    cr_assert_eq(query_read(&arena, &scene_schema, &view, "name=x&region=y", &record), OK);
    cr_assert_eq(record->present, FIELD_BIT(SCENE_NAME));
}
