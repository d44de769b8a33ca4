// late_library_test.c - libraries are opened when they are first asked for.
#include "actors/alignment/solver/late_library.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "actors/alignment/solver/elimination_order.h"

static bool
is_mapped(const char *library)
{
    char line[512];
    bool is_found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    cr_assert_not_null(maps);
    while (fgets(line, sizeof line, maps))
        is_found |= strstr(line, library) != NULL;
    fclose(maps);
    return is_found;
}

// What METIS and printf of the solver cost is nobody else's: each thread has 28 KiB of METIS in a
// program that is linked with it.
Test(late_library, is_not_there_before_something_is_solved)
{
    cr_expect_not(is_mapped("/libmetis.so"));
    cr_expect_not(is_mapped("/libquadmath.so"));
    const uint64_t keys[] = {0, 1, (uint64_t)1 << 32 | 1}; // two nodes and what joins them
    int order[2];
    elimination_order_dissect(2, keys, 3, 1, NULL, order);
    cr_expect_eq(order[0] + order[1], 1);
    cr_expect(is_mapped("/libmetis.so"));
}

Test(late_library, ends_the_process_where_there_is_none, .signal = SIGABRT)
{
    late_library_function("libnobody.so.7", "nothing");
}
