// feed_packed.h - the packed UDP form: many changes in one msgpack datagram (live-feed, "UDP out,
// packed form"). Pure: from changes to bytes and back.
//
//   [1, epoch, prev, seq, count, [[msg_type, key, fields], ...]]
//
// The datagram holds what was left of the changes with prev < number <= seq when newest had won;
// one with prev = seq only repeats. `fields` is a map from short numbers (enum packed_field) to
// values: only the members that changed since the last datagram of that thing. The bytes are fixed
// by the golden packets of proto/README.md and tests/proto/feed_packed_test.c.
#ifndef DIORAMA_PROTO_FEED_PACKED_H
#define DIORAMA_PROTO_FEED_PACKED_H

#include "proto/base/buffer.h"
#include "proto/event.h"

enum {
    PACKED_DATAGRAM_BYTES = 1200, // no fragmentation of IP
    PACKED_VERSION = 1,
};

// A datagram that is being filled. Embedded; finish by packed_finish.
struct packed {
    struct buffer changes; // encoded, without the array's header
    struct buffer change;  // the one that is tried
    uint32_t count;
};

void packed_finish(struct packed *self);

// Bits of the members (by schema field id) in which two frozen records of one schema differ;
// `before` NULL = all that are present. What the packed form does not show never differs.
uint64_t packed_difference(const struct record *before, const struct record *after);

// Adds a change with these members of the event's record. A delete has its key alone. False where
// the datagram is full: close it, start over, add it there. A change that is too large for any
// datagram loses its largest members (`assets`, texts) and says so by PACKED_TRUNCATED.
bool packed_add(struct packed *self, const struct event *event, uint64_t members);

// Writes the datagram over `out` and empties `self`.
void packed_close(struct packed *self, uint64_t epoch, uint64_t prev, uint64_t seq,
                  struct buffer *out);

#endif
