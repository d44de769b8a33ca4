// budgets.c - the rows of the table of budgets, and their refusal. Any thread.
#include "proto/budget/budgets.h"

#include <inttypes.h>
#include <string.h>

const struct budget_row budget_rows[BUDGET_COUNT] = {
#define X(id, name, kind, local, by_default, most, unit, about)                                    \
    {name, BUDGET_##kind, local, most, unit, about},
    BUDGETS(X)
#undef X
};

enum budget
budget_find(const char *name)
{
    unsigned budget = 0;
    while (budget < BUDGET_COUNT && strcmp(budget_rows[budget].name, name) != 0)
        budget++;
    return (enum budget)budget;
}

enum error
budget_refuse(enum budget budget, int64_t most)
{
    const struct budget_row *row = &budget_rows[budget];
    bool is_stored = row->kind == BUDGET_STORED;
    enum error error = is_stored ? ERR_OVER_STORED_BUDGET : ERR_OVER_BUDGET;
    fault_note(error, "", "the budget of %s is used up: at most %" PRId64 "%s", row->name, most,
               is_stored                  ? ""
               : row->kind == BUDGET_RATE ? " a second"
                                          : " at the same time");
    fault_note_budget(row->name);
    return error;
}
