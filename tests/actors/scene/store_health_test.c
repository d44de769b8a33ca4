// store_health_test.c - what a scene actor says and does while the store takes no writes.
#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

enum { PATIENCE_MS = 10000 };

#define PING_OF(service) DO((service), PING, .scene = "hall")

// Pings until the answer is this one. The first ping after a while has the store looked at.
static void
await_health(struct service *service, enum error expected)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (PING_OF(service) != expected)
        cr_assert_gt(clock_left_ms(deadline_ms), 0, "it never says %s", error_slug(expected));
}

static enum error
put_scene(struct service *service)
{
    return DO(service, SCENE_PUT, .scene = "hall", .records = "{'name':'new'}");
}

SHARDED_TEST(store_health, is_good_from_the_start)
{
    cr_assert_eq(PING_OF(service), OK);
}

SHARDED_TEST(store_health, a_full_disk_refuses_writes_with_its_own_error_and_reads_go_on)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{'name':'old'}"), OK);
    service_set_faults(service, "full=1");
    owned(message_destroy) struct message *refused =
        ASK(service, SCENE_PUT, .scene = "hall", .records = "{'name':'new'}");
    cr_assert_eq(refused->reply.fault.error, ERR_STORAGE_FULL);
    cr_assert_str_eq(refused->reply.fault.detail,
                     "the disk of the store is full; nothing was written");
    owned(message_destroy) struct message *read = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(read->reply.fault.error, OK);
    cr_assert(text_is(reply_scene(read, 0)->name, "old"));
}

SHARDED_TEST(store_health, after_a_refused_write_a_ping_says_why)
{
    service_set_faults(service, "full=1");
    cr_assert_eq(put_scene(service), ERR_STORAGE_FULL);
    owned(message_destroy) struct message *ping = ASK(service, PING, .scene = "hall");
    cr_assert_eq(ping->reply.fault.error, ERR_UNAVAILABLE);
    cr_assert_str_eq(ping->reply.fault.detail,
                     "writes are refused, reads go on: the disk of the store is full; nothing was "
                     "written");
}

SHARDED_TEST(store_health, pings_alone_find_out_that_the_store_takes_writes_again)
{
    service_set_faults(service, "unavailable=1");
    cr_assert_eq(put_scene(service), ERR_UNAVAILABLE);
    cr_assert_eq(PING_OF(service), ERR_UNAVAILABLE);
    service_set_faults(service, "");
    await_health(service, OK);
    cr_assert_eq(put_scene(service), OK);
}

SHARDED_TEST(store_health, a_write_that_is_taken_makes_it_good_at_once)
{
    service_set_faults(service, "full=1");
    cr_assert_eq(put_scene(service), ERR_STORAGE_FULL);
    service_set_faults(service, "");
    cr_assert_eq(put_scene(service), OK);
    cr_assert_eq(PING_OF(service), OK);
}

SHARDED_TEST(store_health, what_is_wrong_with_one_commit_is_not_wrong_with_the_store)
{
    service_set_faults(service, "conflict=1");
    cr_assert_eq(put_scene(service), ERR_CONFLICT);
    cr_assert_eq(PING_OF(service), OK);
}

SHARDED_TEST(store_health, a_ping_does_not_wait_for_the_disk)
{
    gate_close(service->store, GATE_COMMITS);
    uint64_t put = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    cr_assert_eq(PING_OF(service), OK);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, put), OK);
}

SHARDED_TEST(store_health, requests_behind_a_refused_one_are_refused_too)
{
    gate_close(service->store, GATE_COMMITS);
    service_set_faults(service, "full=1");
    uint64_t first = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'1'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t second = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'2'}");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), ERR_STORAGE_FULL);
    cr_assert_eq(service_outcome(service, second), ERR_STORAGE_FULL);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
}
