// opentrackio_header_test.c - headers as the reference code of the standard writes them, and what
// is no packet.
#include "proto/feed/opentrackio_header.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/hex.h"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(opentrackio_header, .fini = end);

// Made by the reference code (camdkit, opentrackio_sender.py) of the payload {}, number 0x1234.
#define JSON_PACKET "4f54726b0001123400000000800293417b7d"
// The same of three bytes ff in the middle of a CBOR sample, number 0xffff, at 0x12345.
#define CBOR_PACKET "4f54726b0002ffff000123450003abe9ffffff"

static enum opentrackio_fault
read_hex(const char *hex, struct opentrackio_header *ret_header)
{
    size_t size;
    const char *bytes = hex_bytes(&arena, hex, &size);
    return opentrackio_header_read(bytes, size, ret_header);
}

static void
write_is(const struct opentrackio_header *header, const char *segment, const char *hex)
{
    struct buffer out = {0};
    buffer_reserve(&out, OPENTRACKIO_HEADER_BYTES);
    out.size = OPENTRACKIO_HEADER_BYTES;
    buffer_put(&out, segment, header->size);
    opentrackio_header_write(header, out.data);
    hex_expect(&out, hex);
    buffer_finish(&out);
}

Test(opentrackio_header, a_packet_of_the_reference_code_is_read)
{
    struct opentrackio_header header;
    cr_assert_eq(read_hex(JSON_PACKET, &header), OPENTRACKIO_GOOD);
    cr_expect_eq(header.encoding, OPENTRACKIO_JSON);
    cr_expect_eq(header.sequence, 0x1234);
    cr_expect_eq(header.offset, 0);
    cr_expect_eq(header.size, 2);
    cr_expect(header.is_last);
}

Test(opentrackio_header, a_segment_says_where_it_stands)
{
    struct opentrackio_header header;
    cr_assert_eq(read_hex(CBOR_PACKET, &header), OPENTRACKIO_GOOD);
    cr_expect_eq(header.encoding, OPENTRACKIO_CBOR);
    cr_expect_eq(header.sequence, 0xffff);
    cr_expect_eq(header.offset, 0x12345);
    cr_expect_eq(header.size, 3);
    cr_expect(!header.is_last);
}

Test(opentrackio_header, what_is_written_are_the_bytes_of_the_reference_code)
{
    write_is(&(struct opentrackio_header){OPENTRACKIO_JSON, 0x1234, 0, 2, true}, "{}", JSON_PACKET);
    write_is(&(struct opentrackio_header){OPENTRACKIO_CBOR, 0xffff, 0x12345, 3, false},
             "\xff\xff\xff", CBOR_PACKET);
}

// Modulo 255 a byte of 255 counts for nothing.
Test(opentrackio_header, the_sums_are_modulo_256)
{
    char bytes[300];
    memset(bytes, 0xff, sizeof bytes);
    cr_assert_eq(opentrackio_checksum(bytes, bytes + 14, sizeof bytes - 14), 0xa2d4);
}

Test(opentrackio_header, the_reserved_byte_is_ignored_but_summed)
{
    struct opentrackio_header header;
    size_t size;
    char bytes[18];
    memcpy(bytes, hex_bytes(&arena, JSON_PACKET, &size), sizeof bytes);
    bytes[4] = 1;
    cr_assert_eq(opentrackio_header_read(bytes, size, &header), OPENTRACKIO_CHECKSUM);
    uint16_t sum = opentrackio_checksum(bytes, bytes + 16, 2);
    bytes[14] = (char)(sum >> 8);
    bytes[15] = (char)sum;
    cr_assert_eq(opentrackio_header_read(bytes, size, &header), OPENTRACKIO_GOOD);
}

Test(opentrackio_header, each_changed_byte_is_noticed)
{
    struct opentrackio_header header;
    size_t size;
    const char *good = hex_bytes(&arena, JSON_PACKET, &size);
    for (size_t at = 0; at < size; at++) {
        char bytes[18];
        memcpy(bytes, good, size);
        bytes[at] = (char)(bytes[at] ^ 0x40);
        cr_expect_neq(opentrackio_header_read(bytes, size, &header), OPENTRACKIO_GOOD, "%zu", at);
    }
}

Test(opentrackio_header, what_is_no_packet_is_told_from_a_wrong_sum)
{
    static const char *const rows[] = {
        "",
        "4f54726b",
        "4f54726b0001123400000000800093",         // cut in the header
        "4f54726b00011234000000008000913f",       // nothing behind it
        "4f54726b0001123400000000800293417b",     // less than it says
        "4f54726b0001123400000000800293417b7d7d", // more than it says
        "4f54726b0000123400000000800293417b7d",   // encodings that are none
        "4f54726b0003123400000000800293417b7d",
        "4f54726b0080123400000000800293417b7d",
        "6f54726b0001123400000000800293417b7d", // another protocol
    };
    struct opentrackio_header header;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(read_hex(rows[i], &header), OPENTRACKIO_NO_PACKET, "%s", rows[i]);
    cr_expect_eq(read_hex("4f54726b0001123400000000800293427b7d", &header), OPENTRACKIO_CHECKSUM);
}
