// warnings_test.c - a short list of what is probably not meant.
#include "proto/record/warnings.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;
static struct warnings warnings;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(warnings, .fini = finish);

Test(warnings, they_keep_their_order_and_place)
{
    const struct path root = {.name = "/objects/1"}, member = {.up = &root, .name = "a/b"};
    warnings_add(&warnings, &arena, &root, "is %s", "odd");
    warnings_add(&warnings, &arena, &member, "too");
    cr_assert_eq(warnings.count, 2);
    cr_assert(text_is(warnings.first->pointer, "/objects/1"));
    cr_assert(text_is(warnings.first->detail, "is odd"));
    cr_assert(text_is(warnings.first->next->pointer, "/objects/1/a~1b"));
    cr_assert_null(warnings.first->next->next);
}

Test(warnings, further_ones_are_left_out)
{
    const struct path root = {.name = ""};
    for (unsigned i = 0; i < WARNINGS_MOST + 5; i++)
        warnings_add(&warnings, &arena, &root, "is %u", i);
    cr_assert_eq(warnings.count, WARNINGS_MOST);
    cr_assert(text_is(warnings.last->detail, "is 15"));
}

// A name of a megabyte, cut within a character.
Test(warnings, what_is_cut_stays_utf8)
{
    static char name[1 << 20];
    const struct path root = {.name = ""}, member = {.up = &root, .name = name};
    for (size_t i = 0; i + 2 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    warnings_add(&warnings, &arena, &member, "has a long name: %s", name);
    const struct text *pointer = warnings.first->pointer, *detail = warnings.first->detail;
    cr_assert_lt(text_size(pointer), PATH_POINTER_SIZE);
    cr_assert(utf8_is_valid(text_bytes(pointer), text_size(pointer)));
    cr_assert(utf8_is_valid(text_bytes(detail), text_size(detail)));
}

// An actor may run a request several times.
Test(warnings, what_is_said_already_is_not_said_again)
{
    const struct path root = {.name = "/a"}, other = {.name = "/b"};
    for (unsigned i = 0; i < 3; i++)
        warnings_add(&warnings, &arena, &root, "is odd");
    warnings_add(&warnings, &arena, &other, "is odd");
    cr_assert_eq(warnings.count, 2);
}
