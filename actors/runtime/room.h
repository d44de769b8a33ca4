// room.h - how much a request is about to stage. It asks for that before it stages anything, so
// that one commit takes it. Made by these functions alone, which leave nothing out: each write
// takes memory, also one without a record.
#ifndef DIORAMA_ACTORS_RUNTIME_ROOM_H
#define DIORAMA_ACTORS_RUNTIME_ROOM_H

#include <assert.h>
#include <stddef.h>

#include "proto/base/limits.h"

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

// For one removal of many that need not be in one commit: they leave three quarters of it to
// others. A commit of nothing else would take a turn of 12 to 20 ms until all of it is shown.
static inline struct room
room_for_one_of_many(void)
{
    return room_for_removals(1 + LIMIT_COMMIT_OPERATIONS / 4 * 3);
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
