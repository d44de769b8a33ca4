// postgres_state.h - what an answer of the database means for the call that got it: the table of
// SQLSTATEs (PostgreSQL 15, appendix A).
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_STATE_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_STATE_H

#include "store/store.h"

struct postgres_state {
    const char *prefix;       // of the five characters; the first row that fits counts
    enum store_result result; // of a commit in which a statement before COMMIT failed so
    bool is_again;            // the same commit may succeed a moment later
    bool is_lost;             // the connection is of no use any more
};

// The rows; the last has the empty prefix.
extern const struct postgres_state postgres_states[];

// The row of a SQLSTATE; NULL is that of an answer without one.
const struct postgres_state *postgres_state_of(const char *sqlstate);

#endif
