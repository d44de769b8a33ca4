// audit_search_test.c - which lines of the log a request gets.
#include "actors/audit/audit_search.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/audit/audit_log.h"
#include "proto/records/audit_line.h"
#include "tests/support/asker.h"
#include "tests/support/temporary.h"

static struct temporary temporary;
static char folder[TEMPORARY_PATH_BYTES];
static uint64_t last = UINT64_MAX; // line that is looked at

enum { LINES = 40 };

// Line n has the key "k<n>" and is by ann or bob, in turn; there are several files, and each fourth
// line concerns security.
static void
begin(void)
{
    audit_log_t *log;
    temporary_init(&temporary);
    temporary_path(&temporary, "audit", folder);
    const struct audit_log_settings settings = {.folder = folder, .size = 75000, .days = 30};
    cr_assert_eq(audit_log_open(&settings, &log), OK);
    for (int i = 1; i <= LINES; i++) {
        struct audit_event event = {
            .operation = "SCENE_PUT", .outcome = 200, .time_us = (uint64_t)i * 1000000};
        enum audit_class class = i % 4 ? AUDIT_CLASS_WRITES : AUDIT_CLASS_SECURITY;
        snprintf(event.key, sizeof event.key, "k%d", i);
        snprintf(event.user, sizeof event.user, "%s", i % 2 ? "ann" : "bob");
        audit_log_add(log, class, &event, 1, NULL);
        cr_assert(audit_log_write(log));
        audit_log_keep(log, (uint64_t)i);
    }
    audit_log_close(&log);
}

static void
end(void)
{
    temporary_finish(&temporary);
}

TestSuite(audit_search, .init = begin, .fini = end);

static struct message *
find(const char *filter, int64_t most, int64_t start)
{
    struct message *message = message_create(AUDIT_LIST);
    audit_search_t *search;
    if (filter)
        asker_set_records(message, &audit_line_schema, filter);
    record_set_integer(&message->params->base, PARAMS_NUM_RECORDS, most);
    record_set_integer(&message->params->base, PARAMS_START_RECORD, start);
    cr_assert_eq(audit_search_create(folder, last, &message, &search), OK);
    while (!audit_search_continue(search))
        ;
    message = audit_search_take(search);
    audit_search_destroy(&search);
    return message;
}

// Checks how many lines are found, and the number of the first.
static void
assert_found(const char *filter, int64_t most, int64_t start, unsigned count, int64_t first)
{
    struct message *message = find(filter, most, start);
    cr_assert_eq(message->reply.count, count, "%u", message->reply.count);
    const struct audit_line *line =
        count ? (const struct audit_line *)(const void *)reply_record(&message->reply, 0) : NULL;
    cr_assert(!line || line->number == first);
    cr_assert(!line || text_size(line->hash) == AUDIT_HASH_SIZE - 1);
    message_destroy(&message);
}

Test(audit_search, page_is_of_the_oldest_lines)
{
    assert_found(NULL, 10, 0, 10, 1);
    assert_found(NULL, 10, 35, 5, 36);
}

Test(audit_search, filter_compares_members)
{
    assert_found("{'user':'bob'}", 100, 0, LINES / 2, 2);
    assert_found("{'key':'k7'}", 100, 0, 1, 7);
    assert_found("{'operation':'scene_put','user':'ann'}", 3, 0, 3, 1);
    assert_found("{'operation':'login'}", 100, 0, 0, 0);
}

Test(audit_search, after_is_a_number_or_a_time)
{
    assert_found("{'after':'38'}", 100, 0, 2, 39);
    assert_found("{'after':'1970-01-01T00:00:38Z'}", 100, 0, 2, 39);
    assert_found("{'after':'1971'}", 100, 0, 0, 0);
}

Test(audit_search, class_is_told_and_can_be_asked_for)
{
    assert_found("{'class':'security'}", 100, 0, LINES / 4, 4);
    assert_found("{'class':'writes','after':'37'}", 100, 0, 2, 38);
    assert_found("{'class':'failures'}", 100, 0, 0, 0);
}

Test(audit_search, lines_beyond_what_all_classes_have_written_wait)
{
    last = 30;
    assert_found("{'after':'25'}", 100, 0, 5, 26);
}
