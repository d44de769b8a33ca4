// latest_test.c - the newest state of each object, as datagrams told it.
#include "tools/cli/latest.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"
#include "tools/cli/json_value.h"

#define MATRIX(x) "[1.0,0.0,0.0," x ",0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0]"

static void
note(latest_t *self, const char *datagram)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *parsed;
    cr_assert_eq(json_parse(&arena, datagram, strlen(datagram), &parsed), OK);
    latest_note(self, parsed,
                parsed->type == JSON_OBJECT ? json_value_unsigned(parsed, "seq", 0) : 0);
}

static void
assert_written(const latest_t *self, const char *expected)
{
    owned(temporary_finish) struct temporary directory;
    char path[TEMPORARY_PATH_BYTES], written[2048];
    temporary_init(&directory);
    temporary_path(&directory, "latest.json", path);
    cr_assert_eq(latest_write(self, path), OK);
    FILE *file = fopen(path, "r");
    cr_assert(file);
    size_t size = fread(written, 1, sizeof written - 1, file);
    fclose(file);
    written[size] = '\0';
    cr_assert_str_eq(written, expected);
}

Test(latest, nothing_heard_is_an_empty_object)
{
    owned(latest_destroy) latest_t *self = latest_create();
    cr_assert_eq(latest_count(self), 0);
    assert_written(self, "{\n}\n");
}

Test(latest, newer_state_replaces_the_older_and_keys_are_in_order)
{
    owned(latest_destroy) latest_t *self = latest_create();
    note(self, "{\"msg_type\":0,\"key\":\"b\",\"transform\":" MATRIX("1.5") ",\"seq\":1}");
    note(self, "{\"msg_type\":0,\"key\":\"a\",\"transform\":" MATRIX("2.5") ",\"seq\":2}");
    note(self, "{\"msg_type\":1,\"key\":\"b\",\"transform\":" MATRIX("3.5") ",\"seq\":3}");
    cr_assert_eq(latest_count(self), 2);
    assert_written(self, "{\n\"a\":{\"transform\":" MATRIX("2.5") ",\"seq\":2},\n"
                                                                  "\"b\":{\"transform\":" MATRIX(
                                                                      "3.5") ",\"seq\":3}\n}\n");
}

Test(latest, deleted_object_has_no_state_but_counts)
{
    owned(latest_destroy) latest_t *self = latest_create();
    note(self, "{\"msg_type\":0,\"key\":\"a\",\"transform\":" MATRIX("1.0") ",\"seq\":1}");
    note(self, "{\"msg_type\":3,\"key\":\"a\",\"transform\":" MATRIX("1.0") ",\"seq\":2}");
    cr_assert_eq(latest_count(self), 1);
    assert_written(self, "{\n}\n");
}

Test(latest, delete_event_with_its_key_alone_takes_the_state_away)
{
    owned(latest_destroy) latest_t *self = latest_create();
    note(self, "{\"msg_type\":0,\"key\":\"a\",\"transform\":" MATRIX("1.0") ",\"seq\":1}");
    note(self, "{\"msg_type\":3,\"key\":\"a\",\"seq\":2}");
    assert_written(self, "{\n}\n");
}

Test(latest, datagrams_without_key_or_transform_change_nothing)
{
    owned(latest_destroy) latest_t *self = latest_create();
    note(self, "{\"msg_type\":9,\"key\":\"p\",\"values\":[1.0],\"seq\":1}");
    note(self, "{\"msg_type\":1,\"transform\":" MATRIX("1.0") ",\"seq\":2}");
    note(self, "{\"msg_type\":1,\"key\":\"a\",\"transform\":[1.0],\"seq\":3}");
    note(self, "[1]");
    cr_assert_eq(latest_count(self), 0);
}

Test(latest, place_that_cannot_be_written_is_an_error)
{
    owned(latest_destroy) latest_t *self = latest_create();
    cr_assert_eq(latest_write(self, "/nonexistent/latest.json"), ERR_UNAVAILABLE);
}
