// search_test.c - which lists a search asks for, and what it makes of their answers.
#include "gateway/request/search.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/project.h"
#include "proto/records/scene.h"
#include "proto/records/search_hit.h"

static struct message *search, *questions[SEARCH_KINDS];
static size_t count;

static void
begin(void)
{
    search = message_create(SEARCH);
    record_set_text(&search->params->base, PARAMS_Q, text_from(&search->arena, "pu"));
}

static void
end(void)
{
    message_destroy(&search);
    for (size_t i = 0; i < count; i++)
        message_destroy(&questions[i]);
}

TestSuite(search, .init = begin, .fini = end);

static void
expect_questions(enum caller_role role, const char *scene, size_t wanted)
{
    search->caller.role = role;
    if (scene)
        record_set_text(&search->params->base, PARAMS_SCENE, text_from(&search->arena, scene));
    count = search_questions(search, questions);
    cr_assert_eq(wanted, count);
    for (size_t i = 0; i < count; i++) {
        cr_assert(text_is(questions[i]->params->q, "pu"));
        cr_assert_eq(20, questions[i]->params->num_records);
        cr_assert_eq(role, questions[i]->caller.role);
        cr_assert(record_has(&questions[i]->params->base, PARAMS_AFTER));
    }
}

Test(search, of_a_user_asks_for_all_but_users)
{
    expect_questions(CALLER_USER, NULL, 4);
}

Test(search, of_an_administrator_asks_for_users_too)
{
    expect_questions(CALLER_ADMIN, NULL, 5);
    cr_assert_eq(USER_FIND, questions[4]->operation);
}

Test(search, in_a_scene_asks_for_its_objects)
{
    expect_questions(CALLER_USER, "hall", 5);
    cr_assert_eq(OBJECT_LIST, questions[1]->operation);
    cr_assert(text_is(questions[1]->params->scene, "hall"));
}

// The question finds records with these keys, a letter each.
static void
find(struct message *question, const struct schema *schema, const char *keys)
{
    for (; *keys; keys++) {
        struct record *record = record_new(&question->arena, schema);
        record_set_text(record, schema_key_field(schema)->id, text_new(&question->arena, keys, 1));
        reply_add_loose(question, schema, record);
    }
}

Test(search, takes_from_each_kind_by_turns_as_many_as_are_wanted)
{
    record_set_integer(&search->params->base, PARAMS_NUM_RECORDS, 4);
    count = search_questions(search, questions);
    find(questions[0], &scene_schema, "abcdef");
    find(questions[2], &project_schema, "x");
    search_answer(search, questions, count);
    const char keys[] = "axbc";
    cr_assert_eq(4, search->reply.count);
    for (uint32_t i = 0; i < 4; i++) {
        const struct search_hit *hit = (const void *)reply_record(&search->reply, i);
        cr_assert_eq(keys[i], text_bytes(hit->key)[0], "%u of %u", i, text_size(hit->key) > 0);
        cr_assert(text_is(hit->kind, i == 1 ? "project" : "scene"));
        cr_assert_null(hit->scene);
    }
}
