// index_sums.h - whether two sets of index records (index_records.h) are the same, row by row,
// without having either in memory: how many they are, and the sum of their hashes. Pure.
#ifndef DIORAMA_ACTORS_RUNTIME_INDEX_SUMS_H
#define DIORAMA_ACTORS_RUNTIME_INDEX_SUMS_H

#include "actors/runtime/index_records.h"

enum { INDEX_SUM_ROWS = 256 }; // by the id of the row

struct index_sum {
    uint64_t count;
    uint64_t low, high; // of hashes of 128 bits, keyed by a secret of the process
};

// All zero is the sum of nothing.
struct index_sums {
    struct index_sum rows[INDEX_SUM_ROWS];
};

void index_sums_clear(struct index_sums *self);
// Adds the key of an index record. Each comes once.
void index_sums_add(struct index_sums *self, const struct key *key);

// Whether there is none in the row of this key.
bool index_sums_are_empty(const struct index_sums *self, const struct key *key);
// Whether both have the same in the row of this key; in all rows.
bool index_sums_agree(const struct index_sums *one, const struct index_sums *other,
                      const struct key *key);
bool index_sums_equal(const struct index_sums *one, const struct index_sums *other);

#endif
