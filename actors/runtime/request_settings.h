// request_settings.h - what an actor knows of all requests: how long one may wait, and of those
// with an Idempotency-Key how long their answers are kept and who may have how many.
#ifndef DIORAMA_ACTORS_RUNTIME_REQUEST_SETTINGS_H
#define DIORAMA_ACTORS_RUNTIME_REQUEST_SETTINGS_H

#include "proto/base/error.h"
#include "proto/budget/budget_book.h"

struct request_settings {
    bool follows;         // another server: nothing is decided here (actors/replica)
    uint64_t deadline_ms; // http.deadline: no handler runs for a request that is older
    uint64_t lifetime_s;  // of a kept answer
    budget_book_t *book;  // borrowed; NULL = no limits
};

// Whether this server decides what is written. Fails with ERR_FOLLOWER. The gateway has refused
// what clients write already, by name of the leader.
static inline fallible
request_settings_check_leads(const struct request_settings *self)
{
    return self->follows ? fail(ERR_FOLLOWER, "", "this server follows another one") : OK;
}

#endif
