// room.h - how much a request is about to stage. It asks for that before it stages anything, so
// that one commit takes it. Made by these functions alone, which leave nothing out: each write
// takes memory, also one without a record.
#ifndef DIORAMA_ACTORS_RUNTIME_ROOM_H
#define DIORAMA_ACTORS_RUNTIME_ROOM_H

#include <assert.h>
#include <stddef.h>

enum { WRITE_COST = 288 }; // more than the key and the small value of a write take

struct room {
    size_t operations;
    size_t bytes; // about what they take in memory
};

// For removals, and writes of small values.
static inline struct room
room_for_removals(size_t count)
{
    return (struct room){count, count * WRITE_COST};
}

// For writes of records that take `bytes` together, as record_frozen_size says.
static inline struct room
room_for_records(size_t count, size_t bytes)
{
    assert(bytes > 0 || count == 0);
    return (struct room){count, count * WRITE_COST + bytes};
}

static inline struct room
room_for_both(struct room a, struct room b)
{
    return (struct room){a.operations + b.operations, a.bytes + b.bytes};
}

#endif
