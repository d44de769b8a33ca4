// memory_test.c - memory, or the end of the process.
#include "proto/base/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Test(memory, zeroed_memory_is_zero)
{
    static const char zeros[4096];
    char *memory = memory_take_zeroed(sizeof zeros);
    cr_expect_arr_eq(memory, zeros, sizeof zeros);
    free(memory);
}

Test(memory, resized_memory_keeps_its_bytes)
{
    char *memory = memory_resize(NULL, 4);
    memcpy(memory, "abc", 4);
    memory = memory_resize(memory, 1 << 20);
    cr_expect_str_eq(memory, "abc");
    free(memory);
}

// The address sanitizer ends the process by itself, with a report that is a failure elsewhere.
#ifndef __SANITIZE_ADDRESS__
Test(memory, a_refusal_ends_the_process, .signal = SIGABRT)
{
    memory_take(SIZE_MAX);
}
#endif

// ---------------------------------------------------------------- rest

enum { SECOND_MS = 1000, BUSY_US = 800000, QUIET_US = 49000 };

Test(memory_rest, comes_in_the_first_quiet_second_after_work)
{
    struct memory_rest rest = {0};
    cr_assert_not(memory_rest_has_come(&rest, 1 * SECOND_MS, BUSY_US));
    cr_assert(memory_rest_has_come(&rest, 2 * SECOND_MS, BUSY_US + QUIET_US));
}

Test(memory_rest, comes_once_for_the_same_work)
{
    struct memory_rest rest = {0};
    memory_rest_has_come(&rest, 1 * SECOND_MS, BUSY_US);
    cr_assert(memory_rest_has_come(&rest, 2 * SECOND_MS, BUSY_US));
    cr_assert_not(memory_rest_has_come(&rest, 3 * SECOND_MS, BUSY_US));
}

Test(memory_rest, does_not_come_while_a_twentieth_of_a_processor_is_taken)
{
    struct memory_rest rest = {0};
    memory_rest_has_come(&rest, 1 * SECOND_MS, BUSY_US);
    cr_assert_not(memory_rest_has_come(&rest, 2 * SECOND_MS, BUSY_US + SECOND_MS * 1000 / 20));
}

Test(memory_rest, does_not_come_without_half_a_second_of_work)
{
    struct memory_rest rest = {0};
    for (uint64_t second = 1; second <= 10; second++)
        cr_assert_not(memory_rest_has_come(&rest, second * SECOND_MS, second * QUIET_US));
    cr_assert(memory_rest_has_come(&rest, 11 * SECOND_MS, 11 * QUIET_US));
}

Test(memory_rest, looks_at_whole_seconds_alone)
{
    struct memory_rest rest = {0};
    memory_rest_has_come(&rest, 1 * SECOND_MS, BUSY_US);
    cr_assert_not(memory_rest_has_come(&rest, 1 * SECOND_MS + 10, BUSY_US)); // between two bursts
    cr_assert_not(memory_rest_has_come(&rest, 2 * SECOND_MS, 2 * BUSY_US));
}
