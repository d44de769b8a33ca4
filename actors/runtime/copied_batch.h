// copied_batch.h - what another server has committed, and this one has stored already, on its way
// to the actor whose records it changes: the parcel of COPY_NEED and COPY_APPLY. The writes stand
// in the order in which they were committed. An actor passes over what it keeps no record of.
#ifndef DIORAMA_ACTORS_RUNTIME_COPIED_BATCH_H
#define DIORAMA_ACTORS_RUNTIME_COPIED_BATCH_H

#include "proto/base/arena.h"
#include "proto/message/message.h"
#include "store/key.h"

struct copied_write {
    key_tag_t tag;
    uint16_t part;
    bool is_delete;
    struct bytes key, value; // of the store; in the arena of the batch
};

struct copied_batch {
    struct parcel base;
    struct arena arena;
    size_t count, capacity;
    struct copied_write *writes;
};

struct copied_batch *copied_batch_create(void);

// Copies the operation, whose key is not empty. The write is valid until the next one is added, its
// bytes as long as the batch.
const struct copied_write *copied_batch_add(struct copied_batch *self,
                                            const struct store_operation *operation);

static inline const struct copied_batch *
copied_batch_of(const struct message *message)
{
    return (const struct copied_batch *)(const void *)message->parcel;
}

// The record that a put wrote, one reference, yours. Fails with ERR_INTERNAL, which is logged,
// where it cannot be read.
fallible copied_write_record(const struct copied_write *self, const struct schema *schema,
                             const frozen_t **ret_record);

#endif
