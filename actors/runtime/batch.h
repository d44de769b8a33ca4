// batch.h - the writes of one commit on their way from an actor to its committer and back.
// Records travel as references and are encoded on the committer's thread; keys and values stand one
// after the other, as a commit of thousands is made in one turn.
#ifndef DIORAMA_ACTORS_RUNTIME_BATCH_H
#define DIORAMA_ACTORS_RUNTIME_BATCH_H

#include "proto/base/buffer.h"
#include "proto/message/message.h"
#include "store/key.h"

// One put or delete. A put has a record or a small value (batch_key, batch_value).
struct write {
    const frozen_t *record; // one reference, or NULL
    uint32_t key, value;    // where they begin in the bytes of the batch
    uint8_t key_size, value_size;
    uint16_t part;
    bool is_delete;
};

// The parcel of COMMIT and COMMITTED.
struct batch {
    struct parcel base;
    enum family family;
    size_t count;
    size_t beside;       // of them, those that go with records: they take no room that is asked for
    size_t beside_bytes; // of their keys, and of values at first
    size_t capacity;
    struct write *writes;
    struct buffer bytes;      // of keys and values
    struct key marker;        // the record that tells whether an UNKNOWN commit was written
    enum store_result result; // of the commit
};

struct batch *batch_create(enum family family);
void batch_destroy(struct batch **self);

void batch_put_record(struct batch *self, uint16_t part, struct key key, const frozen_t *record);
void batch_put_value(struct batch *self, uint16_t part, struct key key, struct key value);
void batch_delete(struct batch *self, uint16_t part, struct key key);
// Puts a value, or deletes where it is NULL. Where the write at `*place` is an earlier one of the
// same key, it takes its place, so that what changes often is written once; else it is added, and
// `*place` tells where.
void batch_put_newest(struct batch *self, size_t *place, uint16_t part, struct key key,
                      const struct key *value);

// Puts an empty value, or deletes: an index record, which goes with a write of a record.
void batch_write_beside(struct batch *self, uint16_t part, struct key key, bool is_delete);

// They stand until the next write is added.
static inline struct bytes
batch_key(const struct batch *self, const struct write *write)
{
    return (struct bytes){self->bytes.data + write->key, write->key_size};
}

static inline struct bytes
batch_value(const struct batch *self, const struct write *write)
{
    return (struct bytes){self->bytes.data + write->value, write->value_size};
}

// batch_put_newest of what goes with a write of a record.
void batch_put_newest_beside(struct batch *self, size_t *place, uint16_t part, struct key key,
                             const struct key *value);

static inline struct batch *
batch_of(struct message *message)
{
    return (struct batch *)(void *)message->parcel;
}

#endif
