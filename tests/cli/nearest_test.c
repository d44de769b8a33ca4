// nearest_test.c - the word that somebody meant is found; a word of another kind is not.
#include "tools/cli/nearest.h"

#include <criterion/criterion.h>

static const char *const words[] = {"scene", "search", "server", "session", "watch", "get"};

static const char *
nearest_of(const char *word)
{
    struct nearest nearest = {.word = word};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        nearest_try(&nearest, words[i]);
    return nearest.best;
}

Test(nearest, distance_counts_letters_left_out_added_replaced_and_exchanged)
{
    cr_expect_eq(nearest_distance("scene", "scene"), 0);
    cr_expect_eq(nearest_distance("scen", "scene"), 1);
    cr_expect_eq(nearest_distance("sceene", "scene"), 1);
    cr_expect_eq(nearest_distance("scane", "scene"), 1);
    cr_expect_eq(nearest_distance("scnee", "scene"), 1);
    cr_expect_eq(nearest_distance("", "get"), 3);
    cr_expect_eq(nearest_distance("kitten", "sitting"), 3);
}

Test(nearest, word_with_a_typing_error_is_found)
{
    cr_expect_str_eq(nearest_of("scnee"), "scene");
    cr_expect_str_eq(nearest_of("wacht"), "watch");
    cr_expect_str_eq(nearest_of("gte"), "get");
    cr_expect_str_eq(nearest_of("sesion"), "session");
}

Test(nearest, word_that_was_only_begun_is_found)
{
    cr_expect_str_eq(nearest_of("sess"), "session");
}

Test(nearest, nothing_is_near_to_another_word)
{
    cr_expect_null(nearest_of("nothing"));
    cr_expect_null(nearest_of("x"));
    cr_expect_null(nearest_of(""));
    cr_expect_null(nearest_of("a-word-of-more-than-thirty-one-letters"));
}

Test(nearest, longest_words_are_compared)
{
    static const char left[] = "abcdefghijklmnopqrstuvwxyz01234";
    struct nearest nearest = {.word = left};
    nearest_try(&nearest, "abcdefghijklmnopqrstuvwxyz01243");
    cr_expect_eq(nearest.distance, 1);
}
