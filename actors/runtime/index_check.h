// index_check.h - whether the records of a family and its index records say the same, and how they
// are made to: at the start after another version wrote the store, and by `dioramad --check-store`.
// Nobody else writes meanwhile. It reads in pages, so memory does not grow with the store.
#ifndef DIORAMA_ACTORS_RUNTIME_INDEX_CHECK_H
#define DIORAMA_ACTORS_RUNTIME_INDEX_CHECK_H

#include "actors/runtime/index_records.h"

// What was found in a family.
struct index_counts {
    uint64_t records; // of kinds that are indexed
    uint64_t entries; // index records, as they were
    uint64_t missing; // index records that a record should have, and had not
    uint64_t stray;   // index records that lead to nothing, or to a record that says another thing
    uint64_t damaged; // records that cannot be read, and one for each block of them: nobody knows
                      // their index records
};

// Compares them, and puts what is missing and deletes what is stray. Fails with ERR_INTERNAL where
// the store is damaged, and as store_error where it cannot be read or written.
fallible index_check(store_t *store, const struct index_family *family,
                     struct index_counts *ret_counts);

#endif
