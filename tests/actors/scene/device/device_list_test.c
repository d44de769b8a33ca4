// device_list_test.c - the devices of all scenes in pages: their order, filters, and what is seen
// of whose. The test is the streamer.
#include "actors/scene/device/device_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/feed/feed_report.h"
#include "proto/records/device_report.h"
#include "tests/support/scene_service.h"

#define ANN "u00000000000000000000001"
#define BOB "u00000000000000000000002"

static unsigned rounds, most_asked; // of the list that was asked for last

// Says of each device that is asked about: "idle…" has no feed, others have one.
static void
be_streamer(struct message *message)
{
    struct feed_report *report = feed_report_of(message);
    unsigned asked = 0;
    rounds++;
    for (uint32_t i = 0; i < report->count; i++) {
        struct feed_item *item = &report->items[i];
        asked += item->is_asked;
        if (!item->is_asked)
            continue;
        item->state = text_chars(frozen_key(item->device))[0] == 'i' ? FEED_NONE : FEED_ACTIVE;
        item->sent_s = 30;
        snprintf(item->address, sizeof item->address, "192.0.2.1:9000");
    }
    most_asked = asked > most_asked ? asked : most_asked;
    message->operation = FEED_REPORTED;
}

// The answer of the shard of "hall", yours.
static struct message *
list(struct service *service, const struct wish *wish)
{
    rounds = most_asked = 0;
    struct wish whole = *wish;
    whole.num_records = wish->num_records ? wish->num_records : 100;
    uint64_t id = service_send(service, &whole), deadline_ms = clock_deadline_ms(10000);
    while (!asker_has(&service->asker, id) && clock_left_ms(deadline_ms) > 0) {
        struct message *message = mailbox_receive(service->streamer, 5);
        if (message && message->operation == FEED_REPORT) {
            be_streamer(message);
            mailbox_reply(service->streamer, &message);
        }
        message_destroy(&message);
    }
    return service_answer(service, id);
}

#define LIST(service, ...)                                                                         \
    list((service), &(struct wish){.operation = DEVICE_LIST, .scene = "hall", __VA_ARGS__})

static const struct device_report *
report_at(const struct message *answer, uint32_t index)
{
    return (const struct device_report *)(const void *)reply_record(&answer->reply, index);
}

static void
expect_keys(const struct message *answer, const char *expected)
{
    char seen[512] = "";
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    for (uint32_t i = 0; i < answer->reply.count; i++)
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%s/%s", i ? " " : "",
                 text_chars(report_at(answer, i)->scene), text_chars(report_at(answer, i)->key));
    cr_expect_str_eq(seen, expected);
}

static struct service *
filled(void)
{
    struct service *service = service_begin(1);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .role = CALLER_USER, .user = ANN,
                    .records = "{'public':true}"),
                 OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "yard", .role = CALLER_USER, .user = ANN,
                    .records = "{'public':false}"),
                 OK);
    service_register(service, "yard", ANN, "tablet");
    service_register(service, "hall", BOB, "phone");
    service_register(service, "hall", ANN, "idle");
    return service;
}

Test(device_list, pages_are_in_the_order_of_places, .fini = service_end)
{
    struct service *service = filled();
    owned(message_destroy) struct message *all = LIST(service, .num_records = 100);
    expect_keys(all, "hall/idle hall/phone yard/tablet");
    cr_expect_eq(all->reply.more, 0);
    owned(message_destroy) struct message *first = LIST(service, .num_records = 2);
    expect_keys(first, "hall/idle hall/phone");
    cr_expect_eq(first->reply.more, 1);
    owned(message_destroy) struct message *rest =
        LIST(service, .records = "{'after':'hall\\tphone'}");
    expect_keys(rest, "yard/tablet");
    owned(message_destroy) struct message *none = LIST(service, .records = "{'after':'yard\\tz'}");
    expect_keys(none, "");
    owned(message_destroy) struct message *between = LIST(service, .records = "{'after':'i'}");
    expect_keys(between, "yard/tablet");
}

Test(device_list, filters_name_a_scene_and_a_state, .fini = service_end)
{
    struct service *service = filled();
    owned(message_destroy) struct message *yard = LIST(service, .records = "{'scene':'yard'}");
    expect_keys(yard, "yard/tablet");
    owned(message_destroy) struct message *nowhere = LIST(service, .records = "{'scene':'i'}");
    expect_keys(nowhere, "");
    owned(message_destroy) struct message *passed =
        LIST(service, .records = "{'scene':'hall','after':'yard\\ta'}");
    expect_keys(passed, "");
    owned(message_destroy) struct message *active = LIST(service, .records = "{'state':'active'}");
    expect_keys(active, "hall/phone yard/tablet");
    owned(message_destroy) struct message *none = LIST(service, .records = "{'state':'none'}");
    expect_keys(none, "hall/idle");
    owned(message_destroy) struct message *wrong = LIST(service, .records = "{'state':'lost'}");
    cr_expect_eq(wrong->reply.fault.error, ERR_INVALID);
}

Test(device_list, users_see_devices_of_scenes_they_may_read_and_the_feeds_of_their_own,
     .fini = service_end)
{
    struct service *service = filled();
    owned(message_destroy) struct message *bobs = LIST(service, .role = CALLER_USER, .user = BOB);
    expect_keys(bobs, "hall/idle hall/phone");
    cr_expect_eq(most_asked, 1);
    const struct device_report *others = report_at(bobs, 0), *own = report_at(bobs, 1);
    const uint64_t known = FIELD_BIT(DEVICE_REPORT_PLACE) | FIELD_BIT(DEVICE_REPORT_SCENE) |
                           FIELD_BIT(DEVICE_REPORT_KEY);
    cr_expect_eq(others->base.present, known);
    cr_expect_str_eq(text_chars(own->user), BOB);
    cr_expect_str_eq(text_chars(own->state), "active");
    cr_expect_eq(own->sent_s, 30);
    cr_expect(!record_has(&own->base, DEVICE_REPORT_ADDRESS));
    owned(message_destroy) struct message *active =
        LIST(service, .role = CALLER_USER, .user = BOB, .records = "{'state':'none'}");
    expect_keys(active, ""); // the state of another's device is not told that way either
    owned(message_destroy) struct message *all = LIST(service, .role = CALLER_ADMIN, .user = BOB);
    cr_expect_str_eq(text_chars(report_at(all, 1)->address), "192.0.2.1:9000");
    cr_expect_str_eq(text_chars(report_at(all, 0)->user), ANN);
}

// Registers some devices with keys from "dNNNN" on, to a scene of their own.
static void
enter_many(struct service *service, const char *scene, unsigned count)
{
    static char records[32 * 1024];
    size_t size = (size_t)snprintf(records, sizeof records, "{'devices':[");
    for (unsigned i = 0; i < count; i++)
        size += (size_t)snprintf(records + size, sizeof records - size, "%s{'key':'d%04u'}",
                                 i ? "," : "", i);
    snprintf(records + size, sizeof records - size, "]}");
    cr_assert_eq(DO(service, REGISTER, .scene = scene, .records = records), OK);
}

Test(device_list, many_devices_are_asked_about_in_rounds, .fini = service_end)
{
    enum { MANY = 1200 };
    struct service *service = service_begin(1);
    enter_many(service, "hall", MANY);
    owned(message_destroy) struct message *all = LIST(service, .num_records = 2 * MANY);
    cr_assert_eq(all->reply.count, MANY);
    for (uint32_t i = 1; i < MANY; i++)
        cr_assert_lt(text_compare(report_at(all, i - 1)->place, report_at(all, i)->place), 0);
    cr_expect_geq(rounds, MANY / 250);
    cr_expect_leq(most_asked, 250);
    owned(message_destroy) struct message *page = LIST(service, .num_records = 10);
    cr_expect_eq(page->reply.count, 10);
    cr_expect_leq(most_asked, 11, "a page asks about no more than it shows");
    owned(message_destroy) struct message *idle = LIST(service, .records = "{'state':'none'}");
    expect_keys(idle, "");
}

Test(device_list, what_lies_far_behind_is_reached_by_after_alone, .fini = service_end)
{
    struct service *service = filled();
    owned(message_destroy) struct message *far = LIST(service, .start_record = 9901);
    cr_expect_eq(far->reply.fault.error, ERR_INVALID);
    owned(message_destroy) struct message *near = LIST(service, .start_record = 9900);
    cr_expect_eq(near->reply.fault.error, OK);
}
