// idempotency_test.c - which keys are taken, and which requests are the same.
#include "gateway/request/idempotency.h"

#include <criterion/criterion.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/message/partition.h"

static const struct route kept = {.keeps_answer = true}, others;

static struct http_request
request_with(const char *key, const char *path, const char *query)
{
    struct http_request request = {.path = path, .query = query};
    if (key)
        request.headers[request.header_count++] = (struct http_header){"idempotency-key", key};
    return request;
}

static enum error
take(const char *key, const struct route *route, struct message *message)
{
    const struct http_request request = request_with(key, "/p", "");
    return idempotency_take(&request, route, "body", 4, message);
}

Test(idempotency, a_request_without_a_key_stays_as_it_is)
{
    owned(message_destroy) struct message *message = message_create(OBJECT_CREATE);
    cr_expect_eq(take(NULL, &kept, message), OK);
    cr_expect_eq(take("k", &others, message), OK);
    cr_expect_null(message->params->repeat_key);
}

Test(idempotency, a_key_is_printable_and_not_too_long)
{
    char key[LIMIT_IDEMPOTENCY_KEY_BYTES + 2];
    memset(key, 'x', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    owned(message_destroy) struct message *message = message_create(OBJECT_CREATE);
    cr_expect_eq(take(key, &kept, message), ERR_INVALID);
    cr_expect_eq(take(key + 1, &kept, message), OK);
    cr_expect_eq(take("", &kept, message), ERR_INVALID);
    cr_expect_eq(take("a\tb", &kept, message), ERR_INVALID);
    cr_expect_eq(take("\xc3\xa4", &kept, message), ERR_INVALID);
    struct http_request twice = request_with("a", "/p", "");
    twice.headers[twice.header_count++] = twice.headers[0];
    cr_expect_eq(idempotency_take(&twice, &kept, "", 0, message), ERR_INVALID);
}

Test(idempotency, a_scene_in_the_path_has_keys_of_its_own)
{
    owned(message_destroy) struct message *hall = message_create(OBJECT_CREATE);
    owned(message_destroy) struct message *yard = message_create(OBJECT_CREATE);
    record_set_text(&hall->params->base, PARAMS_SCENE, text_from(&hall->arena, "hall"));
    record_set_text(&yard->params->base, PARAMS_SCENE, text_from(&yard->arena, "yard"));
    cr_assert_eq(take("k", &kept, hall), OK);
    cr_assert_eq(take("k", &kept, yard), OK);
    cr_expect_not(text_equal(hall->params->repeat_key, yard->params->repeat_key));
    cr_expect(text_equal(hall->params->repeat_print, yard->params->repeat_print));
}

Test(idempotency, path_query_and_body_make_the_print)
{
    static const char *const parts[][3] = {
        {"/p", "", "body"}, {"/q", "", "body"}, {"/p", "a", "body"},
        {"/p", "", "bodz"}, {"/", "p", "body"}, {"/p", "", ""},
    };
    enum { COUNT = sizeof parts / sizeof parts[0] };
    struct message *messages[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const struct http_request request = request_with("k", parts[i][0], parts[i][1]);
        messages[i] = message_create(OBJECT_CREATE);
        cr_assert_eq(
            idempotency_take(&request, &kept, parts[i][2], strlen(parts[i][2]), messages[i]), OK);
        for (size_t j = 0; j < i; j++)
            cr_expect_not(
                text_equal(messages[i]->params->repeat_print, messages[j]->params->repeat_print));
    }
    for (size_t i = 0; i < COUNT; i++)
        message_destroy(&messages[i]);
}

Test(idempotency, each_part_of_a_request_is_known_by_what_nobody_can_guess)
{
    static const unsigned char seed[KEY_SEED_SIZE] = "a seed", other[KEY_SEED_SIZE] = "another";
    owned(arena_finish) struct arena arena = {0};
    const struct text *first = idempotency_part(&arena, seed, 0);
    cr_expect_eq(text_size(first), KEY_SEED_SIZE);
    cr_expect(text_equal(first, idempotency_part(&arena, seed, 0)));
    cr_expect_not(text_equal(first, idempotency_part(&arena, seed, 1)));
    cr_expect_not(text_equal(first, idempotency_part(&arena, other, 0)));
}
