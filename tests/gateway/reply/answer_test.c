// answer_test.c - what answers have beside their body.
#include "gateway/reply/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/records/scene.h"

static const struct route registering = {
    .method = HTTP_POST,
    .operation = REGISTER,
    .reply = {.form = REPLY_ENVELOPE, .array = "scenes", .tells_destination = true}};
static const struct route reading = {.method = HTTP_GET,
                                     .operation = SCENE_GET,
                                     .reply = {.form = REPLY_ENVELOPE, .array = "scenes"},
                                     .is_tagged = true};
static const struct route login = {
    .method = HTTP_POST, .operation = LOGIN, .reply = {.form = REPLY_SESSION}};

static enum error
print_constant(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    buffer_put_chars(out, "{}");
    return OK;
}

#define CONSTANT(...)                                                                              \
    {                                                                                              \
        .method = HTTP_GET, .operation = NO_OPERATION,                                             \
        .reply = {.form = REPLY_PROBE, .print = print_constant, .media_type = "application/json"}, \
        __VA_ARGS__                                                                                \
    }
static const struct route changing_page = CONSTANT(.is_tagged = false);
static const struct route constant_page = CONSTANT(.is_tagged = true);

static struct answer_facts facts;
static struct http_request request;
static struct acceptance acceptance;
static struct http_answer answer;
static struct message *message;

static void
init(void)
{
    facts = (struct answer_facts){.udp_host = "", .udp_port = 8762};
    request = (struct http_request){.peer = "127.0.0.1"};
    content_coding_accept(NULL, &acceptance);
    http_answer_begin(&answer);
}

static void
finish(void)
{
    message_destroy(&message);
    http_answer_finish(&answer);
}

TestSuite(answer, .init = init, .fini = finish);

static enum error
write_answer(const struct route *route)
{
    return answer_write(&(struct answer_source){.facts = &facts,
                                                .route = route,
                                                .request = &request,
                                                .acceptance = &acceptance,
                                                .message = message},
                        &answer);
}

static const char *
body(void)
{
    buffer_put_char(&answer.body, '\0');
    return answer.body.data + HTTP_HEAD_ROOM;
}

static void
assert_destination(const char *host, const char *udp_host, const char *expected)
{
    char member[128];
    init();
    message = message_create(REGISTER);
    facts.udp_host = udp_host;
    request.headers[request.header_count++] = (struct http_header){"Host", host};
    cr_assert_eq(write_answer(&registering), OK);
    snprintf(member, sizeof member,
             "\"event_destination_host\":\"%s\",\"event_destination_port\":8762", expected);
    cr_assert_not_null(strstr(body(), member), "%s", body());
    message_destroy(&message);
}

Test(answer, device_is_told_the_host_by_which_it_reached_us)
{
    assert_destination("scenes.example:8080", "", "scenes.example");
    assert_destination("scenes.example", "", "scenes.example");
    assert_destination("[::1]:8080", "", "[::1]");
}

Test(answer, setting_wins_over_the_host_of_the_request)
{
    assert_destination("scenes.example:8080", "udp.example", "udp.example");
    assert_destination("scenes.example:8080", "fd00::1", "fd00::1");
}

Test(answer, new_session_is_told_and_an_ended_one_is_empty)
{
    message = message_create(LOGIN);
    cr_assert_eq(write_answer(&login), OK);
    cr_assert_str_eq(answer.token, "");
    record_set_text(&reply_envelope(message)->base, ENVELOPE_TOKEN,
                    text_from(&message->arena, "t"));
    cr_assert_eq(write_answer(&login), OK);
    cr_assert_str_eq(answer.token, "t");
    cr_assert_not(answer.is_by_tls);
    cr_assert_eq(answer.body.size, HTTP_HEAD_ROOM);
}

static void
answer_with_a_scene(void)
{
    struct arena arena = {0};
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "s"));
    message = message_create(SCENE_GET);
    const frozen_t *frozen = record_freeze(&scene_schema, scene);
    reply_add(message, frozen);
    record_unref(&frozen);
    arena_finish(&arena);
}

Test(answer, read_has_a_tag_and_may_be_kept)
{
    answer_with_a_scene();
    cr_assert_eq(write_answer(&reading), OK);
    cr_assert_eq(answer.status, 200);
    cr_assert_str_neq(answer.etag.chars, "");
    cr_assert(answer.may_be_kept && answer.is_negotiated);
    cr_assert_gt(answer.body.size, HTTP_HEAD_ROOM);
}

Test(answer, client_that_has_the_state_gets_304_without_a_body)
{
    answer_with_a_scene();
    record_set_text(&message->params->base, PARAMS_IF_NONE_MATCH, text_from(&message->arena, "*"));
    cr_assert_eq(write_answer(&reading), OK);
    cr_assert_eq(answer.status, 304);
    cr_assert_null(answer.media_type);
    cr_assert_eq(answer.body.size, HTTP_HEAD_ROOM);
}

Test(answer, state_that_if_match_does_not_name_is_refused)
{
    answer_with_a_scene();
    record_set_text(&message->params->base, PARAMS_IF_MATCH, text_from(&message->arena, "\"x\""));
    cr_assert_eq(write_answer(&reading), ERR_PRECONDITION);
}

Test(answer, page_that_is_constant_has_the_tag_of_its_bytes_and_may_be_kept)
{
    struct etag expected = {0};
    etag_of_json("{}", 2, &expected);
    message = message_create((enum operation)changing_page.operation);
    cr_assert_eq(write_answer(&constant_page), OK);
    cr_assert_str_eq(answer.etag.chars, expected.chars);
    cr_assert(answer.may_be_kept);
    cr_assert_str_eq(body(), "{}");
}

Test(answer, page_that_changes_has_no_tag_and_is_not_kept)
{
    message = message_create((enum operation)changing_page.operation);
    cr_assert_eq(write_answer(&changing_page), OK);
    cr_assert_str_eq(answer.etag.chars, "");
    cr_assert_not(answer.may_be_kept);
}
