// key_check_test.c - the rule for keys that clients choose.
#include "proto/record/key_check.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(key_check, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

Test(key_check, good_keys_pass)
{
    static const char *const keys[] = {"s1",    "My scene", "caf\xc3\xa9", "a.b%2F",
                                       "Query", "caches",   "..."};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        cr_expect_null(key_check(text(keys[i])), "%s", keys[i]);
}

Test(key_check, bad_keys_are_refused_with_a_reason)
{
    static const struct {
        const char *key, *why;
    } rows[] = {
        // clang-format off
        {"",          "must not be empty"},
        {"a/b",       "must not have a /"},
        {"a\nb",      "must not have control characters"},
        {"a\xc2\x85", "must not have control characters"},
        {"\xc3(",     "must be UTF-8"},
        {"query",     "must not be one of the reserved words query and cache"},
        {"cache",     "must not be one of the reserved words query and cache"},
        {".",         "must not be . or .., which mean another place in a path"},
        {"..",        "must not be . or .., which mean another place in a path"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_str_eq(key_check(text(rows[i].key)), rows[i].why);
}

Test(key_check, a_key_has_at_most_128_bytes)
{
    char chars[130];
    memset(chars, 'k', sizeof(chars));
    cr_assert_null(key_check(text_new(&arena, chars, 128)));
    cr_assert_str_eq(key_check(text_new(&arena, chars, 129)), "must have at most 128 bytes");
}

Test(key_check, a_nul_inside_is_a_control_character)
{
    cr_assert_str_eq(key_check(text_new(&arena, "a\0b", 3)), "must not have control characters");
}
