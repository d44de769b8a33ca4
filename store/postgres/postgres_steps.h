// postgres_steps.h - a commit as the rows of its statements: one step for each record that is
// guarded or written, in the order of keys, so that two commits never wait for each other in a
// circle.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_STEPS_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_STEPS_H

#include "proto/base/buffer.h"
#include "store/postgres/postgres_session.h"

// Each kind is one statement, in the order in which they run.
enum step_kind { STEP_CHECK, STEP_SWAP, STEP_INSERT, STEP_PUT, STEP_DELETE, STEP_KINDS };

struct step {
    const struct store_address *address;
    struct bytes value;     // of what is put
    store_version_t before; // that it has, of a check or swap
    enum step_kind kind;
};

// Of one commit; borrows its keys and values.
struct postgres_steps {
    struct step *steps;
    size_t count;
    size_t counts[STEP_KINDS];
};

// BAD where a guard of absence has no put beside it, CONFLICT where two guards of a record differ.
enum store_result postgres_steps_make(const struct store_commit *commit,
                                      struct postgres_steps *ret_steps);
void postgres_steps_finish(struct postgres_steps *self);

// The parameters of the statement of `kind`, which borrow from `bytes`; those of one kind at a
// time.
void postgres_steps_encode(const struct postgres_steps *self, enum step_kind kind,
                           store_version_t id, struct buffer *bytes,
                           struct postgres_parameters *ret_parameters);

#endif
