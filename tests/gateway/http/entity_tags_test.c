// entity_tags_test.c - If-Match and If-None-Match of a header, and of reads.
#include "gateway/http/entity_tags.h"

#include <criterion/criterion.h>

#define HASH "bddd813c634239723171ef3fee98579b"

static struct etag etag = {.chars = HASH};
static struct http_request request;
static struct message *message;

static void
start(void)
{
    message = message_create(OBJECT_GET);
}

static void
finish(void)
{
    message_destroy(&message);
}

TestSuite(entity_tags, .init = start, .fini = finish);

static void
add_header(const char *name, const char *value)
{
    request.headers[request.header_count++] = (struct http_header){name, value};
}

// Decides a read; `known` is the coding in which the client has the answer, "" if it has not.
static enum error
decide(const char *accept_encoding, const char *known)
{
    struct acceptance acceptance;
    bool is_known = false;
    enum content_coding coding;
    content_coding_accept(accept_encoding, &acceptance);
    cr_assert_eq(entity_tags_take(&request, message), OK);
    enum error error = entity_tags_decide(message->params, &etag, &acceptance, &is_known, &coding);
    cr_expect_str_eq(is_known ? content_coding_name(coding) : "", known);
    return error;
}

Test(entity_tags, several_fields_are_one_list)
{
    add_header("If-Match", "\"a\"");
    add_header("if-match", "\"b\"");
    cr_assert_eq(entity_tags_take(&request, message), OK);
    cr_assert_str_eq(text_chars(message->params->if_match), "\"a\", \"b\"");
    cr_assert_not(record_has(&message->params->base, PARAMS_IF_NONE_MATCH));
}

Test(entity_tags, what_is_no_list_is_refused)
{
    add_header("If-None-Match", "abc");
    cr_assert_eq(entity_tags_take(&request, message), ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->detail,
                     "If-None-Match must be * or entity tags in double quotes");
}

Test(entity_tags, unconditional_read_is_answered)
{
    cr_assert_eq(decide(NULL, ""), OK);
}

Test(entity_tags, known_state_is_known)
{
    add_header("If-None-Match", "\"x\", W/\"" HASH "\"");
    cr_assert_eq(decide(NULL, "identity"), OK);
}

Test(entity_tags, star_knows_every_state)
{
    add_header("If-None-Match", "*");
    cr_assert_eq(decide(NULL, "identity"), OK);
}

Test(entity_tags, other_state_is_not_known)
{
    add_header("If-None-Match", "\"x\"");
    cr_assert_eq(decide(NULL, ""), OK);
}

Test(entity_tags, state_is_known_in_a_coding_that_the_client_takes)
{
    add_header("If-None-Match", "\"" HASH "-gzip\"");
    cr_assert_eq(decide("gzip", "gzip"), OK);
}

Test(entity_tags, state_is_not_known_in_a_coding_that_the_client_does_not_take)
{
    add_header("If-None-Match", "\"" HASH "-gzip\"");
    cr_assert_eq(decide(NULL, ""), OK);
}

Test(entity_tags, state_is_not_known_in_no_coding_where_identity_is_refused)
{
    add_header("If-None-Match", "\"" HASH "\"");
    cr_assert_eq(decide("gzip, identity;q=0", ""), OK);
}

Test(entity_tags, state_is_not_known_in_a_coding_that_there_is_not)
{
    add_header("If-None-Match", "\"" HASH "-br\"");
    cr_assert_eq(decide("br, *", ""), OK);
}

Test(entity_tags, read_of_another_state_fails)
{
    add_header("If-Match", "\"x\"");
    cr_assert_eq(decide(NULL, ""), ERR_PRECONDITION);
}

Test(entity_tags, weak_tag_matches_no_state)
{
    add_header("If-Match", "W/\"" HASH "\"");
    cr_assert_eq(decide(NULL, ""), ERR_PRECONDITION);
}

Test(entity_tags, if_match_comes_first)
{
    add_header("If-Match", "\"" HASH "-gzip\"");
    add_header("If-None-Match", "\"" HASH "\"");
    cr_assert_eq(decide(NULL, "identity"), OK);
}

Test(entity_tags, state_is_known_in_the_axes_that_it_is_asked_in)
{
    etag.variant = "unity";
    add_header("If-None-Match", "\"" HASH "\", \"" HASH "-unity-gzip\"");
    cr_assert_eq(decide("gzip", "gzip"), OK);
}

Test(entity_tags, state_is_not_known_in_other_axes)
{
    etag.variant = "unity";
    add_header("If-None-Match", "\"" HASH "\", \"" HASH "-ros\"");
    cr_assert_eq(decide(NULL, ""), OK);
}
