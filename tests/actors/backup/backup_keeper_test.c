// backup_keeper_test.c - when backups are made, one at a time, and what is told of them.
#include "actors/backup/backup_keeper.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "proto/message/message.h"
#include "tests/support/backups.h"
#include "tests/support/engines.h"

static struct backups_fixture fixture;
static backup_keeper_t *keeper;
static char elsewhere[TEMPORARY_PATH_BYTES]; // borrowed until the keeper's end

static void
begin(void)
{
    backups_fixture_init(&fixture);
}

static void
end(void)
{
    backup_keeper_destroy(&keeper);
    backups_fixture_finish(&fixture);
}

TestSuite(backup_keeper, .init = begin, .fini = end);

static void
start(const char *dir, uint64_t every_s, size_t keep)
{
    const struct backup_keeper_settings settings = {
        .data_dir = fixture.data,
        .dir = dir,
        .every_s = every_s,
        .keep = keep,
        .version = "1",
        .epoch = 7,
        .store = fixture.store,
        .blobs = fixture.blobs,
    };
    cr_assert_eq(backup_keeper_create(&settings, &keeper), OK);
}

static const struct backup *
backup_of(const struct message *list, uint32_t index)
{
    return (const struct backup *)(const void *)frozen_record(list->reply.records[index]);
}

// The list, once no backup runs and there are so many.
static struct message *
await_list(uint32_t count)
{
    for (;;) {
        struct message *list = message_create(BACKUP_LIST);
        cr_assert_eq(backup_keeper_list(keeper, list, 100), OK);
        if (list->reply.count >= count && !text_is(backup_of(list, 0)->state, "running"))
            return list;
        message_destroy(&list);
        usleep(1000);
    }
}

Test(backup_keeper, a_backup_runs_when_it_is_asked_for_and_is_listed_when_it_is_done)
{
    const frozen_t *begun;
    start(fixture.dir, 0, 0);
    cr_assert_eq(backup_keeper_begin(keeper, &begun), OK);
    const struct backup *running = (const struct backup *)(const void *)frozen_record(begun);
    cr_assert_str_eq(text_chars(running->state), "running");
    struct message *list = await_list(1);
    cr_assert_eq(list->reply.count, 1);
    cr_assert_str_eq(text_chars(backup_of(list, 0)->state), "done");
    cr_assert(text_equal(backup_of(list, 0)->key, running->key));
    message_destroy(&list);
    record_unref(&begun);
}

Test(backup_keeper, who_asks_before_the_first_one_is_told_that_there_are_none)
{
    struct message *list = message_create(BACKUP_LIST);
    temporary_path(&fixture.folder, "not-there-yet", elsewhere);
    start(elsewhere, 0, 0);
    cr_assert_eq(backup_keeper_list(keeper, list, 100), OK);
    cr_assert_eq(list->reply.count, 0);
    message_destroy(&list);
}

Test(backup_keeper, there_are_none_without_a_folder)
{
    const frozen_t *begun;
    struct message *list = message_create(BACKUP_LIST);
    start("", 0, 0);
    cr_assert_eq(backup_keeper_begin(keeper, &begun), ERR_CONFLICT);
    cr_assert_eq(backup_keeper_list(keeper, list, 100), ERR_CONFLICT);
    message_destroy(&list);
}

Test(backup_keeper, a_failure_is_listed_with_its_reason)
{
    const frozen_t *begun;
    temporary_path(&fixture.folder, "missing/backups", elsewhere);
    start(elsewhere, 0, 0);
    cr_assert_eq(backup_keeper_begin(keeper, &begun), OK);
    record_unref(&begun);
    struct message *list = await_list(1);
    cr_assert_str_eq(text_chars(backup_of(list, 0)->state), "failed");
    cr_assert_not_null(strstr(text_chars(backup_of(list, 0)->reason), elsewhere));
    message_destroy(&list);
}

Test(backup_keeper, they_come_by_themselves_newest_first)
{
    start(fixture.dir, 1, 0);
    struct message *list = await_list(2);
    cr_assert_gt(text_compare(backup_of(list, 0)->key, backup_of(list, 1)->key), 0);
    message_destroy(&list);
}

Test(backup_keeper, a_list_has_no_more_than_wanted)
{
    start(fixture.dir, 1, 0);
    struct message *list = await_list(2), *page = message_create(BACKUP_LIST);
    cr_assert_eq(backup_keeper_list(keeper, page, 1), OK);
    cr_assert_eq(page->reply.count, 1);
    message_destroy(&page);
    message_destroy(&list);
}

Test(backup_keeper, its_end_does_not_wait_for_the_next_one)
{
    start(fixture.dir, 86400, 0);
    struct message *list = await_list(1);
    message_destroy(&list);
    backup_keeper_destroy(&keeper);
    cr_assert_null(keeper);
}
