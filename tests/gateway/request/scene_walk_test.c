// scene_walk_test.c - the questions of a walk through all scenes, and where its pages end.
#include "gateway/request/scene_walk.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

// A server with these scenes ("a" first), each with so many objects.
static const unsigned objects[] = {2, 0, 3, 1};
enum { SCENES = sizeof objects / sizeof objects[0], CURSOR = 512, PAGES_MOST = 50 };

static struct message *message;
static struct list_query query; // of a question
static char found[256];
static unsigned gone = SCENES; // a scene that is in the list, and is deleted when it is asked for

static void
begin_page(const char *after, int64_t limit)
{
    message_destroy(&message);
    message = message_create(OBJECTS_LIST);
    record_set_text(&message->params->base, PARAMS_AFTER, text_from(&message->arena, after));
    record_set_integer(&message->params->base, PARAMS_NUM_RECORDS, limit);
}

static void
begin(void)
{
    found[0] = '\0';
}

static void
end(void)
{
    message_destroy(&message);
}

TestSuite(scene_walk, .init = begin, .fini = end);

// Two scenes a page, whatever is asked for.
static void
answer_scenes(struct message *question)
{
    unsigned count = 0;
    const struct record *last = NULL;
    cr_assert_eq(OK, list_query_read(question, list_kind_of(&scene_schema), 0, &query));
    for (unsigned i = 0; i < SCENES; i++) {
        struct record *scene = record_new(&question->arena, &scene_schema);
        struct list_place place;
        record_set_text(scene, SCENE_KEY, text_format(&question->arena, "%c", 'a' + (int)i));
        list_place_of(&query, scene, &place);
        if (query.has_place && list_place_compare(&query, &place, &query.place) <= 0)
            continue;
        if (count++ < 2) {
            reply_add_loose(question, &scene_schema, scene);
            last = scene;
        }
    }
    list_answer(question, &query, SCENES, count > 2 ? last : NULL);
}

static void
answer_objects(struct message *question)
{
    unsigned scene = (unsigned)(text_chars(question->params->scene)[0] - 'a'), count = 0;
    const struct record *last = NULL;
    if (scene == gone) {
        question->reply.fault.error = ERR_NOT_FOUND;
        return;
    }
    enum error error = list_query_read(question, list_kind_of(&object_schema), scene, &query);
    if (error != OK) {
        reply_fail(question, error);
        return;
    }
    for (unsigned i = 0; i < objects[scene]; i++) {
        struct record *object = record_new(&question->arena, &object_schema);
        struct list_place place;
        record_set_text(object, OBJECT_KEY,
                        text_format(&question->arena, "%c%u", 'a' + (int)scene, i));
        list_place_of(&query, object, &place);
        if (query.has_place && list_place_compare(&query, &place, &query.place) <= 0)
            continue;
        if (count++ < query.limit) {
            reply_add_loose(question, &object_schema, object);
            last = object;
        }
    }
    list_answer(question, &query, objects[scene], count > query.limit ? last : NULL);
}

// Walks a page; the keys of its objects join those that were found. Returns the next cursor, or
// NULL.
static const struct text *
walk(unsigned most_questions)
{
    struct scene_walk self;
    struct message *question;
    cr_assert_eq(OK, scene_walk_begin(&self, message));
    for (unsigned i = 0; i < most_questions && (question = scene_walk_ask(&self)) != NULL; i++) {
        if (question->operation == SCENE_LIST)
            answer_scenes(question);
        else
            answer_objects(question);
        scene_walk_take(&self, &question);
        cr_assert_null(question);
    }
    scene_walk_end(&self);
    scene_walk_finish(&self);
    for (uint32_t i = 0; i < message->reply.count; i++) {
        const struct text *key = record_key(reply_record(&message->reply, i));
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s ", text_chars(key));
    }
    const struct envelope *envelope = (const void *)message->reply.envelope;
    return envelope ? envelope->next : NULL;
}

// Walks one page, which begins behind the cursor `after`, and puts the next cursor there; false: it
// is the last one.
static bool
walk_on(char after[CURSOR], int64_t limit, unsigned most_questions)
{
    begin_page(after, limit);
    const struct text *next = walk(most_questions);
    cr_assert_eq(OK, message->reply.fault.error);
    cr_assert_leq(message->reply.count, limit);
    snprintf(after, CURSOR, "%s", next ? text_chars(next) : "");
    return next;
}

// All pages of a size, each of which asks so many questions at most.
static void
expect_all(int64_t limit, unsigned most_questions, const char *expected)
{
    char after[CURSOR] = "";
    unsigned pages = 1;
    found[0] = '\0';
    while (walk_on(after, limit, most_questions) && pages < PAGES_MOST)
        pages++;
    cr_assert_lt(pages, PAGES_MOST);
    cr_assert_str_eq(expected, found, "limit %lld, %u questions: %s", (long long)limit,
                     most_questions, found);
}

Test(scene_walk, pages_of_any_size_have_all_objects_once_in_the_order_of_scenes)
{
    for (int64_t limit = 1; limit <= 7; limit++)
        expect_all(limit, 100, "a0 a1 c0 c1 c2 d0 ");
}

Test(scene_walk, it_may_stop_after_any_question_and_goes_on_there)
{
    for (int64_t limit = 1; limit <= 7; limit++)
        for (unsigned questions = 2; questions < 8; questions++)
            expect_all(limit, questions, "a0 a1 c0 c1 c2 d0 ");
}

Test(scene_walk, a_scene_that_was_deleted_meanwhile_is_passed_over)
{
    gone = 2;
    expect_all(2, 100, "a0 a1 d0 ");
    gone = SCENES - 1;
    expect_all(2, 100, "a0 a1 c0 c1 c2 ");
    gone = SCENES;
}

Test(scene_walk, another_failure_is_that_of_the_request)
{
    struct scene_walk self;
    begin_page("", 10);
    cr_assert_eq(OK, scene_walk_begin(&self, message));
    struct message *question = scene_walk_ask(&self);
    question->reply.fault.error = ERR_UNAVAILABLE;
    scene_walk_take(&self, &question);
    cr_assert_eq(ERR_UNAVAILABLE, message->reply.fault.error);
    cr_assert_null(scene_walk_ask(&self));
    scene_walk_finish(&self);
}

Test(scene_walk, what_is_no_cursor_is_refused)
{
    static const char *const wrong[] = {"x", ".", "x.", ".x", "x.y", "..", "AAAA.AAAA"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct scene_walk self;
        struct fault fault;
        begin_page(wrong[i], 10);
        cr_assert_eq(ERR_INVALID, scene_walk_begin(&self, message), "%s", wrong[i]);
        fault_take(ERR_INVALID, &fault);
        cr_assert_str_eq("/after", fault.pointer);
        scene_walk_finish(&self);
    }
}

Test(scene_walk, questions_are_those_of_the_caller_and_keep_its_filters)
{
    struct scene_walk self;
    begin_page("", 5);
    message->caller.role = CALLER_USER;
    record_set_text(&message->params->base, PARAMS_TAG, text_from(&message->arena, "hot"));
    cr_assert_eq(OK, scene_walk_begin(&self, message));
    struct message *question = scene_walk_ask(&self);
    cr_assert_eq(SCENE_LIST, question->operation);
    cr_assert_eq(CALLER_USER, question->caller.role);
    cr_assert_null(question->params->tag);
    answer_scenes(question);
    scene_walk_take(&self, &question);
    question = scene_walk_ask(&self);
    cr_assert_eq(OBJECT_LIST, question->operation);
    cr_assert_eq(CALLER_USER, question->caller.role);
    cr_assert(text_is(question->params->tag, "hot"));
    cr_assert(text_is(question->params->scene, "a"));
    cr_assert_eq(5, question->params->num_records);
    message_destroy(&question);
    scene_walk_finish(&self);
}
