// budgets_test.c - the table of budgets, and what a refusal says.
#include "proto/budget/budgets.h"

#include <criterion/criterion.h>
#include <string.h>

Test(budgets, each_name_finds_its_row)
{
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        cr_expect_eq(budget_find(budget_rows[i].name), i, "%s", budget_rows[i].name);
    cr_expect_eq(budget_find("nothing"), BUDGET_COUNT);
}

Test(budgets, a_refusal_names_the_budget_until_the_next_failure)
{
    cr_assert_eq(budget_refuse(BUDGET_STREAMS, 32), ERR_OVER_BUDGET);
    cr_expect_str_eq(fault_last()->budget, "streams");
    cr_expect_str_eq(fault_last()->detail,
                     "the budget of streams is used up: at most 32 at the same time");
    cr_assert_eq(fail(ERR_INVALID, "", "something else"), ERR_INVALID);
    cr_expect_null(fault_last()->budget);
}

Test(budgets, refusals_have_the_statuses_that_clients_know)
{
    cr_expect_eq(error_status(ERR_OVER_BUDGET), 429);
    cr_expect_eq(error_code(ERR_OVER_BUDGET), 132);
    cr_expect_eq(error_status(ERR_OVER_STORED_BUDGET), 507);
    cr_expect_eq(error_code(ERR_OVER_STORED_BUDGET), 120);
}
