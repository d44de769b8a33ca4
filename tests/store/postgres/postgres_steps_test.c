// postgres_steps_test.c - a commit as rows of statements: which, in which order, in which bytes.
#include "store/postgres/postgres_steps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/engines.h"

// Each step as its kind's letter and its key, in their order.
static void
check_steps(const struct store_commit *commit, const char *expected)
{
    owned(postgres_steps_finish) struct postgres_steps steps = {0};
    char text[256] = "";
    cr_assert_eq(postgres_steps_make(commit, &steps), STORE_OK);
    for (size_t i = 0; i < steps.count; i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%c%.*s ", "csipd"[steps.steps[i].kind],
                 (int)steps.steps[i].address->key.size,
                 (const char *)steps.steps[i].address->key.data);
    }
    cr_assert_str_eq(text, expected);
}

Test(postgres_steps, stand_in_the_order_of_keys_and_the_last_operation_counts)
{
    const struct store_operation operations[] = {PUT("c", "1"), DELETE("b"),    PUT("a", "1"),
                                                 PUT("b", "2"), PUT("aa", "1"), DELETE("c")};
    const struct store_commit commit = {.id = 9, .operations = operations, .operation_count = 6};
    check_steps(&commit, "pa paa pb dc ");
}

Test(postgres_steps, a_guard_joins_what_is_put_beside_it)
{
    const struct store_operation operations[] = {PUT("a", "1"), PUT("b", "1"), DELETE("c"),
                                                 PUT("e", "1")};
    const struct store_guard guards[] = {{AT("d"), 4}, {AT("c"), 3}, {AT("b"), 0}, {AT("a"), 1}};
    const struct store_commit commit = {.id = 9,
                                        .guards = guards,
                                        .guard_count = 4,
                                        .operations = operations,
                                        .operation_count = 4};
    check_steps(&commit, "sa ib cc dc cd pe ");
}

Test(postgres_steps, are_encoded_as_arrays)
{
    static const unsigned char expected[] = {
        0,    0,    0,    1,    0,    0,    0,    0,    0, 0,   0,   21,
        0,    0,    0,    2,    0,    0,    0,    1,                    // two of int2
        0,    0,    0,    2,    0,    0,    0,    0,    0, 2,   0,   0, // family 0
        0,    0,    0,    1,    0,    0,    0,    0,    0, 0,   0,   21,
        0,    0,    0,    2,    0,    0,    0,    1,                    // two of int2
        0,    0,    0,    2,    0,    5,    0,    0,    0, 2,   0,   5, // part 5
        0,    0,    0,    1,    0,    0,    0,    0,    0, 0,   0,   17,
        0,    0,    0,    2,    0,    0,    0,    1,                 // two of bytea
        0,    0,    0,    1,    'a',  0,    0,    0,    2, 'b', 'c', // keys
        0,    0,    0,    1,    0,    0,    0,    0,    0, 0,   0,   17,
        0,    0,    0,    2,    0,    0,    0,    1,       // two of bytea
        0,    0,    0,    1,    '1',  0,    0,    0,    0, // values
        0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,    // version
    };
    const struct store_operation operations[] = {PUT("bc", ""), PUT("a", "1"), DELETE("d")};
    const struct store_commit commit = {.id = 9, .operations = operations, .operation_count = 3};
    owned(postgres_steps_finish) struct postgres_steps steps = {0};
    owned(buffer_finish) struct buffer bytes = {0};
    struct postgres_parameters parameters;
    cr_assert_eq(postgres_steps_make(&commit, &steps), STORE_OK);
    postgres_steps_encode(&steps, STEP_PUT, 0x1122334455667788, &bytes, &parameters);
    cr_assert_eq(parameters.count, 5);
    cr_assert_eq(parameters.values[0], bytes.data);
    cr_assert_eq(parameters.sizes[4], 8);
    cr_assert_eq(bytes.size, sizeof expected);
    cr_assert_arr_eq(bytes.data, expected, sizeof expected);
}
