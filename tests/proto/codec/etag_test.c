// etag_test.c - entity tags and lists of them.
#include "proto/codec/etag.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

static const struct etag abc = {.chars = "bddd813c634239723171ef3fee98579b"};

Test(etag, is_the_hash_of_the_json)
{
    struct etag etag;
    // BLAKE2b with 16 bytes of "abc" is cf4ab791c62b8d2b2109c90275287816.
    etag_of_json("abc", 3, &etag);
    cr_assert_str_eq(etag.chars, "cf4ab791c62b8d2b2109c90275287816");
}

static void
scene_tag(const char *name, const char *thumbnail, const struct view *view, struct etag *ret_etag)
{
    struct arena arena = {0};
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "s1"));
    record_set_text(scene, SCENE_NAME, text_from(&arena, name));
    record_set_text(scene, SCENE_THUMBNAIL, text_from(&arena, thumbnail));
    record_set_integer(scene, SCENE_ID, name[0]);
    etag_of_record(scene, view, ret_etag);
    arena_finish(&arena);
}

Test(etag, changes_with_what_is_shown)
{
    struct etag one, other;
    scene_tag("a", "t", &scene_view_full, &one);
    scene_tag("b", "t", &scene_view_full, &other);
    cr_assert_str_neq(one.chars, other.chars);
    scene_tag("a", "u", &scene_view_full, &other);
    cr_assert_str_neq(one.chars, other.chars);
}

Test(etag, does_not_change_with_what_is_hidden)
{
    struct etag one, other;
    scene_tag("a", "t", &scene_view_key, &one);
    scene_tag("b", "u", &scene_view_key, &other);
    cr_assert_str_eq(one.chars, other.chars);
}

#define DIGITS "bddd813c634239723171ef3fee98579b"
#define HASH "\"" DIGITS "\""
#define CODED "\"" DIGITS "-gzip\""

Test(etag_list, names_its_members)
{
    cr_assert(etag_list_names(HASH, &abc, ETAG_STRONG));
    cr_assert(etag_list_names("\"x\" , " HASH, &abc, ETAG_STRONG));
    cr_assert(etag_list_names("*", &abc, ETAG_STRONG));
    cr_assert_not(etag_list_names("\"x\", \"\"", &abc, ETAG_WEAK));
    cr_assert_not(etag_list_names("", &abc, ETAG_WEAK));
}

Test(etag_list, names_a_state_in_any_coding)
{
    cr_assert(etag_list_names(CODED, &abc, ETAG_STRONG));
    cr_assert_not(etag_list_names("\"bddd813c634239723171ef3fee98579b0\"", &abc, ETAG_STRONG));
}

Test(etag_list, weak_member_counts_only_weakly)
{
    cr_assert(etag_list_names("W/" HASH, &abc, ETAG_WEAK));
    cr_assert_not(etag_list_names("W/" HASH, &abc, ETAG_STRONG));
}

// clang-format off
static const struct list_row {
    const char *list;
    bool is_valid;
} lists[] = {
    {"*",                    true},
    {"\"a\"",                true},
    {"W/\"a\"",              true},
    {"\"a\",W/\"b\" , \"\"", true},
    {",, \"a\",,",           true},
    {"\"a, b\"",             true},
    {"",                     false},
    {" , ",                  false},
    {"a",                    false},
    {"'a'",                  false},
    {"\"a",                  false},
    {"\"a\"b",               false},
    {"\"a\" b",              false},
    {"w/\"a\"",              false},
    {"W/a",                  false},
    {"W",                    false},
    {"*, \"a\"",             false},
    {"\"a\", *",             false},
    {"**",                   false},
};
// clang-format on

Test(etag_list, is_the_star_or_tags_in_quotes)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        cr_expect_eq(etag_list_is_valid(lists[i].list), lists[i].is_valid, "%s", lists[i].list);
}

// What follows the hash of each member, as a coding of `etag`; "-" = it is no such member.
static void
expect_codings(const char *list, const struct etag *etag, const char *const *expected)
{
    struct etag_item item;
    for (; etag_next(&list, &item); expected++) {
        const char *coding;
        size_t size;
        if (!etag_item_coding(&item, etag, &coding, &size))
            cr_expect_str_eq(*expected, "-");
        else
            cr_expect(size == strlen(*expected) && memcmp(coding, *expected, size) == 0, "%s",
                      *expected);
    }
    cr_assert_str_eq(list, "");
}

Test(etag_list, coding_of_a_member_is_known)
{
    static const char *const expected[] = {"-", "", "gzip", "unity"};
    expect_codings("\"x\", " HASH ", " CODED ", \"" DIGITS "-unity\"",
                   &(struct etag){.chars = DIGITS}, expected);
}

Test(etag_list, convention_of_a_member_is_that_of_the_answer)
{
    static const char *const expected[] = {"-", "-", "", "gzip", "-", "-"};
    expect_codings(HASH ", " CODED ", \"" DIGITS "-unity\", \"" DIGITS "-unity-gzip\", \"" DIGITS
                        "-unityx\", \"" DIGITS "-ros\"",
                   &(struct etag){.chars = DIGITS, .variant = "unity"}, expected);
}

Test(etag_list, state_is_named_in_whichever_convention)
{
    const struct etag etag = {.chars = DIGITS};
    cr_expect(etag_list_names("\"" DIGITS "-unity-gzip\"", &etag, ETAG_STRONG));
}

Test(etag, of_parts_is_that_of_the_whole)
{
    struct etag_parts parts = {0};
    struct etag etag;
    for (unsigned round = 0; round < 2; round++) {
        etag_parts_add(&parts, "a", 1);
        etag_parts_add(&parts, "", 0);
        etag_parts_add(&parts, "bc", 2);
        etag_parts_end(&parts, &etag);
        cr_assert_str_eq(etag.chars, "cf4ab791c62b8d2b2109c90275287816");
        etag_parts_add(&parts, "forgotten", 9);
        etag_parts_finish(&parts);
    }
}
