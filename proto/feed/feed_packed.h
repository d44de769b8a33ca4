// feed_packed.h - the packed UDP form: many changes in one msgpack datagram (live-feed, "UDP out,
// packed form"). Pure: from changes to bytes and back.
//
//   [1, epoch, prev, seq, count, [[msg_type, key, fields], ...]]
//
// A datagram is of one scene. It holds what was left of the changes with prev < number <= seq when
// newest had won; one with prev = seq only repeats. `fields` is a map from the numbers of fields
// (enum object_field, enum property_field: append-only, as stored maps use them) to values: only
// those that changed since the last datagram of that entity. A text, list or number that went is
// "",
// [] or nil. A transform is one bin (transform_bytes.h), also in a keyframe; other nested records
// are maps from the numbers of their fields. The bytes are fixed by the golden packets of
// proto/README.md and tests/proto/feed_packed_test.c.
#ifndef DIORAMA_PROTO_FEED_FEED_PACKED_H
#define DIORAMA_PROTO_FEED_FEED_PACKED_H

#include "proto/base/buffer.h"
#include "proto/codec/json_text.h"
#include "proto/feed/event.h"

enum {
    PACKED_DATAGRAM_BYTES = 1200, // no fragmentation of IP
    PACKED_VERSION = 1,
    PACKED_TRUNCATED = 63, // in `fields`, which has no field of that number: true, some are missing
};

// A datagram that is being filled. Embedded; all zero is an empty one; finish by
// feed_packed_finish.
struct feed_packed {
    struct buffer changes; // encoded, without the array's header
    struct buffer change;  // the one that is tried
    uint32_t count;
};

void feed_packed_finish(struct feed_packed *self);

// Bits of the members (by schema field id) in which two records of one schema, objects or
// properties, differ; `before` NULL = all that are present. What the packed form does not show, and
// actions, never differ.
uint64_t feed_packed_difference(const struct record *before, const struct record *after);

// Adds a change with these members of the event's record. A delete has its key alone; an event of
// actions or keyframes has all actions of its entity too. False where the datagram is full: close
// it, start over, add it there. A change that is too large for any datagram loses what alone is too
// large, then its actions, its assets, texts and values until it fits, and says so by
// PACKED_TRUNCATED.
bool feed_packed_add(struct feed_packed *self, const struct event *event, uint64_t members);

// Writes the datagram over `out` and empties `self`.
void feed_packed_close(struct feed_packed *self, uint64_t epoch, uint64_t prev, uint64_t seq,
                       struct buffer *out);

// A datagram that was read.
struct feed_packed_datagram {
    uint64_t epoch, prev, seq;
    // Array of {"msg_type":…,"key":…} and, by their names in JSON, the members that were sent: null
    // where they went; "truncated":true where some are missing.
    const struct json *changes;
};

// Reads a datagram. What a later version may add (fields, items behind those above) is skipped. No
// allocation is larger than 64 KiB. Fails with ERR_MALFORMED.
fallible feed_packed_read(struct arena *arena, const void *data, size_t size,
                          struct feed_packed_datagram *ret_datagram);

#endif
