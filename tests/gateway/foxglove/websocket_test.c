// websocket_test.c - frames of a client, and those of the server, byte by byte.
#include "gateway/foxglove/websocket.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct websocket_reader reader;
static struct websocket_message message;
static struct buffer out;

static void
begin(void)
{
    reader = (struct websocket_reader){0};
    out = (struct buffer){0};
}

static void
finish(void)
{
    websocket_finish(&reader);
    buffer_finish(&out);
}

TestSuite(websocket, .init = begin, .fini = finish);

// Reads all of it; true if the last thing that came whole is `message`.
static bool
read_all(const void *bytes, size_t size)
{
    const char *data = bytes;
    bool has_come = false;
    while (size && websocket_read(&reader, &data, &size, &message))
        has_come = true;
    return has_come;
}

#define READ(bytes) read_all(bytes, sizeof(bytes) - 1)

// RFC 6455, 5.7: a single-frame masked text message.
static const char hello[] = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";

Test(websocket, the_example_of_the_standard_is_hello)
{
    cr_assert(READ(hello));
    cr_assert_eq(message.opcode, WEBSOCKET_TEXT);
    cr_assert_eq(message.size, 5);
    cr_assert_arr_eq(message.data, "Hello", 5);
}

Test(websocket, bytes_may_come_one_by_one)
{
    for (size_t i = 0; i < sizeof hello - 2; i++)
        cr_assert_not(read_all(hello + i, 1));
    cr_assert(read_all(hello + sizeof hello - 2, 1));
    cr_assert_arr_eq(message.data, "Hello", 5);
}

Test(websocket, a_ping_stands_between_the_frames_of_a_message)
{
    cr_assert_not(READ("\x01\x82\0\0\0\0He"));
    cr_assert(READ("\x89\x81\0\0\0\0p"));
    cr_assert_eq(message.opcode, WEBSOCKET_PING);
    cr_assert_arr_eq(message.data, "p", 1);
    cr_assert(READ("\x80\x83\0\0\0\0llo"));
    cr_assert_eq(message.opcode, WEBSOCKET_TEXT);
    cr_assert_arr_eq(message.data, "Hello", 5);
}

static enum websocket_status
status_of(const void *bytes, size_t size)
{
    begin();
    cr_assert_not(read_all(bytes, size));
    websocket_finish(&reader);
    return reader.broken;
}

#define STATUS(bytes) status_of(bytes, sizeof(bytes) - 1)

Test(websocket, what_breaks_a_rule_is_named)
{
    cr_assert_eq(STATUS("\x81\x01x"), WEBSOCKET_PROTOCOL_ERROR, "no mask");
    cr_assert_eq(STATUS("\xc1\x81"), WEBSOCKET_PROTOCOL_ERROR, "an extension");
    cr_assert_eq(STATUS("\x83\x80"), WEBSOCKET_PROTOCOL_ERROR, "an unknown opcode");
    cr_assert_eq(STATUS("\x80\x80"), WEBSOCKET_PROTOCOL_ERROR, "goes on with nothing");
    cr_assert_eq(STATUS("\x01\x80\0\0\0\0\x81\x80"), WEBSOCKET_PROTOCOL_ERROR, "begins amid");
    cr_assert_eq(STATUS("\x09\x80"), WEBSOCKET_PROTOCOL_ERROR, "a ping in parts");
    cr_assert_eq(STATUS("\x89\xfe"), WEBSOCKET_PROTOCOL_ERROR, "a large ping");
    cr_assert_eq(STATUS("\x81\xff\x80\0\0\0\0\0\0\0\0\0\0\0"), WEBSOCKET_TOO_LARGE, "2^63");
    cr_assert_eq(STATUS("\x81\xff\0\0\0\0\0\1\0\1\0\0\0\0"), WEBSOCKET_TOO_LARGE, "65537");
    cr_assert_eq(STATUS("\x81\x81\0\0\0\0\xff"), WEBSOCKET_NOT_UTF8, "no UTF-8");
}

Test(websocket, a_message_has_four_frames_at_most)
{
    cr_assert_not(READ("\x01\x80\0\0\0\0\0\x80\0\0\0\0\0\x80\0\0\0\0"));
    cr_assert_not(READ("\0\x80\0\0\0\0"));
    cr_assert_eq(reader.broken, WEBSOCKET_FINE);
    cr_assert_not(READ("\x80\x80\0\0\0\0"));
    cr_assert_eq(reader.broken, WEBSOCKET_TOO_LARGE);
}

Test(websocket, memory_is_taken_for_what_has_come)
{
    cr_assert_not(READ("\x82\xff\0\0\0\0\0\1\0\0\0\0\0\0xy")); // 64 KiB are announced
    cr_assert_leq(reader.message.capacity, 4096);
}

// The head of a frame of the server with so many bytes of payload.
static size_t
head_size(size_t size)
{
    char *payload = calloc(1, size + 1);
    buffer_clear(&out);
    buffer_put_char(&out, '!'); // something before it
    websocket_put(&out, WEBSOCKET_BINARY, payload, size);
    cr_assert_eq(out.data[0], '!');
    cr_assert_eq((unsigned char)out.data[1], 0x82);
    free(payload);
    return out.size - 1 - size;
}

Test(websocket, the_server_says_sizes_in_the_shortest_form)
{
    cr_assert_eq(head_size(0), 2);
    cr_assert_eq(head_size(125), 2);
    cr_assert_eq(head_size(126), 4);
    cr_assert_eq(out.data[2], 126);
    cr_assert_eq(out.data[4], 126);
    cr_assert_eq(head_size(65535), 4);
    cr_assert_eq(head_size(65536), 10);
    cr_assert_arr_eq(out.data + 2, "\x7f\0\0\0\0\0\1\0\0", 9);
}
