// record_walk.h - goes through a set of records in slices, for work that nobody waits for: a sweep
// of what has ended. It remembers the key that it has passed, so the set may change in between.
#ifndef DIORAMA_ACTORS_RUNTIME_RECORD_WALK_H
#define DIORAMA_ACTORS_RUNTIME_RECORD_WALK_H

#include "actors/runtime/record_set.h"

// Embedded; all zero stands before the first record.
struct record_walk {
    struct text *passed; // owned
};

// Back to before the first record.
void record_walk_restart(struct record_walk *self);

// Writes the next records, at most `most` of them, valid until the next change of the set. Returns
// how many; 0 = all have been passed, and the walk stands before the first one again.
size_t record_walk_next(struct record_walk *self, struct record_set *set, size_t most,
                        const frozen_t *const **ret_records);

// Whether it stands between the first record and the last.
static inline bool
record_walk_is_under_way(const struct record_walk *self)
{
    return self->passed != NULL;
}

#endif
