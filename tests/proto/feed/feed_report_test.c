// feed_report_test.c - a list of devices whose feeds are asked about holds what it is about.
#include "proto/feed/feed_report.h"

#include <criterion/criterion.h>

#include "proto/records/scene.h"

static const frozen_t *
frozen(const struct schema *schema, const char *key)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, schema);
    record_set_text(record, 0, text_from(&arena, key));
    const frozen_t *made = record_freeze(schema, record);
    arena_finish(&arena);
    return made;
}

Test(feed_report, keeps_its_devices_and_the_request_until_its_end)
{
    const frozen_t *scene = frozen(&scene_schema, "hall"),
                   *device = frozen(&device_schema, "phone");
    struct message *question = message_create(FEED_REPORT);
    struct feed_report *report = feed_report_create(2);
    question->parcel = &report->base;
    report->request = message_create(DEVICE_LIST);
    feed_report_add(report, scene, 7, device);
    record_unref(&scene);
    record_unref(&device);
    cr_assert_eq(feed_report_of(question)->count, 1);
    cr_assert_str_eq(text_chars(frozen_key(report->items[0].scene)), "hall");
    cr_assert_str_eq(text_chars(frozen_key(report->items[0].device)), "phone");
    cr_assert(!report->items[0].is_asked);
    message_destroy(&question); // what it holds goes with it: the sanitizer says so
}

Test(feed_report, states_and_forms_have_names)
{
    struct arena arena = {0};
    for (int state = 0; state < FEED_STATES; state++)
        cr_expect(feed_state_is_name(text_from(&arena, feed_state_name((enum feed_state)state))));
    cr_expect(!feed_state_is_name(text_from(&arena, "lost")));
    cr_expect(!feed_state_is_name(NULL));
    cr_expect_str_eq(feed_form_name(FEED_PACKED, false), "packed");
    cr_expect_str_eq(feed_form_name(FEED_PACKED, true), "sealed");
    arena_finish(&arena);
}
