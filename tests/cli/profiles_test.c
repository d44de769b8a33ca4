// profiles_test.c - the file of profiles, and which server and token a command gets from it.
#include "tools/cli/profiles.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"
#include "tools/cli/connection.h"

// One folder a test; Criterion runs each test in a process.
static struct temporary directory;
static char path[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&directory);
    temporary_path(&directory, "config", path);
    setenv("XDG_CONFIG_HOME", path, 1);
    unsetenv("DIORAMA_URL");
    unsetenv("DIORAMA_TOKEN");
    unsetenv("DIORAMA_PROFILE");
    temporary_path(&directory, "config/diorama/profiles", path);
}

static void
end(void)
{
    temporary_finish(&directory);
}

TestSuite(profiles, .init = begin, .fini = end);
TestSuite(connection, .init = begin, .fini = end);

// Writes a file with `home`, current, and `away`.
static void
write_two(void)
{
    owned(profiles_finish) struct profiles profiles = {0};
    const struct profile home = {"home", "http://127.0.0.1:8080/", "alice", "t0ken"};
    const struct profile away = {"away", "https://scenes.example.org", "", ""};
    cr_assert_eq(profiles_add(&profiles, &home), OK);
    cr_assert_eq(profiles_add(&profiles, &away), OK);
    cr_assert_eq(profiles_write(&profiles), OK);
}

static void
assert_connection(const char *url, const char *profile, const char *expected_url,
                  const char *expected_token)
{
    owned(connection_finish) struct connection found = {0};
    const struct connection_values values = {url, profile};
    cr_assert_eq(connection_find(&values, false, &found), OK);
    cr_assert_str_eq(found.url, expected_url);
    cr_assert_str_eq(found.token, expected_token);
}

Test(profiles, no_file_is_no_profile)
{
    owned(profiles_finish) struct profiles profiles = {0};
    cr_assert_eq(profiles_read(&profiles), OK);
    cr_assert_eq(profiles.count, 0);
    cr_assert_null(profiles.current);
}

Test(profiles, what_is_written_is_read)
{
    owned(profiles_finish) struct profiles profiles = {0};
    write_two();
    cr_assert_eq(profiles_read(&profiles), OK);
    cr_assert_eq(profiles.count, 2);
    cr_assert_str_eq(profiles.current, "home");
    const struct profile *home = profiles_find(&profiles, "home");
    cr_assert_str_eq(home->url, "http://127.0.0.1:8080");
    cr_assert_str_eq(home->username, "alice");
    cr_assert_str_eq(home->token, "t0ken");
    cr_assert_str_eq(profiles_find(&profiles, "away")->token, "");
}

Test(profiles, file_is_for_its_owner_alone)
{
    struct stat status;
    write_two();
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert_eq(chmod(path, 0640), 0);
    owned(profiles_finish) struct profiles profiles = {0};
    cr_assert_eq(profiles_read(&profiles), ERR_FORBIDDEN);
}

Test(profiles, file_of_anything_else_is_refused)
{
    static const char *const texts[] = {"", "{", "[]", "{\"profiles\":7}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        owned(profiles_finish) struct profiles profiles = {0};
        write_two();
        FILE *file = fopen(path, "w");
        cr_assert(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
        cr_assert_eq(profiles_read(&profiles), ERR_MALFORMED, "%s", texts[i]);
    }
}

Test(profiles, removed_profile_is_not_the_current_one)
{
    owned(profiles_finish) struct profiles profiles = {0};
    write_two();
    cr_assert_eq(profiles_read(&profiles), OK);
    profiles_remove(&profiles, profiles_find(&profiles, "home"));
    cr_assert_eq(profiles.count, 1);
    cr_assert_null(profiles.current);
    cr_assert_null(profiles_find(&profiles, "home"));
    cr_assert_not_null(profiles_find(&profiles, "away"));
}

Test(profiles, name_and_url_are_checked)
{
    static const struct profile wrong[] = {
        {"", "http://a", "", ""},      {"a b", "http://a", "", ""},
        {"../a", "http://a", "", ""},  {"a", "", "", ""},
        {"a", "127.0.0.1:80", "", ""}, {"a", "http://", "", ""},
        {"a", "ftp://a", "", ""},      {"a", "http://me:secret@a", "", ""},
        {"a", "http://a?b", "", ""},   {"a", "http://a\nb", "", ""},
        {"home", "http://a", "", ""},
    };
    owned(profiles_finish) struct profiles profiles = {0};
    write_two();
    cr_assert_eq(profiles_read(&profiles), OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_eq(profiles_add(&profiles, &wrong[i]), ERR_INVALID, "%s %s", wrong[i].name,
                     wrong[i].url);
    cr_assert_eq(profiles.count, 2);
}

Test(connection, without_anything_it_is_the_default)
{
    assert_connection("", "", "http://127.0.0.1:8080", "");
}

Test(connection, profile_gives_url_and_token)
{
    write_two();
    assert_connection("", "", "http://127.0.0.1:8080", "t0ken");
    assert_connection("", "away", "https://scenes.example.org", "");
    setenv("DIORAMA_PROFILE", "away", 1);
    assert_connection("", "", "https://scenes.example.org", "");
    assert_connection("", "home", "http://127.0.0.1:8080", "t0ken");
}

Test(connection, token_of_a_profile_goes_to_its_own_url_alone)
{
    write_two();
    assert_connection("http://127.0.0.1:8080/", "", "http://127.0.0.1:8080", "t0ken");
    assert_connection("http://127.0.0.1:8081", "", "http://127.0.0.1:8081", "");
    setenv("DIORAMA_URL", "http://127.0.0.1:8082", 1);
    assert_connection("", "", "http://127.0.0.1:8082", "");
    setenv("DIORAMA_TOKEN", "other", 1);
    assert_connection("", "", "http://127.0.0.1:8082", "other");
    assert_connection("http://127.0.0.1:8080", "", "http://127.0.0.1:8080", "other");
}

Test(connection, profile_that_is_asked_for_must_be_there)
{
    owned(connection_finish) struct connection found = {0};
    write_two();
    cr_assert_eq(connection_find(&(struct connection_values){"", "x"}, false, &found), ERR_INVALID);
}
