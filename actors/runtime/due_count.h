// due_count.h - counts what each payer takes (due_sums.h) anew, from all records of the kinds:
// where the stored sums were counted by another measure, or by a version that wrote none, and for
// `dioramad --check-store`. Nobody else writes meanwhile. It reads in pages, so memory does not
// grow with the records.
#ifndef DIORAMA_ACTORS_RUNTIME_DUE_COUNT_H
#define DIORAMA_ACTORS_RUNTIME_DUE_COUNT_H

#include "actors/runtime/due_sums.h"
#include "actors/runtime/index_records.h"

// The kinds of a family that somebody pays for.
struct due_family {
    struct index_family indexes;                 // of what is read
    struct due_kind kinds[INDEX_KINDS_MOST + 1]; // ends with one of the tag 0
};

// Counts where the measure of the stored sums is not ours. Fails as due_count.
fallible due_count_if_needed(store_t *store, const struct due_family *family);

// Counts, and writes the sums that differ from what is stored; *ret_mended is how many did. Records
// that cannot be read are left out: who pays for them pays less. Fails where the store cannot be
// read or written.
fallible due_count(store_t *store, const struct due_family *family, uint64_t *ret_mended);

#endif
