// secondary_index.h - which records of one kind have a value in one member. It is in memory and
// changes with the records, so it never disagrees with them.
#ifndef DIORAMA_ACTORS_REPOSITORY_SECONDARY_INDEX_H
#define DIORAMA_ACTORS_REPOSITORY_SECONDARY_INDEX_H

#include "actors/runtime/record_set.h"
#include "proto/base/table.h"

// Embedded; all zero is a valid empty index.
struct secondary_index {
    struct table postings; // struct posting by value
    size_t entries;        // in all of them
};

void secondary_index_finish(struct secondary_index *self);

// Bytes of memory that it takes beside the records, about.
size_t secondary_index_room(const struct secondary_index *self);

// Enters a record under a value. An empty value is not entered.
void secondary_index_put(struct secondary_index *self, const struct text *value,
                         const frozen_t *record);
void secondary_index_remove(struct secondary_index *self, const struct text *value,
                            const frozen_t *record);

// The records with this value, NULL where there are none: for who goes through them in slices.
struct record_set *secondary_index_set(const struct secondary_index *self,
                                       const struct text *value);
// The same in the order of their keys, *ret_count of them; valid until the next change.
const frozen_t *const *secondary_index_find(const struct secondary_index *self,
                                            const struct text *value, size_t *ret_count);

#endif
