// held_locks_test.c - locks of devices that left end, however many there are and whatever happens.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/records/device.h"
#include "tests/support/scene_service.h"

#define PHONE "{'devices':[{'key':'phone'}]}"

static uint32_t
count_devices(struct service *service, const char *scene)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct records *devices = reply_scene(answer, 0)->devices;
    return devices ? devices->count : 0;
}

// How many objects of the scene the device holds.
static uint32_t
count_held(struct service *service, const char *scene, const char *owner)
{
    char filter[64];
    snprintf(filter, sizeof filter, "{'owner':'%s'}", owner);
    owned(message_destroy) struct message *answer =
        ASK(service, OBJECT_QUERY, .scene = scene, .records = filter);
    cr_assert_eq(answer->reply.fault.error, OK);
    return answer->reply.count;
}

static void
create_held(struct service *service, int count)
{
    owned(buffer_finish) struct buffer bulk = {0};
    for (int i = 0; i < count; i++)
        buffer_put_format(&bulk, "%s{'owner':'phone'}", i ? "," : "[");
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data), OK);
    cr_assert_eq(count_held(service, "hall", "phone"), count);
}

// Whether all locks of the device end: what one commit does not take follows the departure.
static bool
gets_free(struct service *service, const char *device)
{
    uint64_t deadline_ms = clock_deadline_ms(20000);
    while (count_held(service, "hall", device) > 0)
        if (clock_left_ms(deadline_ms) == 0)
            return false;
    return true;
}

SHARDED_TEST(held_locks, more_locks_than_a_commit_takes_are_released)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    create_held(service, 1500);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert(gets_free(service, "phone"));
    cr_assert_eq(count_devices(service, "hall"), 0);
}

SHARDED_TEST(held_locks, leaving_goes_on_after_a_commit_of_released_locks_failed)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    create_held(service, 1500);
    service_set_faults(service, "unavailable=2");
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK); // the first; the next one fails
    enum error error = DO(service, DEREGISTER, .scene = "hall", .records = PHONE);
    cr_assert(error == OK || error == ERR_UNAVAILABLE);
    service_set_faults(service, "");
    if (error != OK)
        cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert(gets_free(service, "phone"));
    cr_assert_eq(count_devices(service, "hall"), 0);
}

SHARDED_TEST(held_locks, locks_of_a_device_that_left_end_after_a_restart_too)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    create_held(service, 1500);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    service_restart(service);
    cr_assert(gets_free(service, "phone"));
    service_restart(service);
    cr_assert_eq(count_held(service, "hall", "phone"), 0);
    cr_assert_eq(count_devices(service, "hall"), 0);
}

SHARDED_TEST(held_locks, a_device_that_is_back_keeps_what_it_takes)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    create_held(service, 1500);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert(gets_free(service, "phone"));
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    create_held(service, 1);
    service_restart(service);
    cr_assert_eq(count_held(service, "hall", "phone"), 1);
}

// Nothing is waited for: taking the lock and leaving are staged one behind the other.
SHARDED_TEST(held_locks, a_lock_that_is_not_durable_yet_ends_too)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    struct object_key key = service_create_object(service, "hall", "{'name':'cup'}");
    uint64_t lock =
        SEND(service, OBJECT_LOCK, .scene = "hall", .object = key.chars, .device = "phone");
    uint64_t leave = SEND(service, DEREGISTER, .scene = "hall", .records = PHONE);
    cr_assert_eq(service_outcome(service, lock), OK);
    cr_assert_eq(service_outcome(service, leave), OK);
    cr_assert_eq(count_held(service, "hall", "phone"), 0);
}
