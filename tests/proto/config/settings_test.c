// settings_test.c - the table of settings, and values from words and back.
#include "proto/config/settings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(settings, .fini = settings_finish);

static struct config config;

static fallible
set(const char *key, const char *value)
{
    return setting_set(&config, setting_find(key), "test", value);
}

// What setting_print writes of the value.
static const char *
printed(const char *key)
{
    static char chars[256];
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    setting_print(setting_find(key), &config, out);
    fclose(out);
    snprintf(chars, sizeof chars, "%s", text);
    free(text);
    return chars;
}

Test(settings, a_key_is_found_whole_alone)
{
    cr_assert_not_null(setting_find("http.port"));
    cr_expect_str_eq(setting_find("http.port")->key, "http.port");
    cr_expect_null(setting_find("http"));
    cr_expect_null(setting_find("http.por"));
}

Test(settings, a_section_is_what_stands_before_the_dot)
{
    cr_expect(setting_is_section("http"));
    cr_expect_not(setting_is_section("htt"));
    cr_expect_not(setting_is_section("http.port"));
}

Test(settings, rows_of_a_section_are_neighbours)
{
    for (const struct setting *row = settings; row->key; row++)
        for (const struct setting *later = row + 1; later->key; later++) {
            size_t section = strcspn(row->key, ".") + 1;
            if (strncmp(row->key, later->key, section) == 0)
                cr_expect_eq(strncmp(later[-1].key, later->key, section), 0, "%s", later->key);
        }
}

Test(settings, every_default_is_allowed)
{
    for (const struct setting *row = settings; row->key; row++)
        cr_expect_eq(setting_set(&config, row, "default", row->by_default), OK, "%s", row->key);
}

Test(settings, a_size_takes_a_unit_and_is_printed_with_the_largest_that_divides_it)
{
    cr_assert_eq(set("scene.memory", "3G"), OK);
    cr_expect_eq(config.scene_memory, INT64_C(3) << 30);
    cr_expect_str_eq(printed("scene.memory"), "3G");
}

Test(settings, a_refusal_names_source_and_what_is_allowed)
{
    cr_assert_eq(set("http.port", "65536"), ERR_INVALID);
    cr_expect_not_null(strstr(fault_last()->detail, "test"));
    cr_expect_not_null(strstr(fault_last()->detail, "65535"));
}

Test(settings, an_unknown_key_names_the_nearest)
{
    cr_assert_eq(setting_unknown("test", "http.prt"), ERR_INVALID);
    cr_expect_not_null(strstr(fault_last()->detail, "http.port"));
}

Test(settings, a_secret_is_printed_as_stars)
{
    cr_assert_eq(set("auth.admin_password", "correct horse"), OK);
    cr_expect_str_eq(printed("auth.admin_password"), "\"***\"");
}
