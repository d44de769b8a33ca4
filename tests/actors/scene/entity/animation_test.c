// animation_test.c - what edits make of the actions of an entity.

#include "actors/scene/entity/animation.h"

#include <criterion/criterion.h>

#include "actors/scene/entity/keyframes.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/property_kind.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

static struct arena arena;
static struct buffer out;
static const struct path root = {.name = "/properties/0"};

static void
end(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(animation, .fini = end);

static struct record *
read_as(const struct schema *schema, const char *chars)
{
    const struct json *json;
    struct record *record;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &json), OK, "%s", chars);
    cr_assert_eq(record_from_json(&arena, schema, json, "", &record), OK, "%s", chars);
    return record;
}

// The actions of a property edit.
static const struct records *
actions(const char *list)
{
    const struct text *chars = text_format(&arena, "{\"actions\":%s}", list);
    return entity_actions(entity_of(read_as(&property_edit_schema, text_chars(chars))));
}

static const struct record *
action(const char *chars)
{
    return read_as(&property_action_schema, chars);
}

// "walk:1=10 2=20;run:" stands for two actions and their frames with one value each.
static const char *
spelled(const struct records *list)
{
    buffer_clear(&out);
    for (size_t i = 0; i < list_count(list); i++) {
        const struct action *self = action_of(list->items[i]);
        buffer_put_format(&out, "%s%s:", i ? ";" : "", text_chars(self->name));
        for (size_t k = 0; k < list_count(self->keyframes); k++) {
            const struct property_keyframe *keyframe = (const void *)self->keyframes->items[k];
            const struct value *value = (const void *)keyframe->values->items[0];
            buffer_put_format(&out, "%s%lld=%g", k ? " " : "", (long long)keyframe->frame,
                              value->value);
        }
    }
    return text_chars(text_new(&arena, out.data, out.size));
}

#define WALK                                                                                       \
    "{\"name\":\"walk\",\"keyframes\":[{\"frame\":2,\"values\":[20]},{\"frame\":1,\"values\":[10]" \
    "}]}"
#define RUN "{\"name\":\"run\",\"description\":\"fast\"}"

static const struct records *
merged(const char *stored, const char *edits, enum list_mode mode)
{
    const struct records *before = NULL, *after = NULL;
    if (stored)
        cr_assert_eq(actions_merge(&arena, &property_kind, NULL, actions(stored), LIST_OVERWRITE,
                                   &root, &before),
                     OK);
    cr_assert_eq(actions_merge(&arena, &property_kind, before, actions(edits), mode, &root, &after),
                 OK);
    return after;
}

Test(animation, an_update_overwrites_the_list_in_the_order_of_frames)
{
    cr_assert_str_eq(spelled(merged(NULL, "[" WALK "," RUN "]", LIST_OVERWRITE)),
                     "walk:1=10 2=20;run:");
    cr_assert_str_eq(spelled(merged("[" WALK "]", "[" RUN "]", LIST_OVERWRITE)), "run:");
}

Test(animation, of_two_of_one_name_the_later_one_counts)
{
    cr_assert_str_eq(
        spelled(merged(NULL, "[" WALK "," RUN ",{\"name\":\"walk\"}]", LIST_OVERWRITE)),
        "walk:;run:");
}

Test(animation, appending_replaces_by_name_and_removing_takes_out_by_name)
{
    cr_assert_str_eq(spelled(merged("[" WALK "," RUN "]",
                                    "[{\"name\":\"sit\"},{\"name\":\"walk\",\"keyframes\":"
                                    "[{\"frame\":5,\"values\":[50]}]}]",
                                    LIST_APPEND)),
                     "walk:5=50;run:;sit:");
    cr_assert_str_eq(spelled(merged("[" WALK "," RUN "]", "[{\"name\":\"walk\"},{\"name\":\"x\"}]",
                                    LIST_REMOVE)),
                     "run:");
}

static void
refused(const char *edits, const char *pointer)
{
    const struct records *after;
    cr_assert_eq(
        actions_merge(&arena, &property_kind, NULL, actions(edits), LIST_OVERWRITE, &root, &after),
        ERR_MISSING, "%s", edits);
    cr_assert_str_eq(fault_last()->pointer, pointer);
}

Test(animation, names_and_frames_are_needed)
{
    refused("[{\"description\":\"d\"}]", "/properties/0/actions/0/name");
    refused("[" RUN ",{\"name\":\"\"}]", "/properties/0/actions/1/name");
    refused("[{\"name\":\"a\",\"keyframes\":[{\"frame\":1},{}]}]",
            "/properties/0/actions/0/keyframes/1/frame");
}

Test(animation, one_is_put_updated_and_dropped_by_its_name)
{
    const struct records *list = NULL;
    cr_assert_eq(actions_put(&arena, &property_kind, list, action(WALK), &list), OK);
    cr_assert_eq(actions_put(&arena, &property_kind, list, action(RUN), &list), OK);
    cr_assert_str_eq(spelled(list), "walk:1=10 2=20;run:");
    const struct text *walk = text_from(&arena, "walk");
    cr_assert_eq(actions_update(&arena, &property_kind, list, walk,
                                action("{\"name\":\"x\",\"description\":\"slow\"}"), LIST_OVERWRITE,
                                &list),
                 OK);
    cr_assert_str_eq(text_chars(action_of(list->items[0])->description), "slow");
    cr_assert_str_eq(spelled(list), "walk:1=10 2=20;run:");
    cr_assert_eq(actions_drop(&arena, list, walk, &list), OK);
    cr_assert_str_eq(spelled(list), "run:");
    cr_assert_eq(actions_drop(&arena, list, walk, &list), ERR_NOT_FOUND);
    cr_assert_eq(
        actions_update(&arena, &property_kind, list, walk, action(RUN), LIST_OVERWRITE, &list),
        ERR_NOT_FOUND);
}

Test(animation, an_update_changes_the_pace_that_it_names_alone)
{
    const struct records *list = NULL;
    const struct text *walk = text_from(&arena, "walk");
    const char *edits[] = {"{\"fps\":30}", "{\"loop\":true}", "{\"description\":\"d\"}"};
    cr_assert_eq(actions_put(&arena, &property_kind, list, action(WALK), &list), OK);
    cr_assert_not(record_has(list->items[0], ACTION_FPS));
    cr_assert_not(record_has(list->items[0], ACTION_LOOP));
    for (int i = 0; i < 3; i++)
        cr_assert_eq(actions_update(&arena, &property_kind, list, walk, action(edits[i]),
                                    LIST_OVERWRITE, &list),
                     OK);
    cr_assert_eq(action_of(list->items[0])->fps, 30);
    cr_assert(action_of(list->items[0])->loop);
    cr_assert(record_has(list->items[0], ACTION_FPS) && record_has(list->items[0], ACTION_LOOP));
    cr_assert_str_eq(spelled(list), "walk:1=10 2=20");
}

Test(animation, a_keyframe_is_put_updated_and_dropped_by_its_frame)
{
    const struct text *walk = text_from(&arena, "walk"), *run = text_from(&arena, "run");
    const struct record *edit = read_as(&property_keyframe_schema, "{\"frame\":-1,\"values\":[5]}");
    const struct records *list = merged(NULL, "[" WALK "]", LIST_OVERWRITE);
    cr_assert_eq(keyframes_put(&arena, &property_kind, list, walk, edit, &list), OK);
    cr_assert_str_eq(spelled(list), "walk:-1=5 1=10 2=20");
    cr_assert_eq(keyframes_update(&arena, &property_kind, list, walk, 2, edit, &list), OK);
    cr_assert_str_eq(spelled(list), "walk:-1=5 1=10 2=5");
    cr_assert_eq(keyframes_drop(&arena, list, walk, 1, &list), OK);
    cr_assert_str_eq(spelled(list), "walk:-1=5 2=5");
    cr_assert_eq(keyframes_drop(&arena, list, walk, 1, &list), ERR_NOT_FOUND);
    cr_assert_eq(keyframes_update(&arena, &property_kind, list, walk, 1, edit, &list),
                 ERR_NOT_FOUND);
    cr_assert_eq(keyframes_put(&arena, &property_kind, list, run, edit, &list), ERR_NOT_FOUND);
}

Test(animation, keyframes_of_a_datagram_are_updated_in_its_order)
{
    const struct text *walk = text_from(&arena, "walk");
    const struct records *list = merged(NULL, "[" WALK "," RUN "]", LIST_OVERWRITE), *updated;
    const struct records *edits =
        action_of(action("{\"name\":\"walk\",\"keyframes\":[{\"frame\":2,\"values\":[21]},"
                         "{\"frame\":1,\"values\":[11]},{\"frame\":2,\"values\":[22]}]}"))
            ->keyframes;
    cr_assert_eq(keyframes_update_all(&arena, &property_kind, list, walk, edits, &updated), OK);
    cr_assert_str_eq(spelled(updated), "walk:1=11 2=22;run:");
    cr_assert_str_eq(spelled(list), "walk:1=10 2=20;run:");
    edits = action_of(action("{\"name\":\"walk\",\"keyframes\":[{\"frame\":3}]}"))->keyframes;
    cr_assert_eq(keyframes_update_all(&arena, &property_kind, list, walk, edits, &updated),
                 ERR_NOT_FOUND);
}

Test(animation, an_edit_is_good_for_another_run)
{
    const struct records *first, *second;
    struct record *edit =
        read_as(&object_action_edit_schema,
                "{\"name\":\"a\",\"keyframes\":[{\"frame\":1,\"translation\":[1,2,3]}]}");
    uint64_t present = action_of(edit)->keyframes->items[0]->present;
    cr_assert_eq(actions_put(&arena, &object_kind, NULL, edit, &first), OK);
    cr_assert_eq(actions_put(&arena, &object_kind, NULL, edit, &second), OK);
    cr_assert_eq(action_of(edit)->keyframes->items[0]->present, present);
    const struct object_keyframe *keyframe =
        (const void *)action_of(second->items[0])->keyframes->items[0];
    cr_assert_eq(keyframe->transform[7], 2);
}
