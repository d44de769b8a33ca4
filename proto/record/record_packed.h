// record_packed.h - packed records: frozen ones that have only what is present. Of what there are
// millions is kept so: a scene with name and place takes a third of what it takes frozen plain.
// Reading one opens it into a struct that the reader has room for; no text is copied.
// A packed record is counted, shared and passed on as any frozen one (record_ref, record_size), but
// frozen_record may not read it. So whoever keeps packed ones alone says packed_t, and what passes
// on either (sets, lists, replies) opens what it reads with frozen_open.
#ifndef DIORAMA_PROTO_RECORD_RECORD_PACKED_H
#define DIORAMA_PROTO_RECORD_RECORD_PACKED_H

#include <assert.h>

#include "proto/record/record.h"

// A frozen record that is packed.
typedef struct packed packed_t;

// Room for an opened record, which lives as long: on the stack. It is not to be moved.
enum { OPENED_SIZE = 1024 };
struct opened {
    _Alignas(8) char bytes[OPENED_SIZE];
};

// A packed deep copy with one reference, yours. `schema` as in record_copy.
const packed_t *record_pack(const struct schema *schema, const struct record *record);

// What a packed record says, in `room`; what it points to is borrowed from the packed one.
const struct record *packed_open(const packed_t *self, struct opened *room);

// The same in memory of the arena.
const struct record *packed_open_in(const packed_t *self, struct arena *arena);

// A copy in memory of the arena, which is lent: its references are not counted, and it lives as
// long as the arena. Whoever takes a reference gets a copy of its own.
const packed_t *packed_lend(const packed_t *self, struct arena *arena);

// As any frozen record; NULL of NULL.
static inline const frozen_t *
packed_frozen(const packed_t *self)
{
    return (const frozen_t *)(const void *)self;
}

// A frozen record that is packed, as such; NULL of NULL.
static inline const packed_t *
frozen_packed(const frozen_t *self)
{
    assert(!self || frozen_is_packed(self));
    return (const packed_t *)(const void *)self;
}

static inline const packed_t *
packed_ref(const packed_t *self)
{
    return frozen_packed(record_ref(packed_frozen(self)));
}

static inline void
packed_unref(const packed_t **self)
{
    const frozen_t *frozen = packed_frozen(*self);
    *self = NULL;
    record_unref(&frozen);
}

static inline const struct text *
packed_key(const packed_t *self)
{
    return packed_key_text(packed_frozen(self));
}

// What a frozen record says, packed or not: in `room`, or where it is. NULL of NULL.
static inline const struct record *
frozen_open(const frozen_t *self, struct opened *room)
{
    return self && frozen_is_packed(self) ? packed_open(frozen_packed(self), room)
                                          : frozen_record(self);
}

// record_has of a packed record.
bool packed_has(const packed_t *self, unsigned id);

// The same of any frozen record: it takes a fraction of the time of opening one.
static inline bool
frozen_has(const frozen_t *self, unsigned id)
{
    return frozen_is_packed(self) ? packed_has(frozen_packed(self), id)
                                  : record_has(frozen_record(self), id);
}

// A frozen record that is not packed, with one reference, yours: itself, or a copy. NULL of NULL.
const frozen_t *frozen_unpack(const frozen_t *self);

// Fetches what will be opened soon: where packed records lie anywhere in memory, the first look at
// each waits for it.
static inline void
packed_fetch(const void *record)
{
    enum { LINE = 64 };
    __builtin_prefetch(record);
    __builtin_prefetch((const char *)record + LINE);
}

#endif
