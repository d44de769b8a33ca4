// opentrackio_header.h - the 16 bytes before each packet of OpenTrackIO 1.0 ("Packet Header" of the
// SMPTE RIS OSVP documentation of the protocol). Pure: any thread.
//
//   0  "OTrk"
//   4  reserved, ignored
//   5  encoding: 1 JSON, 2 CBOR
//   6  sequence number, big-endian as the others
//   8  offset of this segment in the sample
//   12 bit 15: the last segment; bits 0 to 14: bytes of this segment
//   14 Fletcher-16, modulo 256, of bytes 0 to 13 and the segment
#ifndef DIORAMA_PROTO_FEED_OPENTRACKIO_HEADER_H
#define DIORAMA_PROTO_FEED_OPENTRACKIO_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPENTRACKIO_HEADER_BYTES = 16,
    OPENTRACKIO_SEGMENT_BYTES = 0x7fff, // the most that the header can say
    OPENTRACKIO_PORT = 55555,           // where nothing else is said
};

enum opentrackio_encoding { OPENTRACKIO_JSON = 1, OPENTRACKIO_CBOR = 2 };

struct opentrackio_header {
    enum opentrackio_encoding encoding;
    uint16_t sequence;
    uint32_t offset;
    uint16_t size; // of the segment, which follows the header
    bool is_last;
};

enum opentrackio_fault {
    OPENTRACKIO_GOOD,
    OPENTRACKIO_NO_PACKET, // other bytes, an unknown encoding, or a length that lies
    OPENTRACKIO_CHECKSUM,
};

// Reads the header of a datagram, which must have exactly the bytes that the header says.
enum opentrackio_fault opentrackio_header_read(const char *data, size_t size,
                                               struct opentrackio_header *ret_header);

// Writes the header of the segment of header->size bytes that stands behind its place.
void opentrackio_header_write(const struct opentrackio_header *header, char *packet);

// The sums of the standard's reference code: modulo 256, where the textbook has 255.
uint16_t opentrackio_checksum(const char *header, const char *segment, size_t size);

#endif
