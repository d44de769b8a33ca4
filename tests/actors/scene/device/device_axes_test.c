// device_axes_test.c - devices whose axes are not those of scenes: what they send is stored in the
// scenes' axes, whatever a request has to go through before it is staged.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/device.h"
#include "tests/support/scene_service.h"

#define AT(x, y, z) "'transform':{'translation':[" #x "," #y "," #z "],'rotation':[0,0,0]}"

static const struct device *
device_shown(const struct message *message, uint32_t index)
{
    return (const struct device *)(const void *)reply_scene(message, 0)->devices->items[index];
}

static void
expect_translation(const struct record *pose, double x, double y, double z)
{
    const struct pose *shown = (const struct pose *)(const void *)pose;
    cr_expect_eq(shown->translation[0], x);
    cr_expect_eq(shown->translation[1], y);
    cr_expect_eq(shown->translation[2], z);
}

// Where the one device of the scene stands, as everybody reads it.
static void
expect_stored(struct service *service, double x, double y, double z)
{
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(answer->reply.fault.error, OK);
    expect_translation(device_rare_of(device_shown(answer, 0))->transform, x, y, z);
}

SHARDED_TEST(device_axes,
             pose_of_a_registration_is_stored_in_those_of_scenes_and_answered_in_its_own)
{
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "hall",
            .records = "{'devices':[{'key':'phone','convention':'ros'," AT(1, 2, 3) "}]}");
    cr_assert_eq(answer->reply.fault.error, OK);
    expect_translation(device_rare_of(device_shown(answer, 0))->transform, 1, 2, 3);
    expect_stored(service, -2, 3, -1);
}

SHARDED_TEST(device_axes, device_is_known_to_have_them_afterwards_and_after_a_restart)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall",
                    .records = "{'devices':[{'key':'phone','convention':'ros'}]}"),
                 OK);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall",
                    .records = "{'devices':[{'key':'phone'," AT(1, 2, 3) "}]}"),
                 OK);
    expect_stored(service, -2, 3, -1);
    service_restart(service);
    owned(message_destroy) struct message *answer =
        ASK(service, ALIGN, .scene = "hall",
            .records = "{'devices':[{'key':'phone'," AT(4, 5, 6) "}]}");
    expect_translation(device_rare_of(device_shown(answer, 0))->transform, 4, 5, 6);
    expect_stored(service, -5, 6, -4);
}

SHARDED_TEST(device_axes, convention_of_an_alignment_is_that_of_this_request_alone)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall",
                    .records = "{'devices':[{'key':'phone','convention':'ros'}]}"),
                 OK);
    cr_assert_eq(
        DO(service, ALIGN, .scene = "hall",
           .records = "{'devices':[{'key':'phone','convention':'unity'," AT(1, 2, 3) "}]}"),
        OK);
    expect_stored(service, 1, 2, -3);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall",
                    .records = "{'devices':[{'key':'phone'," AT(1, 2, 3) "}]}"),
                 OK);
    expect_stored(service, -2, 3, -1);
}

SHARDED_TEST(device_axes, request_that_runs_again_is_converted_once)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    gate_close(service->store, GATE_COMMITS);
    service_set_faults(service, "unavailable=1");
    uint64_t first = SEND(service, SCENE_UPDATE, .scene = "hall", .records = "{'name':'x'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t second =
        SEND(service, REGISTER, .scene = "hall",
             .records = "{'devices':[{'key':'phone','convention':'ros'," AT(1, 2, 3) "}]}");
    service_barrier(service);
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), ERR_UNAVAILABLE);
    cr_assert_eq(service_outcome(service, second), OK);
    expect_stored(service, -2, 3, -1);
}

SHARDED_TEST(device_axes, names_that_there_are_not_are_refused)
{
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "hall",
            .records = "{'devices':[{'key':'a'},{'key':'b','convention':'maya'}]}");
    cr_assert_eq(answer->reply.fault.error, ERR_INVALID);
    cr_expect_str_eq(answer->reply.fault.pointer, "/devices/1/convention");
}

// The object as everybody reads it, after an update by UDP that puts it at 1, 2, 3.
static void
expect_moved(struct service *service, struct object_key key, const char *device, double x, double y,
             double z)
{
    char record[256];
    snprintf(record, sizeof record,
             "{'key':'%s','device':'%s','transform':[1,0,0,1,0,1,0,2,0,0,1,3,0,0,0,1]}", key.chars,
             device);
    cr_assert_eq(DO(service, DATAGRAMS, .records = record), OK);
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    const double *transform = reply_object(answer, 0)->transform;
    cr_expect_eq(transform[3], x);
    cr_expect_eq(transform[7], y);
    cr_expect_eq(transform[11], z);
}

SHARDED_TEST(device_axes, updates_by_udp_are_in_those_of_the_device_that_they_name)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    cr_assert_eq(DO(service, REGISTER, .scene = "hall",
                    .records = "{'devices':[{'key':'robot','convention':'ros'},{'key':'phone'}]}"),
                 OK);
    expect_moved(service, key, "robot", -2, 3, -1);
    expect_moved(service, key, "phone", 1, 2, 3);
    expect_moved(service, key, "stranger", 1, 2, 3);
}
