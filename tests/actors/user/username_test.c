// username_test.c - names that are taken, mapped and refused, by the examples of RFC 8265 and by
// characters that look alike.
#include "actors/user/username.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(username, .fini = end);

static const struct text *
prepared(const char *name)
{
    const struct text *kept;
    cr_assert_eq(username_prepare(&arena, text_from(&arena, name), &kept), OK, "%s: %s", name,
                 fault_last()->detail);
    return kept;
}

static void
assert_kept(const char *name, const char *expected)
{
    cr_assert(text_is(prepared(name), expected), "%s became %s", name, text_chars(prepared(name)));
}

static void
assert_refused(const char *name, size_t size)
{
    const struct text *kept;
    cr_assert_eq(username_prepare(&arena, text_new(&arena, name, size), &kept), ERR_INVALID, "%s",
                 name);
    cr_assert_str_eq(fault_last()->pointer, "/username");
}

static bool
are_one(const char *one, const char *other)
{
    return text_equal(username_key(&arena, text_from(&arena, one)),
                      username_key(&arena, text_from(&arena, other)));
}

Test(username, case_is_kept_and_does_not_tell_names_apart)
{
    assert_kept("Ann-Kathrin", "Ann-Kathrin");
    assert_kept("juliet@example.com", "juliet@example.com");
    assert_kept("Fu\u00dfball", "Fu\u00dfball");
    cr_assert(are_one("Stra\u00dfe", "STRA\u00dfE"));
    cr_assert_not(are_one("fussball", "fu\u00dfball"), "RFC 8265, 3.5: these are two");
    cr_assert(are_one("\u03a3", "\u03c3"));
    cr_assert_not(are_one("\u03c3", "\u03c2"), "the same there");
}

Test(username, width_and_composition_do_not_tell_names_apart)
{
    assert_kept("\uff33tra", "Stra");
    assert_kept("Zoe\u0308", "Zo\u00eb");
    cr_assert(are_one("\uff33tra\u00dfe", "stra\u00dfe"));
    cr_assert(are_one("Zoe\u0308", "ZO\u00cb"));
    assert_kept("\uff76\uff9e", "\u30ac"); // half width: letter and mark
}

Test(username, words_are_separated_by_blanks)
{
    assert_kept("Ann Kathrin", "Ann Kathrin");
    assert_refused(" ann", 4);
    assert_refused("ann ", 4);
    assert_refused("", 0);
}

Test(username, what_cannot_be_seen_or_compared_is_refused)
{
    static const char *const names[] = {
        "tab\t",         "zero\u200bwidth", "\u202egnp",        "line\u2028",
        "\u00a0",        "\ue000",          "soft\u00adhyphen",
        "\u2163",        // roman numeral four: a compatible character
        "henryIV\u265a", // a symbol
        "\u01c5",        // titlecase
        "\u212a",        // the sign of Kelvin, which is a K
        "\ufb01",        // a ligature
        "a\u0640b",      // a stretched line
        "\u1100",        // an old Hangul letter
        "\u0378",        // not assigned
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], "\u212a") != 0) // its canonical form is K
            assert_refused(names[i], strlen(names[i]));
    assert_kept("\u212a", "K");
}

Test(username, every_byte_counts)
{
    assert_refused("root\0x", 6);
    assert_refused("\xff", 1);
    const struct text *bad = text_new(&arena, "root\0x", 6), *root = text_from(&arena, "root");
    cr_assert_not(text_equal(username_key(&arena, bad), username_key(&arena, root)));
    const struct text *broken = text_new(&arena, "\xff", 1);
    cr_assert(text_equal(username_key(&arena, broken), broken));
}

Test(username, some_characters_need_their_neighbours)
{
    assert_kept("l\u00b7l", "l\u00b7l");
    assert_refused("a\u00b7b", 4);
    assert_kept("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"); // joiner behind a virama
    assert_refused("a\u200db", 5);
    assert_kept("\u30a2\u30fb\u30a2", "\u30a2\u30fb\u30a2");
    assert_refused("a\u30fbb", 5);
    assert_refused("\u0661\u06f1", 4); // two kinds of digits
}

Test(username, one_name_has_one_writing_direction)
{
    assert_kept("\u05d0\u05d1", "\u05d0\u05d1");
    assert_kept("\u05d01", "\u05d01");
    assert_refused("a\u05d0", 3);
    assert_refused("\u05d0a", 3);
    assert_refused("1\u05d0", 3);
}

Test(username, length_has_a_maximum)
{
    char name[LIMIT_NAME_BYTES + 1];
    memset(name, 'a', sizeof name);
    const struct text *kept;
    cr_assert_eq(username_prepare(&arena, text_new(&arena, name, LIMIT_NAME_BYTES), &kept), OK);
    assert_refused(name, LIMIT_NAME_BYTES + 1);
}
