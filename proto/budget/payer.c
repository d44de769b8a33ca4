// payer.c - who pays (payer.h). Pure.
#include "proto/budget/payer.h"

#include "proto/base/chars.h"

static bool
is_user(const struct caller *caller)
{
    return (caller->role == CALLER_USER || caller->role == CALLER_ADMIN) && caller->user[0];
}

void
payer_of(const struct caller *caller, char ret_payer[PAYER_SIZE])
{
    if (is_user(caller))
        chars_copy(ret_payer, PAYER_SIZE, caller->user);
    else
        origin_of(caller->peer, ret_payer);
}

bool
payer_counts(enum budget budget, const struct caller *caller)
{
    if (!caller->peer[0])
        return false; // between actors
    if (!caller->loopback)
        return true;
    return budget_rows[budget].local == LOCAL_WITH_USERS && is_user(caller);
}
