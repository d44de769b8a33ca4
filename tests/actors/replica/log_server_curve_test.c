// log_server_curve_test.c - with keys of CURVE only followers whose key the leader has are
// answered.
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/replica/log_server.h"
#include "proto/base/clock.h"
#include "proto/feed/curve.h"
#include "tests/support/leaders.h"

enum { WITHIN_MS = 5000, REFUSED_MS = 500, PATH_SIZE = TEMPORARY_PATH_BYTES + 64 };

static struct temporary folder;
static struct leader leader;
static char leader_keys[TEMPORARY_PATH_BYTES], follower_keys[TEMPORARY_PATH_BYTES];
static char allowed[PATH_SIZE];
static struct curve_keys pair, own;
static replica_source_t *source;

static void
connect_follower(const char *keys)
{
    const struct replica_source_settings settings = {
        .endpoint = log_server_endpoint(leader.server), .curve = keys, .leader_key = pair.open};
    replica_source_destroy(&source);
    cr_assert_eq(replica_source_create(&settings, &source), OK, "%s", fault_last()->detail);
}

static void
begin(void)
{
    char path[PATH_SIZE];
    temporary_init(&folder);
    temporary_path(&folder, "leader-keys", leader_keys);
    temporary_path(&folder, "follower-keys", follower_keys);
    leader_open(&leader, &folder, "leader");
    log_server_destroy(&leader.server);
    leader.config.replica_curve = leader_keys;
    leader_serve(&leader);
    snprintf(path, sizeof path, "%s/server.key", leader_keys);
    cr_assert_eq(curve_keys_read(path, &pair), OK, "the leader made a pair");
    cr_assert_eq(mkdir(follower_keys, 0700), 0);
    snprintf(path, sizeof path, "%s/server.key", follower_keys);
    cr_assert_eq(curve_keys_make(path, &own), OK);
    snprintf(allowed, sizeof allowed, "%s/clients/follower.key", leader_keys);
}

static void
end(void)
{
    replica_source_destroy(&source);
    leader_close(&leader);
    temporary_finish(&folder);
}

TestSuite(log_server_curve, .init = begin, .fini = end);

static enum error
ask(int within_ms)
{
    struct replica_log log;
    return replica_source_log(source, leader_place(&leader), 0,
                              clock_deadline_ms((uint64_t)within_ms), &log);
}

Test(log_server_curve, a_follower_whose_key_it_has_is_answered)
{
    cr_assert_eq(curve_keys_tell(allowed, &own), OK);
    connect_follower(follower_keys);
    cr_assert_eq(ask(WITHIN_MS), OK, "%s", fault_last()->detail);
}

Test(log_server_curve, a_follower_whose_key_it_does_not_have_is_not_answered)
{
    connect_follower(follower_keys);
    cr_assert_eq(ask(REFUSED_MS), ERR_UNAVAILABLE);
}

Test(log_server_curve, a_follower_without_keys_is_not_answered)
{
    connect_follower("");
    cr_assert_eq(ask(REFUSED_MS), ERR_UNAVAILABLE);
}

Test(log_server_curve, a_follower_whose_key_is_removed_is_not_answered_any_more)
{
    cr_assert_eq(curve_keys_tell(allowed, &own), OK);
    connect_follower(follower_keys);
    cr_assert_eq(ask(WITHIN_MS), OK);
    cr_assert_eq(unlink(allowed), 0);
    uint64_t until_ms = clock_deadline_ms(WITHIN_MS);
    while (ask(REFUSED_MS) == OK)
        cr_assert_gt(clock_left_ms(until_ms), 0);
    cr_assert_eq(curve_keys_tell(allowed, &own), OK, "it may again");
    until_ms = clock_deadline_ms(WITHIN_MS);
    while (ask(REFUSED_MS) != OK)
        cr_assert_gt(clock_left_ms(until_ms), 0);
}
