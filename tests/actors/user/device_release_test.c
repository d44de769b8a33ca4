// device_release_test.c - device keys of users who are gone are given up, whatever ends between.
#include "actors/user/device_release.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <time.h>

#include "actors/user/user_family.h"
#include "actors/user/user_index.h"
#include "actors/user/user_writes.h"
#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/metrics.h"
#include "tests/support/user_service.h"

TestSuite(device_release, .init = user_service_begin, .fini = user_service_end, .timeout = 120);

enum { DEVICES = 450 }; // more than two pages

#define GONE "0123456789abcdef01234567"

static void
add_claims(struct user_writes *writes, struct arena *arena, const char *user, unsigned first,
           unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct record *claim = record_new(arena, &claim_schema);
        record_set_text(claim, CLAIM_DEVICE, text_format(arena, "d%06u", first + i));
        record_set_text(claim, CLAIM_USER, text_from(arena, user));
        user_writes_add(writes, KEY_CLAIM, NULL, claim);
    }
}

static void
write_claims(store_t *store, const char *user, unsigned first, unsigned count)
{
    owned(arena_finish) struct arena arena = {0};
    owned(user_writes_finish) struct user_writes writes = {0};
    add_claims(&writes, &arena, user, first, count);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

// What the commit that removed the user has left behind.
static void
write_leaver(store_t *store, const char *user)
{
    owned(arena_finish) struct arena arena = {0};
    struct buffer value = {0};
    struct record *leaver = record_new(&arena, &leaver_schema);
    record_set_text(leaver, LEAVER_USER, text_from(&arena, user));
    record_to_stored(leaver, &value);
    const struct key key = key_of_text(KEY_LEAVER, record_key(leaver));
    const struct store_operation put = {.address = {FAMILY_USER, 0, key_bytes(&key)},
                                        .value = {value.data, value.size}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, clock_deadline_ms(USER_SERVICE_WAIT_MS)), STORE_OK);
    buffer_finish(&value);
}

static bool
count_one(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)key, (void)version, (void)value;
    ++*(unsigned *)context;
    return true;
}

static unsigned
count_stored(key_tag_t tag)
{
    unsigned count = 0;
    const struct key low = key_of_tag(tag), high = key_after(&low);
    cr_assert_eq(store_scan(user_service.store, FAMILY_USER, 0, key_bytes(&low), key_bytes(&high),
                            false, 0, clock_deadline_ms(USER_SERVICE_WAIT_MS), count_one, &count),
                 STORE_OK);
    return count;
}

// Each look gives the actor another turn.
static void
await_release(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t deadline_ms = clock_deadline_ms(USER_SERVICE_WAIT_MS);
    while (count_stored(KEY_LEAVER) > 0 && clock_left_ms(deadline_ms) > 0)
        nanosleep(&moment, NULL);
    cr_assert_eq(0, count_stored(KEY_LEAVER));
}

static void
restart_with_gone(size_t memory)
{
    user_service_stop();
    store_t *store = user_service_open_store();
    write_claims(store, GONE, 0, DEVICES);
    write_claims(store, "somebody", DEVICES, 1);
    write_leaver(store, GONE);
    store_destroy(&store);
    user_service.memory = memory;
    user_service_start();
}

Test(device_release, a_start_gives_up_what_a_kill_has_left)
{
    restart_with_gone(USER_SERVICE_MEMORY);
    await_release();
    cr_expect_eq(1, count_stored(KEY_CLAIM), "that of another user stays");
}

Test(device_release, without_memory_too)
{
    restart_with_gone(0);
    await_release();
    cr_expect_eq(1, count_stored(KEY_CLAIM));
}

Test(device_release, what_a_commit_that_failed_took_back_is_given_up_later)
{
    user_service_set_faults("unavailable=2");
    restart_with_gone(USER_SERVICE_MEMORY);
    await_release();
    cr_expect_eq(1, count_stored(KEY_CLAIM));
}

// The last of its commits, which takes the leaver out, is the only one here.
Test(device_release, a_store_that_takes_no_commit_is_asked_once_a_second)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    user_service_stop();
    store_t *store = user_service_open_store();
    write_leaver(store, GONE);
    store_destroy(&store);
    user_service_set_faults("unavailable=1");
    uint64_t failed = counter_get(COUNT_COMMITS_FAILED), began_ms = clock_now_ms();
    user_service_start();
    while (counter_get(COUNT_COMMITS_FAILED) - failed < 3)
        nanosleep(&moment, NULL);
    cr_expect_leq(2000, clock_now_ms() - began_ms);
    user_service_set_faults("latency=0");
}

static void
sign_up_with_devices(const char *name, char ret_user[USER_ID_SIZE])
{
    user_service_sign_up(name, ret_user);
    write_claims(user_service.store, ret_user, 0, DEVICES);
}

Test(device_release, the_devices_of_who_is_deleted_leave_the_store)
{
    char ann[USER_ID_SIZE];
    sign_up_with_devices("ann", ann);
    cr_assert_eq(user_service_outcome(user_request_about(USER_DELETE, NULL, ann)), OK);
    await_release();
    cr_expect_eq(0, count_stored(KEY_CLAIM));
}

// Nobody is there who could be asked to give up anything.
Test(device_release, a_deletion_that_is_not_durable_gives_nothing_up)
{
    char ann[USER_ID_SIZE];
    sign_up_with_devices("ann", ann);
    user_service_set_faults("unavailable=1");
    cr_assert_eq(user_service_outcome(user_request_about(USER_DELETE, NULL, ann)), ERR_UNAVAILABLE);
    user_service_set_faults("latency=0");
    user_service_stop();
    user_service_start();
    cr_expect_eq(DEVICES, count_stored(KEY_CLAIM));
}
