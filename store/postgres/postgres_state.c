// postgres_state.c - the table of SQLSTATEs (postgres_state.h).
#include "store/postgres/postgres_state.h"

#include <string.h>

// clang-format off
const struct postgres_state postgres_states[] = {
    // prefix  result              again  lost
    {"22012", STORE_CONFLICT,      false, false}, // division by zero: how a statement says that a guard failed
    {"23505", STORE_CONFLICT,      false, false}, // unique violation: a record guarded as absent is there
    {"40003", STORE_UNKNOWN,       false, true},  // completion unknown
    {"40",    STORE_UNAVAILABLE,   true,  false}, // deadlock, serialization failure
    {"53100", STORE_FULL,          false, false}, // disk full
    {"57014", STORE_UNAVAILABLE,   false, false}, // cancelled, statement_timeout
    {"25006", STORE_UNAVAILABLE,   false, true},  // read only: the primary is another one now
    {"25P03", STORE_UNKNOWN,       false, true},  // idle in a transaction for too long
    {"08",    STORE_UNKNOWN,       false, true},  // the connection broke
    {"57P",   STORE_UNKNOWN,       false, true},  // shutdown, crash, starting up
    {"28",    STORE_UNAVAILABLE,   false, true},  // not authorized, wrong password
    {"42",    STORE_BAD,           false, false}, // no such table or column, no right to it
    {"XX",    STORE_BAD,           false, false}, // internal, a damaged table or index
    {"",      STORE_UNAVAILABLE,   false, false},
};
// clang-format on

const struct postgres_state *
postgres_state_of(const char *sqlstate)
{
    // What libpq itself says has no state: the connection broke.
    const char *state = sqlstate ? sqlstate : "08006";
    const struct postgres_state *row = postgres_states;
    while (strncmp(state, row->prefix, strlen(row->prefix)) != 0)
        row++;
    return row;
}
