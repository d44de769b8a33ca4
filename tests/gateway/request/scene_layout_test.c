// scene_layout_test.c - what is asked for a picture of a scene, and what comes of the answers.
#include "gateway/request/scene_layout.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/asset.h"
#include "proto/records/ids.h"
#include "proto/records/object.h"
#include "proto/records/relation.h"
#include "proto/records/scene.h"

static struct message *layout;
static enum operation asked[64];
static unsigned questions;
static uint32_t objects;             // that the scene has
static uint32_t ids;                 // that were asked for
static enum operation refused;       // OPERATION_COUNT: nothing
static const char *assets_of_all[2]; // of each object, by turns

static void
begin(void)
{
    layout = message_create(SCENE_LAYOUT);
    record_set_text(&layout->params->base, PARAMS_SCENE, text_from(&layout->arena, "hall"));
    layout->caller.role = CALLER_USER;
    questions = ids = 0;
    objects = 3;
    refused = OPERATION_COUNT;
    assets_of_all[0] = "a1";
    assets_of_all[1] = "a2";
}

static void
end(void)
{
    message_destroy(&layout);
}

TestSuite(scene_layout, .init = begin, .fini = end);

static void
add(struct message *question, const struct schema *schema, const char *key, const char *asset)
{
    struct record *record = record_new(&question->arena, schema);
    if (schema != &relation_schema)
        record_set_text(record, schema_key_field(schema)->id, text_from(&question->arena, key));
    if (asset) {
        ((struct object *)(void *)record)->assets =
            texts_of_one(&question->arena, text_from(&question->arena, asset));
        record_mark(record, OBJECT_ASSETS);
    }
    reply_add_loose(question, schema, record);
}

static void
add_objects(struct message *question)
{
    char key[32];
    const struct params *params = question->params;
    for (int64_t i = params->start_record;
         i < objects && i < params->start_record + params->num_records; i++) {
        snprintf(key, sizeof key, "o%lld", (long long)i);
        add(question, &object_schema, key, assets_of_all[i % 2]);
    }
}

static void
add_assets(struct message *question)
{
    const struct texts *keys = ((const struct ids *)(const void *)question->records->items[0])->ids;
    ids += keys->count;
    for (uint32_t i = 0; i < keys->count; i++)
        add(question, &asset_schema, text_chars(keys->items[i]), NULL);
}

static enum error
answer(void *context, struct message **question)
{
    (void)context;
    cr_assert_eq(CALLER_USER, (*question)->caller.role);
    asked[questions++] = (*question)->operation;
    if ((*question)->operation == refused) {
        (*question)->reply.fault.error = ERR_NOT_FOUND;
        return OK;
    }
    switch ((*question)->operation) {
    case SCENE_GET:
        add(*question, &scene_schema, text_chars((*question)->params->scene), NULL);
        break;
    case ALIGNMENT_RELATE:
        cr_assert(text_is((*question)->params->from, "hall"));
        cr_assert(text_is((*question)->params->to, "yard"));
        add(*question, &relation_schema, NULL, NULL);
        break;
    case OBJECT_QUERY:
        add_objects(*question);
        break;
    default:
        add_assets(*question);
    }
    return OK;
}

static void
expect(const enum operation *wanted, unsigned count, uint32_t records)
{
    cr_assert_eq(OK, scene_layout_gather(layout, answer, NULL));
    cr_assert_eq(count, questions);
    for (unsigned i = 0; i < count; i++)
        cr_expect_eq(wanted[i], asked[i], "question %u", i);
    cr_expect_eq(records, layout->reply.count);
}

Test(scene_layout, has_the_scene_its_objects_and_each_asset_once)
{
    static const enum operation wanted[] = {SCENE_GET, OBJECT_QUERY, ASSET_BULK};
    expect(wanted, 3, 1 + 3 + 2);
    cr_expect_eq(2, ids);
    cr_expect(reply_record(&layout->reply, 0)->schema == &scene_schema);
}

Test(scene_layout, asks_for_no_assets_where_nothing_shows_any)
{
    static const enum operation wanted[] = {SCENE_GET, OBJECT_QUERY};
    assets_of_all[0] = assets_of_all[1] = NULL;
    expect(wanted, 2, 1 + 3);
}

Test(scene_layout, has_the_scene_that_it_is_placed_in_and_the_way_there)
{
    static const enum operation wanted[] = {SCENE_GET, SCENE_GET, ALIGNMENT_RELATE, OBJECT_QUERY,
                                            ASSET_BULK};
    record_set_text(&layout->params->base, PARAMS_PLACED_IN, text_from(&layout->arena, "yard"));
    expect(wanted, 5, 3 + 3 + 2);
    cr_expect(text_is(record_key(reply_record(&layout->reply, 1)), "yard"));
    cr_expect(reply_record(&layout->reply, 2)->schema == &relation_schema);
}

Test(scene_layout, of_a_part_is_not_placed)
{
    static const enum operation wanted[] = {SCENE_GET, OBJECT_QUERY, ASSET_BULK};
    record_set_text(&layout->params->base, PARAMS_PLACED_IN, text_from(&layout->arena, "yard"));
    record_set_text(&layout->params->base, PARAMS_NODE, text_from(&layout->arena, "0"));
    expect(wanted, 3, 1 + 3 + 2);
}

Test(scene_layout, has_all_pages_of_objects_up_to_its_limit)
{
    static const enum operation wanted[] = {SCENE_GET, OBJECT_QUERY, OBJECT_QUERY, ASSET_BULK};
    objects = LIMIT_RECORDS + 5;
    expect(wanted, 4, 1 + LIMIT_RECORDS + 5 + 2);
}

Test(scene_layout, is_refused_where_one_of_the_actors_refuses)
{
    static const enum operation each[] = {SCENE_GET, OBJECT_QUERY, ASSET_BULK};
    for (unsigned i = 0; i < 3; i++) {
        questions = 0;
        refused = each[i];
        reply_truncate(layout, 0);
        cr_assert_eq(OK, scene_layout_gather(layout, answer, NULL));
        cr_expect_eq(ERR_NOT_FOUND, layout->reply.fault.error);
        cr_expect_eq(i + 1, questions);
    }
}
