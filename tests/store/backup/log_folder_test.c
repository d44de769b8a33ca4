// log_folder_test.c - the order of segments, and which of them may go.
#include "store/backup/log_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

enum { SECOND_US = 1000000 };

static struct temporary folder;
static char dir[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "log", dir);
    cr_assert_eq(backup_folder_make(dir), OK);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(log_folder, .init = begin, .fini = end);

static void
add(const char *name, unsigned char chain, uint64_t number, uint64_t after, uint64_t started_s)
{
    owned(buffer_finish) struct buffer body = {0}, out = {0};
    struct log_digest digest = {0};
    char path[BACKUP_PATH_SIZE];
    const struct log_segment segment = {.chain = {chain},
                                        .number = number,
                                        .after = after,
                                        .started_us = started_s * SECOND_US,
                                        .lineage = "store-1"};
    log_put_header(&body, &segment);
    log_put_frame(&out, &body, &digest);
    cr_assert_eq(backup_path(dir, name, path), OK);
    cr_assert_eq(backup_file_write(path, out.data, out.size), OK);
}

// The first letters of the names, in order.
static const char *
names(char ret_names[200])
{
    owned(log_segments_finish) struct log_segments segments = {0};
    cr_assert_eq(log_folder_read(dir, NULL, NULL, &segments), OK);
    ret_names[0] = '\0';
    for (size_t i = 0; i < segments.count; i++)
        strncat(ret_names, segments.items[i].name, 1); // their names have one letter
    return ret_names;
}

static void
prune(const struct log_need *needs, size_t count, unsigned char active_chain)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    const unsigned char active[LOG_CHAIN_BYTES] = {active_chain};
    cr_assert_eq(log_folder_read(dir, NULL, NULL, &segments), OK);
    cr_assert_eq(log_folder_prune(dir, &segments, needs, count, active), OK);
}

// Chain 9 is older than chain 1, whose calendar stepped back in between.
static void
add_two_chains(void)
{
    add("d.log", 1, 1, 40, 4000);
    add("a.log", 9, 0, 0, 1000);
    add("c.log", 1, 0, 30, 3000);
    add("e.log", 1, 2, 50, 3500);
    add("b.log", 9, 1, 20, 2000);
}

Test(log_folder, segments_are_in_the_order_of_their_chains_and_numbers)
{
    char text[200];
    add_two_chains();
    cr_assert_str_eq(names(text), "abcde");
}

static void
note(void *context, const char *what)
{
    cr_assert_neq(strstr(what, "x.log"), NULL);
    ++*(int *)context;
}

Test(log_folder, other_files_are_told_and_left_out)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    char path[BACKUP_PATH_SIZE];
    int count = 0;
    cr_assert_eq(backup_path(dir, "x.log", path), OK);
    cr_assert_eq(backup_file_write(path, "\0\0\0\4text of no segment at all", 30), OK);
    cr_assert_eq(log_folder_read(dir, note, &count, &segments), OK);
    cr_assert_eq(segments.count, 0);
    cr_assert_eq(count, 1);
}

Test(log_folder, what_is_before_the_oldest_backup_goes)
{
    char text[200];
    const struct log_need needs[] = {
        {.chain = {1}, .position = 45, .created_us = 9000ul * SECOND_US},
        {.chain = {1}, .position = 60, .created_us = 9100ul * SECOND_US}};
    add_two_chains();
    prune(needs, 2, 1);
    cr_assert_str_eq(names(text), "de", "d has what is between 45 and 50");
}

Test(log_folder, the_newest_segment_of_a_chain_stays)
{
    char text[200];
    const struct log_need need = {.chain = {1}, .position = 99, .created_us = 9000ul * SECOND_US};
    add_two_chains();
    prune(&need, 1, 1);
    cr_assert_str_eq(names(text), "e");
}

Test(log_folder, a_segment_that_ended_just_before_a_backup_stays)
{
    char text[200];
    const struct log_need need = {.chain = {1}, .position = 45, .created_us = 4059ul * SECOND_US};
    add_two_chains();
    prune(&need, 1, 1);
    cr_assert_str_eq(names(text), "cde", "its blobs may not be in the backup");
}

Test(log_folder, the_chain_that_is_written_stays_without_a_backup)
{
    char text[200];
    add_two_chains();
    prune(NULL, 0, 1);
    cr_assert_str_eq(names(text), "cde");
}

Test(log_folder, blobs_go_with_their_segment)
{
    char path[BACKUP_PATH_SIZE];
    add_two_chains();
    cr_assert_eq(backup_path(dir, "a.blobs", path), OK);
    cr_assert_eq(backup_folder_make(path), OK);
    prune(NULL, 0, 1);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(log_folder, is_written_by_one_process)
{
    int lock, second;
    cr_assert_eq(log_folder_take(dir, &lock), OK);
    cr_assert_eq(log_folder_take(dir, &second), ERR_CONFLICT);
    close(lock);
    cr_assert_eq(log_folder_take(dir, &second), OK);
    close(second);
}
