// feed_packed.h - the packed UDP form: many changes in one msgpack datagram. Pure: from
// changes to bytes and back.
//
//   [1, epoch, prev, seq, count, [[msg_type, key, fields], ...]]
//
// Where the device asked for it (`keys=index`), a change is [msg_type, key, fields, index], and
// then [msg_type, index, fields]: the index is the seq of a change of the entity.
//
// A datagram is of one scene. It holds the changes with prev < number <= seq that newest wins left;
// a datagram with prev = seq only repeats. `fields` is a map from the numbers of fields (enum
// object_field, enum property_field: append-only, since stored maps use them) to values: only the
// members that changed since the last datagram of that entity. A text, list or number that was
// removed is "", [] or nil. A transform is one bin (transform_bytes.h), also in a keyframe; other
// nested records are maps from the numbers of their fields. The golden packets of
// proto/feed/README.md and tests/golden/packed.jsonl fix the bytes.
#ifndef DIORAMA_PROTO_FEED_FEED_PACKED_H
#define DIORAMA_PROTO_FEED_FEED_PACKED_H

#include "proto/base/buffer.h"
#include "proto/codec/json_text.h"
#include "proto/feed/event.h"

enum {
    PACKED_DATAGRAM_BYTES = 1200, // IP does not fragment it
    PACKED_VERSION = 1,
    PACKED_TRUNCATED = 63, // a number that no field has: true if members are missing
};

// A datagram that is being filled. Embedded; all zero is an empty one; ends by feed_packed_finish.
struct feed_packed {
    struct buffer changes; // encoded, without the header of the array
    struct buffer change;  // the change that is tried
    uint32_t count;
    uint32_t reserve; // bytes of each datagram that are kept free: a seal goes around it
};

void feed_packed_finish(struct feed_packed *self);

// Bits (by schema field id) of the members in which two records differ; both are objects or both
// properties. `before` NULL: all members that are present. Members that the packed form does not
// show never differ, nor do actions.
uint64_t feed_packed_difference(const struct record *before, const struct record *after);

// Adds a change with these members of the event's record. A delete has only its key; an event of
// actions or keyframes also has all actions of its entity. False if the datagram is full: close it
// and add the change to the next one. A change that is too large for any datagram leaves out the
// members that alone are too large, then its actions, its assets, texts and values until it fits,
// and says so by PACKED_TRUNCATED.
bool feed_packed_add(struct feed_packed *self, const struct event *event, uint64_t members);

// How a change names its entity.
struct packed_name {
    uint64_t index; // 0: by its key alone
    bool has_key;   // by key and index; else by the index alone
};

// The same with an index.
bool feed_packed_add_named(struct feed_packed *self, const struct event *event, uint64_t members,
                           const struct packed_name *name);

// Writes the datagram over `out` and empties `self`.
void feed_packed_close(struct feed_packed *self, uint64_t epoch, uint64_t prev, uint64_t seq,
                       struct buffer *out);

// A datagram that was read.
struct feed_packed_datagram {
    uint64_t epoch, prev, seq;
    // An array of {"msg_type":…,"key":…} with the members that were sent, by their names in JSON:
    // null if they were removed; "truncated":true if some are missing. "index" stands beside "key"
    // or in its place where the datagram has it.
    const struct json *changes;
};

// Reads a datagram. What a later version may add (fields, items after those above) is skipped. No
// allocation is larger than 64 KiB. Fails with ERR_MALFORMED.
fallible feed_packed_read(struct arena *arena, const void *data, size_t size,
                          struct feed_packed_datagram *ret_datagram);

#endif
