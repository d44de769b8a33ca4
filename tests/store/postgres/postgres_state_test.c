// postgres_state_test.c - what each SQLSTATE means, row by row.
#include "store/postgres/postgres_state.h"

#include <criterion/criterion.h>
#include <string.h>

// Each row of the table, by a state that it is there for.
static const struct {
    const char *sqlstate;
    enum store_result result;
    bool is_again, is_lost;
} expected[] = {
    {"22012", STORE_CONFLICT, false, false},    // division_by_zero
    {"23505", STORE_CONFLICT, false, false},    // unique_violation
    {"40003", STORE_UNKNOWN, false, true},      // statement_completion_unknown
    {"40001", STORE_UNAVAILABLE, true, false},  // serialization_failure
    {"40P01", STORE_UNAVAILABLE, true, false},  // deadlock_detected
    {"53100", STORE_FULL, false, false},        // disk_full
    {"57014", STORE_UNAVAILABLE, false, false}, // query_canceled
    {"25006", STORE_UNAVAILABLE, false, true},  // read_only_sql_transaction
    {"25P03", STORE_UNKNOWN, false, true},      // idle_in_transaction_session_timeout
    {"08006", STORE_UNKNOWN, false, true},      // connection_failure
    {"08P01", STORE_UNKNOWN, false, true},      // protocol_violation
    {"57P01", STORE_UNKNOWN, false, true},      // admin_shutdown
    {"57P02", STORE_UNKNOWN, false, true},      // crash_shutdown
    {"57P03", STORE_UNKNOWN, false, true},      // cannot_connect_now
    {"28P01", STORE_UNAVAILABLE, false, true},  // invalid_password
    {"42P01", STORE_BAD, false, false},         // undefined_table
    {"42501", STORE_BAD, false, false},         // insufficient_privilege
    {"XX001", STORE_BAD, false, false},         // data_corrupted
    {"53300", STORE_UNAVAILABLE, false, false}, // too_many_connections
    {"53200", STORE_UNAVAILABLE, false, false}, // out_of_memory
    {"55P03", STORE_UNAVAILABLE, false, false}, // lock_not_available
};

Test(postgres_state, each_state_has_its_meaning)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct postgres_state *row = postgres_state_of(expected[i].sqlstate);
        cr_expect_eq(row->result, expected[i].result, "%s", expected[i].sqlstate);
        cr_expect_eq(row->is_again, expected[i].is_again, "%s", expected[i].sqlstate);
        cr_expect_eq(row->is_lost, expected[i].is_lost, "%s", expected[i].sqlstate);
    }
}

Test(postgres_state, each_row_is_the_one_of_some_state)
{
    for (const struct postgres_state *row = postgres_states;; row++) {
        bool is_met = false;
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
            is_met = is_met || postgres_state_of(expected[i].sqlstate) == row;
        cr_expect(is_met, "no state has the row of %s", row->prefix);
        if (!*row->prefix)
            return;
    }
}

Test(postgres_state, an_answer_without_a_state_is_a_connection_that_broke)
{
    cr_assert_eq(postgres_state_of(NULL)->result, STORE_UNKNOWN);
    cr_assert(postgres_state_of(NULL)->is_lost);
}
