// log_test.c - one line an event, whatever its values contain.
#include "proto/base/log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int capture;

// Standard error goes to a pipe; Criterion runs each test in a process of its own.
static void
start(void)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    capture = ends[0];
    fcntl(capture, F_SETFL, O_NONBLOCK);
}

TestSuite(log, .init = start);

// What was logged since the last call.
static const char *
logged(void)
{
    static char text[8192];
    ssize_t size = read(capture, text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

// The line behind its time, which must look like 2026-01-31T23:59:59.123Z.
static const char *
logged_after_time(void)
{
    const char *line = logged();
    cr_assert_eq(strspn(line, "0123456789-T:.Z"), 24, "%s", line);
    cr_assert_eq(line[23], 'Z');
    return line + 24;
}

Test(log, a_line_is_time_level_event_and_pairs)
{
    log_info("scene_loaded", "key=%s ms=%d", "s1", 3);
    cr_assert_str_eq(logged_after_time(), " info scene_loaded key=s1 ms=3\n");
}

Test(log, an_event_may_have_no_pairs)
{
    log_error("stopped", "");
    cr_assert_str_eq(logged_after_time(), " error stopped\n");
}

Test(log, values_that_need_it_are_quoted)
{
    log_warning("e", "a=%s b=%s c=%s d=%s", "two words", "", "x=y", "say \"hi\" \\");
    cr_assert_str_eq(logged_after_time(),
                     " warning e a=\"two words\" b=\"\" c=\"x=y\" d=\"say \\\"hi\\\" \\\\\"\n");
}

Test(log, control_characters_and_bad_utf8_are_escaped)
{
    log_info("e", "a=%s b=%s", "1\n2\x1b\xc2\x9b", "caf\xc3\xa9\xff");
    cr_assert_str_eq(logged_after_time(),
                     " info e a=\"1\\n2\\u001b\\u009b\" b=\"caf\xc3\xa9\\ufffd\"\n");
}

Test(log, words_of_the_format_belong_to_the_value_before)
{
    log_info("e", "why=cannot open %s ms=%d", "a.txt", 1);
    cr_assert_str_eq(logged_after_time(), " info e why=\"cannot open a.txt\" ms=1\n");
}

Test(log, a_value_cannot_add_a_pair)
{
    log_info("e", "key=%s ms=%d", "x admin=1", 4);
    cr_assert_str_eq(logged_after_time(), " info e key=\"x admin=1\" ms=4\n");
}

Test(log, lower_levels_are_left_out)
{
    log_setup(LOG_LEVEL_WARNING, LOG_TEXT);
    log_info("e", "");
    cr_assert_str_eq(logged(), "");
    log_warning("e", "");
    cr_assert_str_eq(logged_after_time(), " warning e\n");
}

Test(log, a_long_value_is_cut_and_the_line_still_ends)
{
    char words[6000];
    memset(words, 'x', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    log_info("e", "a=%s b=%d", words, 1);
    const char *line = logged();
    cr_assert_eq(line[strlen(line) - 1], '\n');
    cr_assert_eq(strchr(line, '\n'), line + strlen(line) - 1);
}

static json_t *
logged_json(void)
{
    const char *line = logged();
    cr_assert_eq(strchr(line, '\n'), line + strlen(line) - 1);
    json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root, "%s", line);
    return root;
}

Test(log, json_has_numbers_where_the_format_has_one)
{
    log_setup(LOG_LEVEL_INFO, LOG_JSON);
    log_info("e", "key=%s count=%" PRIu64 " share=%.2f bad=%f id=%03d", "12", UINT64_C(7), 0.5,
             0.0 / 0.0, 7);
    json_t *root = logged_json();
    cr_assert_str_eq(json_string_value(json_object_get(root, "level")), "info");
    cr_assert_str_eq(json_string_value(json_object_get(root, "event")), "e");
    cr_assert_str_eq(json_string_value(json_object_get(root, "key")), "12");
    cr_assert_eq(json_integer_value(json_object_get(root, "count")), 7);
    cr_assert_eq(json_real_value(json_object_get(root, "share")), 0.5);
    cr_assert(json_is_string(json_object_get(root, "bad")), "NaN is no JSON number");
    cr_assert_str_eq(json_string_value(json_object_get(root, "id")), "007");
    json_decref(root);
}

Test(log, json_stays_valid_whatever_a_value_contains)
{
    log_setup(LOG_LEVEL_INFO, LOG_JSON);
    log_info("e", "key=%s ms=%d", "\"},{\n\x1ems=9\xed\xa0\x80\x01", 4);
    json_t *root = logged_json();
    cr_assert_eq(json_object_size(root), 5);
    json_decref(root);
}
