// payer.h - who pays for what a request uses: the user who is logged in, else the address. Pure.
#ifndef DIORAMA_PROTO_BUDGET_PAYER_H
#define DIORAMA_PROTO_BUDGET_PAYER_H

#include "proto/base/origin.h"
#include "proto/budget/budgets.h"
#include "proto/message/message.h"

enum { PAYER_SIZE = ORIGIN_SIZE };
_Static_assert((int)PAYER_SIZE >= (int)USER_ID_SIZE, "a user's id is a payer");

// Writes who pays: the id of the user, or the address (IPv6 by its first 64 bits). Without users
// (auth.enabled is off) it is always the address: anybody may make accounts there.
void payer_of(const struct caller *caller, char ret_payer[PAYER_SIZE]);

// Whether the caller counts towards the budget: see enum budget_local.
bool payer_counts(enum budget budget, const struct caller *caller);

#endif
