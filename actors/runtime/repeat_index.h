// repeat_index.h - which requests with an Idempotency-Key have a kept answer on the disk: their
// ids, by age and by who pays for them. It bounds what is kept: an answer leaves when its time is
// over, when its payer has more than a limit, or all have. Plain data of one actor; no input or
// output.
#ifndef DIORAMA_ACTORS_RUNTIME_REPEAT_INDEX_H
#define DIORAMA_ACTORS_RUNTIME_REPEAT_INDEX_H

#include "actors/runtime/repeat_id.h"
#include "proto/base/table.h"
#include "proto/budget/budget_book.h"
#include "proto/budget/payer.h"

// Embedded. Set the first three; the rest is zero at first.
struct repeat_index {
    uint64_t lifetime_us; // of an answer
    budget_book_t *book;  // what each payer has, in all actors, and may have; NULL = no limits
    size_t most;          // of all
    struct table entries; // struct repeat_entry by id
    struct table payers;  // struct repeat_payer by name
    struct repeat_entry *oldest, *newest;
    struct repeat_left *first_left, **last_left; // whose answers are still to be removed
    size_t left;
};

void repeat_index_finish(struct repeat_index *self);

// Whether the request has a kept answer at this time.
bool repeat_index_has(const struct repeat_index *self, const struct repeat_id *id, uint64_t now_us);

// The answer of a request is durable since `time_us`; not earlier than those before. What is too
// much now leaves.
void repeat_index_add(struct repeat_index *self, const struct repeat_id *id, const char *payer,
                      uint64_t time_us);

// A repeat goes by the answer that is kept: its request gives it up no more.
void repeat_index_rely(struct repeat_index *self, const struct repeat_id *id);

// Answers whose time is over leave, at most `most` of them; and one that its request gave up,
// unless somebody relies on it.
void repeat_index_expire(struct repeat_index *self, uint64_t now_us, size_t most);
void repeat_index_drop(struct repeat_index *self, const struct repeat_id *id);
// The oldest answer of the payer leaves; false where they have none.
bool repeat_index_drop_of(struct repeat_index *self, const char *payer);

// The next answer to be removed from the disk; false where there is none. It is yours: what cannot
// be removed now is put back.
bool repeat_index_take_left(struct repeat_index *self, struct repeat_id *ret_id);
void repeat_index_put_left(struct repeat_index *self, const struct repeat_id *id);

#endif
