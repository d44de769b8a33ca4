// opentrackio_header.c - reads and writes the header of a packet (opentrackio_header.h).
#include "proto/feed/opentrackio_header.h"

#include <string.h>

static const char identifier[4] = {'O', 'T', 'r', 'k'};

enum {
    ENCODING_AT = 5,
    SEQUENCE_AT = 6,
    OFFSET_AT = 8,
    LENGTH_AT = 12,
    CHECKSUM_AT = 14,
    LAST_BIT = 0x8000,
};

static uint16_t
get16(const char *data)
{
    return (uint16_t)((uint8_t)data[0] << 8 | (uint8_t)data[1]);
}

static void
put16(char *data, unsigned value)
{
    data[0] = (char)(value >> 8);
    data[1] = (char)value;
}

// Sums of 32 bits end like those modulo 256, however often they overflow.
static void
add_to_sums(const char *data, size_t size, uint32_t *low, uint32_t *high)
{
    uint32_t first = *low, second = *high;
    for (size_t i = 0; i < size; i++) {
        first += (uint8_t)data[i];
        second += first;
    }
    *low = first;
    *high = second;
}

uint16_t
opentrackio_checksum(const char *header, const char *segment, size_t size)
{
    uint32_t low = 0, high = 0;
    add_to_sums(header, CHECKSUM_AT, &low, &high);
    add_to_sums(segment, size, &low, &high);
    return (uint16_t)((high & 0xff) << 8 | (low & 0xff));
}

enum opentrackio_fault
opentrackio_header_read(const char *data, size_t size, struct opentrackio_header *ret_header)
{
    if (size <= OPENTRACKIO_HEADER_BYTES || memcmp(data, identifier, sizeof identifier) != 0)
        return OPENTRACKIO_NO_PACKET;
    unsigned length = get16(data + LENGTH_AT);
    struct opentrackio_header header = {
        .encoding = (enum opentrackio_encoding)(uint8_t)data[ENCODING_AT],
        .sequence = get16(data + SEQUENCE_AT),
        .offset = (uint32_t)get16(data + OFFSET_AT) << 16 | get16(data + OFFSET_AT + 2),
        .size = (uint16_t)(length & OPENTRACKIO_SEGMENT_BYTES),
        .is_last = (length & LAST_BIT) != 0,
    };
    if (header.size != size - OPENTRACKIO_HEADER_BYTES ||
        (header.encoding != OPENTRACKIO_JSON && header.encoding != OPENTRACKIO_CBOR))
        return OPENTRACKIO_NO_PACKET;
    if (opentrackio_checksum(data, data + OPENTRACKIO_HEADER_BYTES, header.size) !=
        get16(data + CHECKSUM_AT))
        return OPENTRACKIO_CHECKSUM;
    *ret_header = header;
    return OPENTRACKIO_GOOD;
}

void
opentrackio_header_write(const struct opentrackio_header *header, char *packet)
{
    memset(packet, 0, OPENTRACKIO_HEADER_BYTES);
    memcpy(packet, identifier, sizeof identifier);
    packet[ENCODING_AT] = (char)header->encoding;
    put16(packet + SEQUENCE_AT, header->sequence);
    put16(packet + OFFSET_AT, header->offset >> 16);
    put16(packet + OFFSET_AT + 2, header->offset & 0xffff);
    put16(packet + LENGTH_AT, (header->is_last ? LAST_BIT : 0u) | header->size);
    put16(packet + CHECKSUM_AT,
          opentrackio_checksum(packet, packet + OPENTRACKIO_HEADER_BYTES, header->size));
}
