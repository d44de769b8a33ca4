// record_walk.c - slices of a set of records (record_walk.h).
#include "actors/runtime/record_walk.h"

#include <stdlib.h>

void
record_walk_restart(struct record_walk *self)
{
    free(self->passed);
    self->passed = NULL;
}

size_t
record_walk_next(struct record_walk *self, struct record_set *set, size_t most,
                 const frozen_t *const **ret_records)
{
    size_t count, first = self->passed ? record_set_place_after(set, self->passed) : 0;
    const frozen_t *const *records = record_set_items(set, &count);
    record_walk_restart(self);
    if (first >= count)
        return 0;
    *ret_records = records + first;
    count = count - first < most ? count - first : most;
    self->passed = text_duplicate(frozen_key(records[first + count - 1]));
    return count;
}
