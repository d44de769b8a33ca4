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
