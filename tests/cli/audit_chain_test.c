// audit_chain_test.c - a chain of lines that is whole, and each way to break it.
#include "tools/cli/audit_chain.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct arena arena;
static struct audit_chain chain;
static char hashes[4][AUDIT_HASH_SIZE];

static void
begin(void)
{
    for (int i = 0; i < 4; i++)
        memset(hashes[i], 'a' + i, AUDIT_HASH_SIZE - 1);
}

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(audit_chain, .init = begin, .fini = end);

// Line `number`, which says that `before` is the hash of the one before; its own is that of `own`.
static enum error
add(int number, int before, int own, bool may_skip)
{
    char text[256];
    const struct json *line;
    int size =
        snprintf(text, sizeof text, "{\"number\":%d,\"before\":\"%s\"}", number, hashes[before]);
    cr_assert_eq(json_parse(&arena, text, (size_t)size, &line), OK);
    return audit_chain_add(&chain, line, hashes[own], may_skip);
}

Test(audit_chain, lines_that_follow_each_other_are_whole)
{
    cr_assert_eq(add(5, 0, 1, false), OK, "they may begin anywhere");
    cr_assert_eq(add(6, 1, 2, false), OK);
    cr_assert_eq(add(7, 2, 3, false), OK);
    cr_assert_eq(chain.lines, 3);
    cr_assert_eq(chain.number, 7);
    cr_assert_str_eq(chain.hash, hashes[3]);
}

Test(audit_chain, changed_line_is_found_by_the_next_one)
{
    cr_assert_eq(add(1, 0, 3, false), OK);
    cr_assert_eq(add(2, 1, 2, false), ERR_CONFLICT);
}

Test(audit_chain, missing_line_is_found)
{
    cr_assert_eq(add(1, 0, 1, false), OK);
    cr_assert_eq(add(3, 2, 3, false), ERR_CONFLICT);
}

Test(audit_chain, filter_leaves_lines_out_and_neighbours_are_compared)
{
    cr_assert_eq(add(1, 0, 1, true), OK);
    cr_assert_eq(add(5, 0, 2, true), OK);
    cr_assert_eq(add(6, 1, 3, true), ERR_CONFLICT);
}

Test(audit_chain, line_that_comes_again_is_found)
{
    cr_assert_eq(add(2, 0, 1, true), OK);
    cr_assert_eq(add(2, 0, 1, true), ERR_CONFLICT);
}

Test(audit_chain, what_has_no_number_is_no_line)
{
    const struct json *line;
    cr_assert_eq(json_parse(&arena, "{}", 2, &line), OK);
    cr_assert_eq(audit_chain_add(&chain, line, hashes[0], true), ERR_CONFLICT);
}
