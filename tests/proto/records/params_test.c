// params_test.c - what a request says beside its records.
#include "proto/records/params.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(params, .fini = finish);

Test(params, operation_10_appends_11_removes_and_others_overwrite)
{
    struct params *params = (void *)record_new(&arena, &params_schema);
    cr_assert_eq(params_list_mode(params), LIST_OVERWRITE);
    record_set_integer(&params->base, PARAMS_OPERATION, 10);
    cr_assert_eq(params_list_mode(params), LIST_APPEND);
    record_set_integer(&params->base, PARAMS_OPERATION, 11);
    cr_assert_eq(params_list_mode(params), LIST_REMOVE);
    record_set_integer(&params->base, PARAMS_OPERATION, 12);
    cr_assert_eq(params_list_mode(params), LIST_OVERWRITE);
}
