// audit_writer_test.c - what was noted is in the file when the writer has ended.
#include "actors/audit/audit_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/audit/audit_quota.h"
#include "proto/message/audit_files.h"
#include "tests/support/temporary.h"

static struct temporary temporary;
static char folder[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&temporary);
    temporary_path(&temporary, "audit", folder);
}

static void
end(void)
{
    temporary_finish(&temporary);
}

TestSuite(audit_writer, .init = begin, .fini = end);

static audit_writer_t *
start(bool is_each)
{
    const struct audit_writer_settings settings = {
        .log = {.folder = folder, .size = 100 << 20, .days = 30}, .is_each = is_each};
    audit_writer_t *writer;
    cr_assert_eq(audit_writer_create(&settings, &writer), OK);
    return writer;
}

static void
note(enum audit_kind kind, const char *operation, unsigned times)
{
    const struct audit_event event = {
        .kind = kind, .operation = operation, .outcome = 200, .scene = "hall"};
    for (unsigned i = 0; i < times; i++)
        audit_note(&event);
}

// In all files of a class.
static size_t
count_in(enum audit_class class, const char *words)
{
    char path[AUDIT_PATH_SIZE], *line = NULL;
    struct audit_files files = {0};
    size_t capacity = 0, count = 0;
    cr_assert_eq(audit_files_read(folder, class, &files), OK);
    for (size_t i = 0; i < files.count; i++) {
        audit_files_path(folder, class, files.firsts[i], path);
        FILE *file = fopen(path, "r");
        while (getline(&line, &capacity, file) > 0)
            count += strstr(line, words) != NULL;
        fclose(file);
    }
    free(line);
    audit_files_finish(&files);
    return count;
}

static size_t
count_lines(const char *words)
{
    return count_in(AUDIT_CLASS_WRITES, words);
}

Test(audit_writer, events_have_a_line_each_and_others_one_for_all)
{
    audit_writer_t *writer = start(false);
    note(AUDIT_EACH, "SCENE_DELETE", 3);
    note(AUDIT_MINUTE, "OBJECT_UPDATE", 1000);
    audit_writer_destroy(&writer);
    cr_assert_eq(count_lines("scene_delete"), 3);
    cr_assert_eq(count_lines("object_update"), 1);
    cr_assert_eq(count_lines("\"count\":1000"), 1);
}

Test(audit_writer, each_write_has_a_line_where_that_is_set)
{
    audit_writer_t *writer = start(true);
    note(AUDIT_MINUTE, "OBJECT_UPDATE", 100);
    audit_writer_destroy(&writer);
    cr_assert_eq(count_lines("object_update"), 100);
}

Test(audit_writer, nothing_of_many_events_is_lost)
{
    audit_writer_t *writer = start(true);
    note(AUDIT_EACH, "SCENE_DELETE", 3 * AUDIT_QUEUE_EVENTS);
    audit_writer_destroy(&writer);
    cr_assert_eq(count_lines("scene_delete"), 3 * AUDIT_QUEUE_EVENTS);
}

static void
note_of(const char *user, int outcome, unsigned times)
{
    struct audit_event event = {
        .kind = AUDIT_SECURITY, .operation = "SCENE_UPDATE", .outcome = outcome, .key = "hall"};
    snprintf(event.user, sizeof event.user, "%s", user);
    snprintf(event.address, sizeof event.address, "10.0.0.1");
    for (unsigned i = 0; i < times; i++)
        audit_note(&event);
}

Test(audit_writer, security_has_a_line_each_up_to_the_quota_of_its_source)
{
    audit_writer_t *writer = start(false);
    note_of("ann", 200, AUDIT_QUOTA_LINES + 100);
    note_of("bob", 200, 1);
    audit_writer_destroy(&writer);
    cr_assert_eq(count_in(AUDIT_CLASS_SECURITY, "scene_update"), AUDIT_QUOTA_LINES + 1);
    cr_assert_eq(count_lines("\"count\":100"), 1, "the rest is counted among the writes");
}

Test(audit_writer, same_failure_of_one_address_is_counted_among_failures)
{
    audit_writer_t *writer = start(false);
    note_of("", 401, 500);
    audit_writer_destroy(&writer);
    cr_assert_eq(count_in(AUDIT_CLASS_FAILURES, "\"count\":500"), 1);
    cr_assert_eq(count_in(AUDIT_CLASS_SECURITY, "scene_update"), 0);
}
