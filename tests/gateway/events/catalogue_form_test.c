// catalogue_form_test.c - what each caller is told of what there is.
#include "gateway/events/catalogue_form.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/user.h"

static struct arena arena;
static struct stream_sink sink;
static struct sse_place place;

static void
begin(void)
{
    place = (struct sse_place){.scene = text_from(&arena, "scenes"), .epoch = 7, .seq = 3};
}

static void
finish(void)
{
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

TestSuite(catalogue_form, .init = begin, .fini = finish);

// What a user is told of a change of the scene "hall", which belongs to the user "ann".
static const char *
told(enum caller_role role, const char *user, bool is_public, uint8_t reason)
{
    struct caller caller = {.role = role};
    snprintf(caller.user, sizeof caller.user, "%s", user);
    struct record *record = record_new(&arena, &scene_schema);
    record_set_text(record, SCENE_KEY, text_from(&arena, "hall"));
    record_set_text(record, SCENE_USER, text_from(&arena, "ann"));
    ((struct scene *)(void *)record)->is_public = is_public;
    record_mark(record, SCENE_PUBLIC);
    struct event event = {.seq = 3,
                          .msg_type = EVENT_SCENE_UPDATED,
                          .reason = reason,
                          .scene = record_freeze(&scene_schema, record),
                          .record = record_freeze(&scene_schema, record)};
    buffer_clear(&sink.out);
    const struct catalogue_form form = {&place, 1, &caller};
    catalogue_form_write_change(&form, &event, &sink);
    record_unref(&event.scene);
    record_unref(&event.record);
    buffer_put_char(&sink.out, '\0');
    return (const char *)sink.out.data;
}

Test(catalogue_form, reset_says_from_where_on_changes_follow)
{
    const struct catalogue_form form = {&place, 1, NULL};
    catalogue_form_write_reset(&form, 0, &sink);
    buffer_put_char(&sink.out, '\0');
    cr_assert_str_eq(
        (const char *)sink.out.data,
        "event: reset\nid: 7-3\ndata: {\"topic\":\"scenes\",\"epoch\":7,\"seq\":3}\n\n");
}

Test(catalogue_form, owner_administrators_and_all_without_users_hear_of_a_private_scene)
{
    static const char begins[] = "event: change\nid: 7-3\ndata: {\"msg_type\":41,\"seq\":3,"
                                 "\"scene\":\"hall\",\"record\":{\"key\":\"hall\"";
    const struct {
        enum caller_role role;
        const char *user;
    } callers[] = {{CALLER_USER, "ann"}, {CALLER_ADMIN, "root"}, {CALLER_TRUSTED, ""}};
    for (size_t i = 0; i < sizeof callers / sizeof callers[0]; i++) {
        const char *words = told(callers[i].role, callers[i].user, false, REASON_HIDDEN);
        cr_assert_eq(strncmp(words, begins, sizeof begins - 1), 0, "%s", words);
    }
}

Test(catalogue_form, others_hear_of_public_scenes_alone)
{
    cr_assert_str_eq(told(CALLER_USER, "bob", false, REASON_NONE), "");
    cr_assert_neq(strlen(told(CALLER_USER, "bob", true, REASON_NONE)), 0);
    cr_assert_str_eq(told(CALLER_ANONYMOUS, "", true, REASON_NONE), "");
}

Test(catalogue_form, scene_that_is_hidden_is_deleted_for_others)
{
    cr_assert_str_eq(told(CALLER_USER, "bob", false, REASON_HIDDEN),
                     "event: change\nid: 7-3\ndata: {\"msg_type\":42,\"seq\":3,\"scene\":\"hall\"}"
                     "\n\n");
    cr_assert_str_eq(told(CALLER_ANONYMOUS, "", false, REASON_HIDDEN), "");
}

Test(catalogue_form, event_of_several_topics_has_the_places_of_all)
{
    const struct sse_place places[] = {{text_from(&arena, "scenes"), 7, 3},
                                       {text_from(&arena, "users"), 7, 9}};
    const struct caller caller = {.role = CALLER_TRUSTED};
    const struct catalogue_form form = {places, 2, &caller};
    struct record *record = record_new(&arena, &user_schema);
    record_set_text(record, USER_ID, text_from(&arena, "u1"));
    record_set_text(record, USER_USERNAME, text_from(&arena, "ann"));
    record_set_text(record, USER_HASH, text_from(&arena, "secret"));
    struct event event = {
        .seq = 9, .msg_type = EVENT_USER_DELETED, .record = record_freeze(&user_schema, record)};
    catalogue_form_write_change(&form, &event, &sink);
    record_unref(&event.record);
    buffer_put_char(&sink.out, '\0');
    static const char begins[] = "event: change\nid: scenes:7-3,users:7-9\ndata: {\"msg_type\":61,"
                                 "\"seq\":9,\"user\":\"u1\",\"record\":{";
    const char *words = (const char *)sink.out.data;
    cr_assert_eq(strncmp(words, begins, sizeof begins - 1), 0, "%s", words);
    cr_assert_null(strstr(words, "secret"), "%s", words);
}
