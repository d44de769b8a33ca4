// record_block.h - the block of memory that a frozen record is in. Inside of proto/record.
#ifndef DIORAMA_PROTO_RECORD_RECORD_BLOCK_H
#define DIORAMA_PROTO_RECORD_RECORD_BLOCK_H

#include <assert.h>
#include <stdatomic.h>

#include "proto/base/memory.h"
#include "proto/record/record.h"

// Stands before a frozen record. Behind it in the same block are the struct, then its texts, lists
// and nested records; of a packed one what record_packed.c says.
struct block {
    _Atomic uint32_t refs;
    uint32_t size; // of the block; with the flags of record.h (frozen_word)
};

_Static_assert(sizeof(struct block) == 8, "the record behind it stays aligned");
_Static_assert(offsetof(struct block, size) == sizeof(struct block) - sizeof(uint32_t),
               "frozen_word is the number before the record");

enum block_form { BLOCK_PLAIN, BLOCK_PACKED };

enum { BLOCK_FLAGS_FROM = 29 }; // the bits of `size` from here on are flags

_Static_assert(FROZEN_KEYED == UINT32_C(1) << BLOCK_FLAGS_FROM, "the lowest flag");

static inline struct block *
block_of(const frozen_t *frozen)
{
    return (struct block *)(uintptr_t)frozen - 1;
}

static inline struct block *
block_create(size_t size, enum block_form form)
{
    assert(size < UINT32_C(1) << BLOCK_FLAGS_FROM);
    struct block *self = memory_take(size);
    atomic_init(&self->refs, 1);
    self->size = (uint32_t)size | (form == BLOCK_PACKED ? FROZEN_PACKED : 0);
    return self;
}

static inline size_t
block_size(const struct block *self)
{
    return self->size & ((UINT32_C(1) << BLOCK_FLAGS_FROM) - 1);
}

static inline frozen_t *
block_frozen(struct block *self)
{
    return (frozen_t *)(void *)(self + 1);
}

#endif
