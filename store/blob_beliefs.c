// blob_beliefs.c - a slot for each beginning of a hash; who comes later takes it (blob_beliefs.h).
#include "store/blob_beliefs.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"

// Of blob and stamp 64 bits each: two that have the same ones are a matter of chance.
struct blob_belief {
    uint64_t name, stamp;
    uint64_t until_ms;
};

static uint64_t
name_of(const struct blob_hash *hash)
{
    uint64_t name;
    memcpy(&name, hash->bytes + sizeof name, sizeof name); // the slot has what is before
    return name;
}

static uint64_t
print_of(const struct blob_stamp *stamp)
{
    uint64_t print = table_hash_u64((uint64_t)stamp->inode);
    print = table_hash_u64(print + (uint64_t)stamp->size);
    print = table_hash_u64(print + (uint64_t)stamp->changed.tv_sec);
    return table_hash_u64(print + (uint64_t)stamp->changed.tv_nsec);
}

static size_t
slot_of(const struct blob_hash *hash)
{
    return (size_t)hash->bytes[0] << 8 | hash->bytes[1];
}

void
blob_beliefs_note(struct blob_beliefs *self, const struct blob_hash *hash,
                  const struct blob_stamp *stamp, uint64_t until_ms)
{
    if (!self->slots)
        self->slots = memory_take_zeroed(BLOB_BELIEFS * sizeof *self->slots);
    self->slots[slot_of(hash)] = (struct blob_belief){name_of(hash), print_of(stamp), until_ms};
}

bool
blob_beliefs_has(const struct blob_beliefs *self, const struct blob_hash *hash,
                 const struct blob_stamp *stamp)
{
    if (!self->slots)
        return false;
    const struct blob_belief *belief = &self->slots[slot_of(hash)];
    return belief->until_ms && belief->name == name_of(hash) && belief->stamp == print_of(stamp) &&
           clock_left_ms(belief->until_ms) > 0;
}

void
blob_beliefs_finish(struct blob_beliefs *self)
{
    free(self->slots);
    self->slots = NULL;
}
