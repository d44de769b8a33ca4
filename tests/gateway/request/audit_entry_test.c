// audit_entry_test.c - which requests are told to the audit log, and how.
#include "gateway/request/audit_entry.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/scene.h"

static struct audit_event taken[8];

static struct route
route_of(enum operation operation)
{
    return (struct route){.method = HTTP_POST, .path = "/", .operation = operation};
}

static enum audit_kind
kind_of(enum operation operation, int status, struct message *message)
{
    struct route route = route_of(operation);
    const struct caller nobody = {0};
    const struct route_match match = {0};
    return audit_entry_kind(&(struct audit_entry){.route = &route,
                                                  .match = &match,
                                                  .caller = &nobody,
                                                  .message = message,
                                                  .request_id = "r",
                                                  .status = status});
}

Test(audit_entry, row_of_the_operation_decides)
{
    cr_assert_eq(kind_of(SCENE_GET, 200, NULL), AUDIT_NONE);
    cr_assert_eq(kind_of(OBJECT_UPDATE, 200, NULL), AUDIT_MINUTE);
    cr_assert_eq(kind_of(SCENE_DELETE, 200, NULL), AUDIT_EACH);
    cr_assert_eq(kind_of(USER_PROMOTE, 200, NULL), AUDIT_SECURITY);
    cr_assert_eq(kind_of((enum operation)NO_OPERATION, 200, NULL), AUDIT_NONE);
}

Test(audit_entry, refusals_cannot_fill_the_log)
{
    cr_assert_eq(kind_of(SCENE_DELETE, 404, NULL), AUDIT_MINUTE);
    cr_assert_eq(kind_of(LOGIN, 429, NULL), AUDIT_MINUTE);
    cr_assert_eq(kind_of(USER_PROMOTE, 401, NULL), AUDIT_MINUTE);
    cr_assert_eq(kind_of(OBJECT_UPDATE, 403, NULL), AUDIT_MINUTE);
    cr_assert_eq(kind_of(OBJECT_UPDATE, 422, NULL), AUDIT_NONE);
}

Test(audit_entry, wrong_password_has_a_line)
{
    struct message *message = message_create(LOGIN);
    reply_fail(message, fail(ERR_UNAUTHENTICATED, "", "wrong"));
    cr_assert_eq(kind_of(LOGIN, 401, message), AUDIT_SECURITY);
    message_destroy(&message);
}

Test(audit_entry, change_of_who_may_see_a_scene_concerns_security)
{
    struct message *message = message_create(SCENE_UPDATE);
    struct record *record = record_new(&message->arena, &scene_schema);
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = record;
    cr_assert_eq(kind_of(SCENE_UPDATE, 200, message), AUDIT_MINUTE);
    record_mark(record, SCENE_PUBLIC);
    cr_assert_eq(kind_of(SCENE_UPDATE, 200, message), AUDIT_SECURITY);
    message_destroy(&message);
}

// What is noted of a creation of `hall` and `yard`.
static size_t
note_two_scenes(int status)
{
    struct message *message = message_create(SCENE_CREATE);
    // As it is after each record was asked for by its own key.
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "yard"));
    struct route route = route_of(SCENE_CREATE);
    struct caller caller = {.peer = "10.0.0.1", .user = "u1"};
    const struct route_match match = {0};
    for (int i = 0; i < 2; i++) {
        struct record *record = record_new(&message->arena, &scene_schema);
        record_set_text(record, SCENE_KEY, text_from(&message->arena, i ? "yard" : "hall"));
        reply_add_loose(message, &scene_schema, record);
    }
    audit_begin();
    audit_entry_note(&(struct audit_entry){.route = &route,
                                           .match = &match,
                                           .caller = &caller,
                                           .message = message,
                                           .request_id = "r7",
                                           .status = status});
    size_t count = audit_take(taken, 8, 0);
    audit_end();
    message_destroy(&message);
    return count;
}

Test(audit_entry, each_thing_that_was_made_has_its_key_from_the_answer)
{
    cr_assert_eq(note_two_scenes(200), 2);
    cr_assert_str_eq(taken[0].key, "hall");
    cr_assert_str_eq(taken[1].key, "yard");
    cr_assert_str_eq(taken[1].noun, "scene");
    cr_assert_str_eq(taken[1].user, "u1");
    cr_assert_str_eq(taken[1].address, "10.0.0.1");
    cr_assert_str_eq(taken[1].request, "r7");
}

Test(audit_entry, what_was_made_before_a_refusal_has_its_lines_beside_that_of_the_refusal)
{
    cr_assert_eq(note_two_scenes(409), 3);
    for (int i = 0; i < 2; i++) {
        cr_expect_str_eq(taken[i].key, i ? "yard" : "hall");
        cr_expect_eq(taken[i].kind, AUDIT_EACH);
        cr_expect_eq(taken[i].outcome, 200);
    }
    cr_expect_eq(taken[2].kind, AUDIT_MINUTE);
    cr_expect_eq(taken[2].outcome, 409);
}

Test(audit_entry, update_by_put_is_counted_and_a_creation_has_a_line)
{
    struct message *message = message_create(SCENE_PUT);
    cr_assert_eq(kind_of(SCENE_PUT, 200, message), AUDIT_MINUTE);
    message->makes_scene = true;
    cr_assert_eq(kind_of(SCENE_PUT, 200, message), AUDIT_EACH);
    cr_assert_eq(kind_of(SCENE_PUT, 507, message), AUDIT_MINUTE, "a refusal is told");
    message_destroy(&message);
}

// Notes the creation of an object in the scene "hall"; returns how many events that were.
static size_t
note_object(bool makes_scene, int status, uint32_t progress)
{
    struct message *message = message_create(OBJECT_CREATE);
    struct route route = route_of(OBJECT_CREATE);
    const struct caller caller = {.user = "u1"};
    const struct route_match match = {0};
    message->makes_scene = makes_scene;
    message->progress = progress;
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "hall"));
    audit_begin();
    audit_entry_note(&(struct audit_entry){.route = &route,
                                           .match = &match,
                                           .caller = &caller,
                                           .message = message,
                                           .request_id = "r",
                                           .status = status});
    size_t count = audit_take(taken, 8, 0);
    audit_end();
    message_destroy(&message);
    return count;
}

Test(audit_entry, scene_that_is_made_by_what_is_put_into_it_has_a_line)
{
    cr_assert_eq(note_object(false, 200, 0), 1);
    cr_assert_eq(note_object(true, 200, 0), 2);
    cr_assert_eq(taken[0].kind, AUDIT_EACH);
    cr_assert_str_eq(taken[0].operation, "SCENE_CREATE");
    cr_assert_str_eq(taken[0].noun, "scene");
    cr_assert_str_eq(taken[0].key, "hall");
    cr_assert_str_eq(taken[0].user, "u1");
    cr_assert_eq(taken[1].kind, AUDIT_MINUTE);
    cr_assert_eq(note_object(true, 507, 0), 0, "nothing was made");
    cr_assert_eq(note_object(true, 507, 300), 1, "its first slice was");
}

Test(audit_entry, refused_request_names_what_its_path_names)
{
    struct arena arena = {0};
    struct route route = route_of(USER_PROMOTE);
    const struct caller caller = {.user = "u1"};
    struct route_match match = {.param_count = 1};
    match.params[0].name = text_from(&arena, "user");
    match.params[0].value = text_from(&arena, "victim");
    audit_begin();
    audit_entry_note(&(struct audit_entry){
        .route = &route, .match = &match, .caller = &caller, .request_id = "r", .status = 403});
    cr_assert_eq(audit_take(taken, 8, 0), 1);
    cr_assert_str_eq(taken[0].key, "victim");
    cr_assert_eq(taken[0].outcome, 403);
    audit_end();
    arena_finish(&arena);
}
