// audit_log_test.c - lines in files: their chain over restarts, torn lines, rotation, removal.
#include "actors/audit/audit_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/token.h"
#include "proto/message/audit_files.h"
#include "proto/records/audit_line.h"
#include "tests/support/temporary.h"

static struct temporary temporary;
static char folder[TEMPORARY_PATH_BYTES];
static audit_log_t *opened;

static void
open_log(uint64_t size)
{
    const struct audit_log_settings settings = {.folder = folder, .size = size, .days = 30};
    cr_assert_eq(audit_log_open(&settings, &opened), OK);
}

static void
begin(void)
{
    temporary_init(&temporary);
    temporary_path(&temporary, "audit", folder);
    open_log(100 << 20);
}

static void
end(void)
{
    audit_log_close(&opened);
    temporary_finish(&temporary);
}

TestSuite(audit_log, .init = begin, .fini = end);

static void
add(const char *key)
{
    struct audit_event event = {.operation = "SCENE_DELETE", .noun = "scene", .outcome = 200};
    snprintf(event.key, sizeof event.key, "%s", key);
    audit_log_add(opened, AUDIT_CLASS_WRITES, &event, 1, NULL);
    cr_assert(audit_log_write(opened));
}

// Checks the chain over all files; returns the number of lines.
static size_t
check_chain(void)
{
    struct audit_files files = {0};
    char path[AUDIT_PATH_SIZE], before[AUDIT_HASH_SIZE] = "", wanted[128];
    char *line = NULL;
    size_t capacity = 0, lines = 0;
    cr_assert_eq(audit_files_read(folder, AUDIT_CLASS_WRITES, &files), OK);
    for (size_t i = 0; i < files.count; i++) {
        audit_files_path(folder, AUDIT_CLASS_WRITES, files.firsts[i], path);
        FILE *file = fopen(path, "r");
        for (ssize_t size; (size = getline(&line, &capacity, file)) > 0; lines++) {
            cr_assert_eq(line[size - 1], '\n');
            snprintf(wanted, sizeof wanted, "\"before\":\"%s\"", before);
            cr_assert(!before[0] || strstr(line, wanted), "%s in %s", wanted, line);
            token_digest(line, (size_t)size - 1, NULL, before, sizeof before);
        }
        fclose(file);
    }
    free(line);
    audit_files_finish(&files);
    return lines;
}

static void
newest_path(char *ret_path)
{
    struct audit_files files = {0};
    cr_assert_eq(audit_files_read(folder, AUDIT_CLASS_WRITES, &files), OK);
    audit_files_path(folder, AUDIT_CLASS_WRITES, files.firsts[files.count - 1], ret_path);
    audit_files_finish(&files);
}

Test(audit_log, chain_goes_on_after_a_restart)
{
    add("one");
    add("two");
    audit_log_close(&opened);
    open_log(100 << 20);
    add("three");
    cr_assert_eq(check_chain(), 3);
}

Test(audit_log, torn_line_is_cut_and_the_next_line_says_so)
{
    char path[AUDIT_PATH_SIZE], content[4096] = "";
    add("one");
    audit_log_close(&opened);
    newest_path(path);
    FILE *file = fopen(path, "a");
    fputs("{\"number\":2,\"ti", file);
    fclose(file);
    open_log(100 << 20);
    add("three");
    cr_assert_eq(check_chain(), 3);
    file = fopen(path, "r");
    cr_assert(fread(content, 1, sizeof content - 1, file) > 0);
    fclose(file);
    cr_assert(strstr(content, "\"operation\":\"audit_cut\""));
    cr_assert(strstr(content, "\"count\":15"));
}

Test(audit_log, is_rotated_by_size_and_the_oldest_go)
{
    audit_log_close(&opened);
    open_log(50000); // files of 2,000 bytes
    for (int i = 0; i < 300; i++) {
        add("scene");
        audit_log_keep(opened, (uint64_t)i + 1);
    }
    struct audit_files files = {0};
    cr_assert_eq(audit_files_read(folder, AUDIT_CLASS_WRITES, &files), OK);
    cr_assert(files.count > 5 && files.count < 12, "%zu", files.count);
    cr_assert(files.firsts[0] > 1, "the oldest is gone");
    audit_files_finish(&files);
    size_t lines = check_chain();
    cr_assert(lines > 30 && lines < 300);
    audit_log_close(&opened);
    open_log(50000);
    add("later");
    cr_assert_eq(check_chain(), lines + 1);
}

Test(audit_log, chain_goes_on_behind_an_empty_file)
{
    audit_log_close(&opened);
    open_log(2500);
    add("one"), add("two"), add("three"), add("four");
    audit_log_keep(opened, 1); // the next file is there, and empty
    audit_log_close(&opened);
    open_log(2500);
    add("five");
    cr_assert_eq(check_chain(), 5);
}

Test(audit_log, file_that_was_moved_away_is_followed_by_another)
{
    char path[AUDIT_PATH_SIZE], moved[AUDIT_PATH_SIZE + 8], now[AUDIT_PATH_SIZE];
    add("one");
    newest_path(path);
    snprintf(moved, sizeof moved, "%s.1", path);
    cr_assert_eq(rename(path, moved), 0);
    audit_log_reopen(opened);
    add("two");
    newest_path(now);
    cr_assert(strstr(now, "audit-writes-000000000002.jsonl"));
    audit_log_close(&opened);
    open_log(100 << 20);
    add("three");
    cr_assert_eq(check_chain(), 2);
}

Test(audit_log, is_closed_to_others)
{
    struct stat found;
    char path[AUDIT_PATH_SIZE];
    newest_path(path);
    cr_assert_eq(stat(path, &found), 0);
    cr_assert_eq(found.st_mode & 077, 0);
    cr_assert_eq(stat(folder, &found), 0);
    cr_assert_eq(found.st_mode & 077, 0);
}

static void
add_to(enum audit_class class, const char *key)
{
    struct audit_event event = {.operation = "LOGIN", .outcome = 200};
    snprintf(event.key, sizeof event.key, "%s", key);
    audit_log_add(opened, class, &event, 1, NULL);
    cr_assert(audit_log_write(opened));
    audit_log_keep(opened, 1);
}

static size_t
count_files(enum audit_class class, uint64_t *ret_first)
{
    struct audit_files files = {0};
    cr_assert_eq(audit_files_read(folder, class, &files), OK);
    size_t count = files.count;
    *ret_first = count ? files.firsts[0] : 0;
    audit_files_finish(&files);
    return count;
}

Test(audit_log, no_class_pushes_out_lines_of_another)
{
    uint64_t first;
    audit_log_close(&opened);
    open_log(50000);
    add_to(AUDIT_CLASS_SECURITY, "ann");
    add_to(AUDIT_CLASS_FAILURES, "ann");
    for (int i = 0; i < 500; i++)
        add_to(AUDIT_CLASS_WRITES, "hall");
    count_files(AUDIT_CLASS_WRITES, &first);
    cr_assert(first > 1);
    cr_assert_eq(count_files(AUDIT_CLASS_SECURITY, &first), 1);
    cr_assert_eq(first, 1);
    cr_assert_eq(count_files(AUDIT_CLASS_FAILURES, &first), 1);
    cr_assert_eq(audit_log_written(opened), 502);
}

Test(audit_log, numbers_go_on_behind_those_of_all_classes)
{
    add_to(AUDIT_CLASS_WRITES, "hall");
    add_to(AUDIT_CLASS_SECURITY, "ann");
    audit_log_close(&opened);
    open_log(100 << 20);
    cr_assert_eq(audit_log_written(opened), 2);
    add_to(AUDIT_CLASS_WRITES, "yard");
    cr_assert_eq(audit_log_written(opened), 3);
    cr_assert_eq(check_chain(), 2, "its chain is its own");
}
