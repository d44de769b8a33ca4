// words_test.c - how texts are cut into words and compared.
#include "proto/base/words.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct words words;
static struct arena arena;

static void
clear(void)
{
    words = (struct words){0};
    arena = (struct arena){0};
}

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(words, .init = clear, .fini = finish);

// The words with a bar behind each.
static const char *
listed(void)
{
    static char all[2 * WORDS_BYTES];
    const char *word;
    size_t size, used = 0;
    for (size_t at = 0; words_next(words.bytes, words.size, &at, &word, &size);) {
        memcpy(all + used, word, size);
        used += size;
        all[used++] = '|';
    }
    all[used] = '\0';
    return all;
}

static void
add(const char *chars)
{
    words_add(&words, text_from(&arena, chars));
}

Test(words, are_small_letters_without_marks)
{
    add("CAFÉ Ångström");
    cr_assert_str_eq("cafe|angstrom|", listed());
}

Test(words, are_separated_by_all_but_letters_and_digits)
{
    add("  pump-12/left, (old)");
    cr_assert_str_eq("pump|12|left|old|", listed());
}

Test(words, of_several_texts_stand_once)
{
    add("red door");
    add("Door blue");
    cr_assert_str_eq("red|door|blue|", listed());
}

Test(words, of_a_long_word_count_its_first_bytes)
{
    char longest[WORD_BYTES + 10 + 1];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    add(longest);
    cr_assert_eq(1 + WORD_BYTES, words.size);
}

Test(words, that_have_no_room_are_left_out)
{
    for (int i = 0; i < 300; i++) {
        char word[16];
        snprintf(word, sizeof word, "w%d", i);
        add(word);
    }
    cr_assert_leq(words.size, WORDS_BYTES);
    cr_assert(words_have(words.bytes, words.size, "w99", 3));
    cr_assert_not(words_have(words.bytes, words.size, "w299", 4));
}

Test(words, are_found_by_their_beginning)
{
    add("Lighthouse");
    cr_assert(words_have(words.bytes, words.size, "light", 5));
    cr_assert_not(words_have(words.bytes, words.size, "house", 5));
}

Test(words, of_bytes_that_are_no_utf8_are_none)
{
    add("a\xff");
    cr_assert_eq(0, words.size);
}
