// due_sums.h - what each payer takes with all of their records of a kind: stored beside the
// records, in the commit of each change. So a start reads one small record a payer and kind, and
// none of the records. The actor's thread.
//
// The key of a sum is KEY_DUES, the tag of the records, and the payer ("" = nobody pays); its value
// three numbers of 8 bytes (struct dues). KEY_DUES alone says by which measure they were counted:
// another version may count the memory of a record differently (due_count.h).
#ifndef DIORAMA_ACTORS_RUNTIME_DUE_SUMS_H
#define DIORAMA_ACTORS_RUNTIME_DUE_SUMS_H

#include "actors/runtime/batch.h"
#include "actors/runtime/dues.h"
#include "proto/base/table.h"

// A kind of records that somebody pays for.
struct due_kind {
    key_tag_t tag;
    const struct due_row *row;
};

// Embedded; all zero is valid and empty.
struct due_sums {
    struct table sums; // struct due_sum
};

void due_sums_finish(struct due_sums *self);

// `after` is staged in the place of `before`; either may be NULL. The sums of who pays go into the
// batch.
void due_sums_stage(struct due_sums *self, const struct due_kind *kind, struct batch *batch,
                    const frozen_t *before, const frozen_t *after);

// The change never became durable; its batch is gone.
void due_sums_drop(struct due_sums *self, const struct due_kind *kind, const frozen_t *before,
                   const frozen_t *after);

// Takes a stored sum (an empty value: there is none any more), as it was read at the start or
// committed by a leader, and enters in the book by how much it differs from what is known. What is
// no sum of one of the kinds, which end with one of the tag 0, is passed over.
void due_sums_take(struct due_sums *self, budget_book_t *book, const struct due_kind *kinds,
                   struct bytes key, struct bytes value);

// Takes all sums that a part of a family has.
enum store_result due_sums_read(struct due_sums *self, budget_book_t *book,
                                const struct due_kind *kinds, store_t *store, enum family family,
                                uint64_t deadline_ms);

// Adds a record, of which nothing is stored.
void due_sums_add(struct due_sums *self, const struct due_kind *kind, const frozen_t *record);

// How many records of the tag the payer has ("" = nobody pays); they are durable or staged.
int64_t due_sums_count(const struct due_sums *self, key_tag_t tag, const char *payer);

// The next sum as it is stored; false at the end. *cursor is 0 at first.
bool due_sums_next(const struct due_sums *self, size_t *cursor, struct key *ret_key,
                   struct key *ret_value);

#endif
