// user_budget.h - the limits that an administrator gave one user, in place of those of everybody.
#ifndef DIORAMA_PROTO_RECORDS_USER_BUDGET_H
#define DIORAMA_PROTO_RECORDS_USER_BUDGET_H

#include "proto/budget/budgets.h"
#include "proto/record/record.h"

// Append-only, so the table of budgets is too: stored maps use these numbers.
enum user_budget_field {
    USER_BUDGET_USER = 0,
    USER_BUDGET_FIRST = 1, // of budget 0; that of budget `n` is n more
};

struct user_budget {
    struct record base;
    const struct text *user;      // id
    int64_t limits[BUDGET_COUNT]; // 0 = none; those that are absent are as for everybody
};

static inline const struct user_budget *
user_budget_of(const struct record *record)
{
    return (const struct user_budget *)(const void *)record;
}

extern const struct schema user_budget_schema;
extern const struct view user_budget_view_full;

#endif
