// compressor_test.c - compressed bodies, read back with the decoders of the libraries.
#include "gateway/http/compressor.h"

#include <criterion/criterion.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 64, SIZE = 100000 };

static compressor_t *compressor;
static struct buffer body, out;
static char back[SIZE];

static void
start(void)
{
    compressor = compressor_create();
    buffer_reserve(&body, ROOM);
    memset(body.data, 'r', ROOM);
    body.size = ROOM;
}

static void
finish(void)
{
    compressor_destroy(&compressor);
    buffer_finish(&body);
    buffer_finish(&out);
}

TestSuite(compress, .init = start, .fini = finish);

static void
fill_with_json(void)
{
    for (int i = 0; body.size < ROOM + SIZE - 64; i++)
        buffer_put_format(&body, "{\"key\":\"%08x\",\"x\":%d.5},", (unsigned)i * 2654435761u, i);
}

// What xorshift makes: nothing can make it smaller.
static void
fill_with_noise(size_t size)
{
    uint64_t state = 88172645463325252u;
    while (body.size < ROOM + size) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        buffer_put_char(&body, (char)state);
    }
}

static size_t
unzip(void)
{
    z_stream stream = {.next_in = (Bytef *)out.data + ROOM,
                       .avail_in = (uInt)(out.size - ROOM),
                       .next_out = (Bytef *)back,
                       .avail_out = SIZE};
    cr_assert_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    cr_assert_eq(stream.avail_in, 0);
    inflateEnd(&stream);
    return stream.total_out;
}

static void
assert_is_body(size_t size)
{
    cr_assert_eq(size, body.size - ROOM);
    cr_assert_eq(memcmp(back, body.data + ROOM, size), 0);
}

Test(compress, gzip_reads_back)
{
    fill_with_json();
    for (int i = 0; i < 3; i++) { // the second time with the workspace of the first
        cr_assert(compressor_run(compressor, CONTENT_CODING_GZIP, false, &body, ROOM, &out));
        cr_assert_lt(out.size - ROOM, (body.size - ROOM) / 2);
        assert_is_body(unzip());
    }
}

Test(compress, zstd_reads_back)
{
    fill_with_json();
    for (int i = 0; i < 3; i++) {
        cr_assert(compressor_run(compressor, CONTENT_CODING_ZSTD, false, &body, ROOM, &out));
        cr_assert_lt(out.size - ROOM, (body.size - ROOM) / 2);
        assert_is_body(ZSTD_decompress(back, SIZE, out.data + ROOM, out.size - ROOM));
    }
}

Test(compress, what_does_not_pay_is_left_alone)
{
    fill_with_noise(5000);
    cr_assert_not(compressor_run(compressor, CONTENT_CODING_GZIP, false, &body, ROOM, &out));
    cr_assert_not(compressor_run(compressor, CONTENT_CODING_ZSTD, false, &body, ROOM, &out));
}

Test(compress, what_does_not_pay_is_coded_where_it_must_be)
{
    fill_with_noise(5000);
    cr_assert(compressor_run(compressor, CONTENT_CODING_GZIP, true, &body, ROOM, &out));
    assert_is_body(unzip());
    cr_assert(compressor_run(compressor, CONTENT_CODING_ZSTD, true, &body, ROOM, &out));
    assert_is_body(ZSTD_decompress(back, SIZE, out.data + ROOM, out.size - ROOM));
}

Test(compress, same_body_gives_same_bytes)
{
    struct buffer first = {0};
    fill_with_json();
    cr_assert(compressor_run(compressor, CONTENT_CODING_GZIP, false, &body, ROOM, &first));
    cr_assert(compressor_run(compressor, CONTENT_CODING_GZIP, false, &body, ROOM, &out));
    cr_assert_eq(first.size, out.size);
    cr_assert_eq(memcmp(first.data + ROOM, out.data + ROOM, out.size - ROOM), 0);
    buffer_finish(&first);
}
