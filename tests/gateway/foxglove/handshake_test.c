// handshake_test.c - requests that open a WebSocket, and those that do not.
#include "gateway/foxglove/handshake.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct arena arena;
static struct handshake asked;
static char head[HANDSHAKE_BYTES];

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(handshake, .fini = finish);

// RFC 6455, 1.3: this key, and what answers it.
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define UPGRADE "Host: localhost\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"
#define OURS "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n"

static enum error
read_head(const char *line, const char *fields)
{
    int size = snprintf(head, sizeof head, "%s\r\n%s\r\n", line, fields);
    cr_assert_eq(handshake_head_size(head, (size_t)size), (size_t)size);
    return handshake_read(&arena, head, (size_t)size, &asked);
}

Test(handshake, the_key_of_the_standard_has_its_answer)
{
    cr_assert_eq(read_head("GET /hall HTTP/1.1", UPGRADE VERSION KEY OURS), OK);
    cr_assert_str_eq(asked.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    cr_assert_str_eq(asked.protocol, "foxglove.websocket.v1");
    cr_assert(text_is(asked.scene, "hall"));
    cr_assert_null(asked.bearer);
}

Test(handshake, the_root_is_all_scenes_and_keys_are_decoded)
{
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS), OK);
    cr_assert_null(asked.scene);
    cr_assert_eq(read_head("GET /a%20b%2Fc HTTP/1.1", UPGRADE VERSION KEY OURS), OK);
    cr_assert(text_is(asked.scene, "a b/c"));
}

Test(handshake, the_newer_sub_protocol_is_preferred)
{
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS
                           "Sec-WebSocket-Protocol: chat, foxglove.sdk.v1\r\n"),
                 OK);
    cr_assert_str_eq(asked.protocol, "foxglove.sdk.v1");
}

Test(handshake, a_token_of_the_query_string_becomes_the_authorization)
{
    cr_assert_eq(read_head("GET /?a=b&token=x%2By&c=d HTTP/1.1", UPGRADE VERSION KEY OURS), OK);
    cr_assert_str_eq(http_header(&asked.request, "Authorization"), "Bearer x+y");
    cr_assert_str_eq(asked.request.query, "");
}

Test(handshake, what_is_no_request_for_a_websocket_is_refused)
{
    cr_assert_eq(read_head("POST / HTTP/1.1", UPGRADE VERSION KEY OURS), ERR_METHOD);
    cr_assert_eq(read_head("GET / HTTP/1.0", UPGRADE VERSION KEY OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("GET  HTTP/1.1", UPGRADE VERSION KEY OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("", ""), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", VERSION KEY OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE KEY OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY KEY OURS), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY), ERR_INVALID);
    cr_assert_eq(read_head("GET /a/b HTTP/1.1", UPGRADE VERSION KEY OURS), ERR_NOT_FOUND);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS "no field\r\n"),
                 ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS "A : b\r\n"), ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS "A: \x01\r\n"),
                 ERR_MALFORMED);
    cr_assert_eq(read_head("GET / HTTP/1.1", UPGRADE VERSION KEY OURS "A: b\nB: c\r\n"),
                 ERR_MALFORMED);
}

Test(handshake, a_head_that_has_not_all_come_has_no_size)
{
    cr_assert_eq(handshake_head_size("GET / HTTP/1.1\r\n", 16), 0);
    cr_assert_eq(handshake_head_size("\r\n\r", 3), 0);
}
