// corrections_test.c - what devices say of where they stand becomes evidence, in the commit that it
// came with; the solver hears of what is durable.
#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/alignment/correction_changes.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"
#include "tests/support/scene_service.h"

#define PHONE "{'devices':[{'key':'phone'}]}"
#define STANDING(x)                                                                                \
    "{'devices':[{'key':'phone','transform':{'translation':[" x ",0,0],'rotation':[0,0,0]}}]}"

static uint32_t
count_corrections(struct service *service, const char *scene)
{
    owned(message_destroy) struct message *answer = ASK(service, ALIGNMENT_GET, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct scene_alignment *report =
        (const struct scene_alignment *)(const void *)reply_record(&answer->reply, 0);
    return report->corrections ? report->corrections->count : 0;
}

// What the solver hears next: its one item.
struct heard {
    double x;
    bool is_gone;
    bool has_ended;
};

static struct heard
hear(struct service *service)
{
    owned(message_destroy) struct message *message = mailbox_receive(service->solver, 10000);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, EVIDENCE);
    const struct correction_changes *changes = correction_changes_of(message);
    cr_assert_eq(changes->count, 1);
    const struct correction_record *correction =
        (const struct correction_record *)(const void *)changes->items[0].correction;
    const struct pose *pose = (const struct pose *)(const void *)correction->transform;
    return (struct heard){pose->translation[0], changes->items[0].is_gone,
                          correction->until_us > 0};
}

static void
check_heard(struct service *service, double x, bool is_gone, bool has_ended)
{
    struct heard heard = hear(service);
    cr_assert_eq(heard.x, x);
    cr_assert_eq(heard.is_gone, is_gone);
    cr_assert_eq(heard.has_ended, has_ended);
}

static void
check_silence(struct service *service)
{
    service_barrier(service);
    cr_assert_null(mailbox_receive(service->solver, 0));
}

SHARDED_TEST(corrections, a_transform_is_evidence_and_nothing_else_is)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    cr_assert_eq(count_corrections(service, "hall"), 0);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = STANDING("1")), OK);
    check_heard(service, 1, false, false);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = STANDING("2")), OK);
    check_heard(service, 2, false, false);
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    check_silence(service);
    cr_assert_eq(count_corrections(service, "hall"), 2);
}

SHARDED_TEST(corrections, leaving_keeps_what_was_said_and_says_when_that_was)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = STANDING("1")), OK);
    check_heard(service, 1, false, false);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    check_heard(service, 1, false, true);
    cr_assert_eq(count_corrections(service, "hall"), 1);
}

SHARDED_TEST(corrections, a_deleted_scene_takes_them_along_from_the_disk_too)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = STANDING("1")), OK);
    check_heard(service, 1, false, false);
    owned(message_destroy) struct message *answer = ASK(service, SCENE_GET, .scene = "hall");
    uint64_t id = (uint64_t)reply_scene(answer, 0)->id;
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    check_heard(service, 1, true, false);
    for (int i = 0; i < 1000 && service_count_keys(service, id) > 0; i++)
        service_barrier(service);
    cr_assert_eq(service_count_keys(service, id), 0);
    service_restart(service);
    check_silence(service);
}

SHARDED_TEST(corrections, the_solver_hears_of_all_again_after_a_restart)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = STANDING("1")), OK);
    check_heard(service, 1, false, false);
    service_restart(service);
    check_heard(service, 1, false, false);
    cr_assert_eq(count_corrections(service, "hall"), 1);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    check_heard(service, 1, false, true);
}

SHARDED_TEST(corrections, what_was_not_written_was_not_said)
{
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    service_set_faults(service, "unavailable=1");
    cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = STANDING("1")), ERR_UNAVAILABLE);
    service_set_faults(service, "");
    cr_assert_eq(count_corrections(service, "hall"), 0);
    check_silence(service);
    cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = STANDING("2")), OK);
    check_heard(service, 2, false, false);
    cr_assert_eq(DO(service, DEREGISTER, .scene = "hall", .records = PHONE), OK);
    check_heard(service, 2, false, true);
}

SHARDED_TEST(corrections, one_device_cannot_fill_the_disk)
{
    enum { SAID = LIMIT_DEVICE_EVIDENCE + 40 };
    cr_assert_eq(DO(service, REGISTER, .scene = "hall", .records = PHONE), OK);
    for (int i = 0; i < SAID; i++)
        cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = STANDING("1")), OK);
    cr_assert_leq(count_corrections(service, "hall"), LIMIT_DEVICE_EVIDENCE + 1);
    uint64_t last = 0;
    for (int i = 0; i < SAID; i++) // faster than the disk
        last = SEND(service, ALIGN, .scene = "hall", .records = STANDING("2"));
    cr_assert_eq(service_outcome(service, last), OK);
    for (int i = 0; i < SAID; i++)
        cr_assert_eq(DO(service, ALIGN, .scene = "hall", .records = STANDING("3")), OK);
    cr_assert_leq(count_corrections(service, "hall"), LIMIT_DEVICE_EVIDENCE + 1);
}
