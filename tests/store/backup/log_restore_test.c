// log_restore_test.c - restores to times in a log of several segments, and refuses what is not
// whole.
#include "store/backup/log_restore.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "store/backup/log_folder.h"
#include "store/backup/log_writer.h"
#include "store/store_open.h"
#include "tests/support/backups.h"
#include "tests/support/engines.h"

enum { SECOND_US = 1000000, CHANGES = 36, SEGMENTS = 3 };

static struct backups_fixture fixture;
static char log_dir[TEMPORARY_PATH_BYTES], chain[LOG_CHAIN_HEX_SIZE];
static uint64_t base; // position of the backup
static uint64_t begun_us;

static void
put_change(log_writer_t *writer, uint64_t number)
{
    static char value[1 << 20];
    snprintf(value, sizeof value, "%llu", (unsigned long long)number);
    struct store_operation operation = PUT("log", "");
    operation.value = (struct bytes){value, sizeof value};
    log_writer_put_change(writer, &(struct store_change){.first = base + number,
                                                         .last = base + number,
                                                         .time_us = begun_us + number * SECOND_US,
                                                         .id = number,
                                                         .operations = &operation,
                                                         .operation_count = 1});
    log_writer_put_mark(writer, base + number, begun_us + number * SECOND_US);
    cr_assert_eq(log_writer_sync(writer, begun_us + number * SECOND_US), OK);
}

// A backup, and a log of one commit a second from there on, of a MiB each.
static void
begin(void)
{
    char path[BACKUP_PATH_SIZE];
    owned(log_writer_destroy) log_writer_t *writer = NULL;
    backups_fixture_init(&fixture);
    temporary_path(&fixture.folder, "log", log_dir);
    cr_assert_eq(backup_folder_make(log_dir), OK);
    put(fixture.store, AT("log"), BYTES("0"));
    cr_assert_eq(store_position(fixture.store, &base), STORE_OK);
    cr_assert_eq(log_writer_begin(log_dir, "store-1", base, 1000000, &writer), OK);
    log_chain_to_hex(log_writer_chain(writer), chain);
    fixture.settings.chain = chain;
    struct backup *backup = backups_make(&fixture, 2000000, path);
    cr_assert_eq((uint64_t)backup->position, base);
    begun_us = (uint64_t)backup->reached_us;
    for (uint64_t i = 1; i <= CHANGES; i++)
        put_change(writer, i);
}

static void
end(void)
{
    backups_fixture_finish(&fixture);
}

TestSuite(log_restore, .init = begin, .fini = end);

static enum error
restore_at(uint64_t time_us)
{
    struct backup_check check = {0};
    struct log_restore ask = {.backups = fixture.dir, .log = log_dir, .time_us = time_us};
    return log_restore(&ask, fixture.to, &check);
}

// What the restored store has.
static void
check_restored(const char *expected)
{
    owned(store_destroy) store_t *store = NULL;
    const struct config config = {.data_dir = fixture.to};
    const struct store_address address = AT("log");
    store_version_t version;
    owned(backup_release) char *value = NULL;
    size_t size;
    cr_assert_eq(store_open(&config, &store), OK);
    cr_assert_eq(store_get(store, &address, 0, &version, (void **)&value, &size), STORE_OK);
    cr_assert_eq(strncmp(value, expected, size < strlen(expected) ? size : strlen(expected)), 0);
}

static void
check_refused(enum error expected, uint64_t time_us, const char *why)
{
    cr_assert_eq(restore_at(time_us), expected, "%s", fault_last()->detail);
    cr_assert_neq(strstr(fault_last()->detail, why), NULL, "%s", fault_last()->detail);
    cr_assert_neq(access(fixture.to, F_OK), 0);
}

static void
remove_segment(size_t index)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    char path[BACKUP_PATH_SIZE];
    cr_assert_eq(log_folder_read(log_dir, NULL, NULL, &segments), OK);
    cr_assert_eq(segments.count, SEGMENTS);
    cr_assert_eq(backup_path(log_dir, segments.items[index].name, path), OK);
    cr_assert_eq(unlink(path), 0);
}

Test(log_restore, goes_to_the_second_over_segments)
{
    cr_assert_eq(restore_at(begun_us + 33 * SECOND_US + 1), OK, "%s", fault_last()->detail);
    check_restored("33");
}

Test(log_restore, goes_to_the_backup_alone)
{
    cr_assert_eq(restore_at(begun_us), OK, "%s", fault_last()->detail);
    check_restored("0");
}

Test(log_restore, goes_to_the_end)
{
    cr_assert_eq(restore_at(LOG_RESTORE_END), OK, "%s", fault_last()->detail);
    check_restored("36");
}

Test(log_restore, goes_no_further_than_the_last_mark)
{
    check_refused(ERR_CONFLICT, begun_us + CHANGES * SECOND_US + 1, "the log reaches until");
}

Test(log_restore, refuses_a_log_without_its_first_segment)
{
    remove_segment(0);
    check_refused(ERR_CONFLICT, LOG_RESTORE_END, "the log lacks what was written before");
}

Test(log_restore, refuses_a_log_with_a_hole)
{
    remove_segment(1);
    check_refused(ERR_CONFLICT, LOG_RESTORE_END, "a segment of the log is missing before");
}

Test(log_restore, does_not_need_segments_behind_its_time)
{
    remove_segment(2);
    cr_assert_eq(restore_at(begun_us + 5 * SECOND_US), OK, "%s", fault_last()->detail);
    check_restored("5");
}

Test(log_restore, reaches_less_far_without_the_last_segment)
{
    remove_segment(2);
    check_refused(ERR_CONFLICT, begun_us + CHANGES * SECOND_US, "the log reaches until");
}

Test(log_restore, refuses_the_log_of_another_server)
{
    owned(log_writer_destroy) log_writer_t *writer = NULL;
    temporary_path(&fixture.folder, "other", log_dir);
    cr_assert_eq(backup_folder_make(log_dir), OK);
    cr_assert_eq(log_writer_begin(log_dir, "store-2", base, 1000000, &writer), OK);
    check_refused(ERR_CONFLICT, LOG_RESTORE_END, "has nothing that goes on from");
}
