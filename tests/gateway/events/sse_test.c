// sse_test.c - framing of server-sent events.
#include "gateway/events/sse.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct buffer out;
static struct sse_place places[2];
static const struct caller trusted = {.role = CALLER_TRUSTED};

static void
begin(void)
{
    places[0] = (struct sse_place){text_from(&arena, "hall"), 7, 12};
    places[1] = (struct sse_place){text_from(&arena, "a,b:c/ü"), 7, 3};
}

static void
end(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

static const char *
written(void)
{
    buffer_put_char(&out, '\0');
    return out.data;
}

static const frozen_t *
frozen(const struct schema *schema, unsigned key, const char *text)
{
    struct record *record = record_new(&arena, schema);
    record_set_text(record, key, text_from(&arena, text));
    return record_freeze(schema, record);
}

// --- ids ---

Test(sse, the_id_of_one_scene_is_epoch_and_number, .init = begin, .fini = end)
{
    sse_begin("snapshot", places, 1, &out);
    sse_end(&out);
    cr_assert_str_eq(written(), "event: snapshot\nid: 7-12\ndata: \n\n");
}

Test(sse, the_id_of_several_scenes_names_them, .init = begin, .fini = end)
{
    sse_begin("change", places, 2, &out);
    cr_assert_str_eq(written(), "event: change\nid: hall:7-12,a%2Cb%3Ac%2F%C3%BC:7-3\ndata: ");
}

Test(sse, reads_the_ids_that_it_writes, .init = begin, .fini = end)
{
    struct sse_place read[2] = {{.scene = places[1].scene}, {.scene = places[0].scene}};
    sse_read_id("hall:7-12,a%2Cb%3Ac%2F%C3%BC:7-3", read, 2);
    cr_assert_eq(read[0].epoch, 7);
    cr_assert_eq(read[0].seq, 3);
    cr_assert_eq(read[1].epoch, 7);
    cr_assert_eq(read[1].seq, 12);
}

Test(sse, an_id_without_a_name_is_of_the_only_scene, .init = begin, .fini = end)
{
    struct sse_place read[2] = {{.scene = places[0].scene}, {.scene = places[1].scene}};
    sse_read_id("7-12", read, 2);
    cr_assert_eq(read[0].epoch + read[1].epoch, 0);
    sse_read_id("7-12", read, 1);
    cr_assert_eq(read[0].seq, 12);
    sse_read_id("hall:8-1", read, 1);
    cr_assert_eq(read[0].epoch, 8);
}

Test(sse, what_is_no_id_changes_nothing, .init = begin, .fini = end)
{
    static const char *const ids[] = {"",     "7",      "7-",      "-12",       "7-12x", " 7-12",
                                      "+7-1", "7--1",   "x:7-12",  ":7-12",     "hall:", "hall:7",
                                      ",",    "7-12 ,", "hall:7-", "hall:7-1:2"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct sse_place read = {places[0].scene, 1, 2};
        sse_read_id(ids[i], &read, 1);
        cr_assert(read.epoch == 1 && read.seq == 2, "%s", ids[i]);
    }
}

Test(sse, a_comment_is_no_event, .init = begin, .fini = end)
{
    sse_put_comment("heartbeat", &out);
    cr_assert_str_eq(written(), ": heartbeat\n\n");
}

// --- changes ---

static const char *
change(uint8_t msg_type, const frozen_t *record, const uint64_t *prev, const struct caller *caller)
{
    owned(record_unref) const frozen_t *scene = frozen(&scene_schema, SCENE_KEY, "ha\"ll");
    owned(record_unref) const frozen_t *held = record;
    buffer_clear(&out);
    sse_put_change(&(struct event){.seq = 13, .scene = scene, .record = held, .msg_type = msg_type},
                   prev, caller, &out);
    return written();
}

static void
assert_begins(const char *text, const char *start)
{
    cr_assert_eq(strncmp(text, start, strlen(start)), 0, "%s", text);
}

Test(sse, a_change_names_its_record_by_what_it_is_of, .init = begin, .fini = end)
{
    static const struct {
        uint8_t msg_type;
        const char *member;
    } rows[] = {{EVENT_OBJECT_UPDATED, "object"},
                {EVENT_OBJECT_ACTION_CREATED, "object"},
                {EVENT_LOCK_GRANTED, "lock"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char start[128];
        snprintf(start, sizeof start,
                 "{\"msg_type\":%u,\"seq\":13,\"scene\":\"ha\\\"ll\",\"%s\":{\"key\":\"k\",",
                 rows[i].msg_type, rows[i].member);
        assert_begins(
            change(rows[i].msg_type, frozen(&object_schema, OBJECT_KEY, "k"), NULL, &trusted),
            start);
    }
}

Test(sse, a_coalesced_change_says_what_was_known_before, .init = begin, .fini = end)
{
    const uint64_t prev = 9;
    assert_begins(
        change(EVENT_OBJECT_UPDATED, frozen(&object_schema, OBJECT_KEY, "k"), &prev, &trusted),
        "{\"msg_type\":1,\"seq\":13,\"prev\":9,\"scene\":");
}

// "scene" is its key in every change, so its record stands elsewhere, and without devices.
Test(sse, the_record_of_a_scene_is_called_record, .init = begin, .fini = end)
{
    const char *text =
        change(EVENT_SCENE_UPDATED, frozen(&scene_schema, SCENE_KEY, "hall"), NULL, &trusted);
    assert_begins(text, "{\"msg_type\":41,\"seq\":13,\"scene\":\"ha\\\"ll\",\"record\":{\"key\":");
    cr_assert_null(strstr(text, "devices"));
}

Test(sse, text_ends_no_line, .init = begin, .fini = end)
{
    const char *text =
        change(EVENT_OBJECT_UPDATED, frozen(&object_schema, OBJECT_NAME, "a\nid: 9-9\r\n\nb"), NULL,
               &trusted);
    cr_assert_null(strpbrk(text, "\r\n"), "%s", text);
}

static const frozen_t *
device(void)
{
    struct record *record = record_new(&arena, &device_schema);
    struct record *alignment = record_new(&arena, &alignment_schema);
    record_set_text(record, DEVICE_KEY, text_from(&arena, "d"));
    record_set_text(record, DEVICE_HOSTNAME, text_from(&arena, "10.1.2.3"));
    record_set_text(record, DEVICE_USER, text_from(&arena, "ann"));
    record_set_text(alignment, ALIGNMENT_STATUS, text_from(&arena, "corrected"));
    ((struct device *)(void *)record)->rare->alignment = alignment;
    record_mark(record, DEVICE_ALIGNMENT);
    return record_freeze(&device_schema, record);
}

Test(sse, of_a_device_its_user_and_administrators_see_more_than_others, .init = begin, .fini = end)
{
    static const struct caller ann = {.role = CALLER_USER, .user = "ann"};
    static const struct caller bob = {.role = CALLER_USER, .user = "bob"};
    static const struct caller admin = {.role = CALLER_ADMIN, .user = "eve"};
    cr_assert_not_null(strstr(change(EVENT_DEVICE_REGISTERED, device(), NULL, &ann), "corrected"));
    cr_assert_not_null(
        strstr(change(EVENT_DEVICE_REGISTERED, device(), NULL, &admin), "corrected"));
    const char *text = change(EVENT_DEVICE_REGISTERED, device(), NULL, &bob);
    cr_assert_not_null(strstr(text, "\"key\":\"d\",\"transform\":{"), "%s", text);
    cr_assert_null(strstr(text, "corrected"));
    cr_assert_null(strstr(text, "10.1.2.3"));
}
