// log_server_branches_test.c - followers of another branch of the history are told so: of a store
// that was restored, that was put back file by file, or that wrote while it kept no log.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "store/store_open.h"
#include "tests/support/leaders.h"

enum { WITHIN_MS = 5000 };

static struct temporary folder;
static struct leader leader;

static void
begin(void)
{
    temporary_init(&folder);
    leader_open(&leader, &folder, "leader");
    leader_put(&leader, "a", "1");
}

static void
end(void)
{
    leader_close(&leader);
    temporary_finish(&folder);
}

TestSuite(log_server_branches, .init = begin, .fini = end);

static enum error
ask(struct replica_place place)
{
    struct replica_log log;
    replica_source_t *source = leader_source(&leader);
    enum error error = replica_source_log(source, place, 0, clock_deadline_ms(WITHIN_MS), &log);
    replica_source_destroy(&source);
    return error;
}

// The copy of the folder that `command` makes goes on in its place.
static void
go_on_with(const char *from)
{
    char command[5 * TEMPORARY_PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s' && cp -a '%s' '%s/store'",
             leader.data, leader.data, from, leader.data);
    cr_assert_eq(system(command), 0);
    leader_open(&leader, &folder, "leader");
}

Test(log_server_branches, followers_of_a_store_that_a_checkpoint_took_the_place_of_take_a_new_one)
{
    char copy[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "copy", copy);
    struct replica_place before = leader_place(&leader);
    cr_assert_eq(store_checkpoint(leader.store, copy), STORE_OK);
    leader_put(&leader, "a", "2");
    struct replica_place after = leader_place(&leader);
    leader_close(&leader);
    go_on_with(copy);
    for (int i = 0; i < 5; i++)
        leader_put(&leader, "b", "3");
    cr_assert_eq(ask(after), ERR_NOT_FOUND, "it has what this branch does not have");
    cr_assert_eq(ask(before), ERR_NOT_FOUND, "the store has another name");
}

Test(log_server_branches, followers_of_files_that_were_put_back_go_on_where_both_are_the_same)
{
    char copy[TEMPORARY_PATH_BYTES], command[5 * TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "copy", copy);
    struct replica_place before = leader_place(&leader);
    leader_close(&leader);
    snprintf(command, sizeof command, "cp -a '%s/store' '%s'", leader.data, copy);
    cr_assert_eq(system(command), 0);
    leader_open(&leader, &folder, "leader");
    leader_put(&leader, "a", "2");
    struct replica_place other = leader_place(&leader);
    leader_close(&leader);
    go_on_with(copy);
    for (int i = 0; i < 5; i++)
        leader_put(&leader, "b", "3");
    cr_assert_eq(ask(other), ERR_NOT_FOUND, "that start is not one of these files");
    cr_assert_eq(ask(before), OK);
}

Test(log_server_branches, what_was_written_while_no_log_was_kept_is_gone)
{
    struct replica_place before = leader_place(&leader);
    leader_close(&leader);
    struct config config = leader.config;
    store_t *store;
    config.replica_endpoint = "";
    cr_assert_eq(store_open(&config, &store), OK);
    leader.store = store;
    leader_put(&leader, "a", "2");
    store_destroy(&store);
    leader_open(&leader, &folder, "leader");
    leader_put(&leader, "a", "3");
    cr_assert_eq(ask(before), ERR_NOT_FOUND);
    cr_assert_eq(ask(leader_place(&leader)), OK);
}

Test(log_server_branches, what_is_not_kept_any_more_is_gone)
{
    struct replica_place before = leader_place(&leader);
    leader_put(&leader, "a", "2");
    leader_close(&leader);
    leader_open(&leader, &folder, "leader");
    leader_put(&leader, "a", "3");
    store_release(leader.store, UINT64_MAX, 0, 0);
    cr_assert_eq(ask(before), ERR_NOT_FOUND);
}
