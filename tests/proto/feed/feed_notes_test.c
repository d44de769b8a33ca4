// feed_notes_test.c - golden bytes of tails, refusals and asks.

#include "proto/feed/feed_notes.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/feed/feed_packed.h"
#include "proto/records/lock.h"

static struct arena arena;
static struct buffer out;

static void
start(void)
{
    arena_init(&arena);
    out = (struct buffer){0};
}

static void
end(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(feed_notes, .init = start, .fini = end);

static struct feed_place
place(const char *scene)
{
    return (struct feed_place){.scene = text_from(&arena, scene), .epoch = 3, .seq = 1842};
}

static const char *
hex(void)
{
    static char text[512];
    for (size_t i = 0; i < out.size; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)out.data[i]);
    return text;
}

static const char *
chars(void)
{
    buffer_put_char(&out, '\0');
    return out.data;
}

Test(feed_notes, a_plain_tail_names_scene_epoch_and_seq)
{
    struct feed_place here = place("s\"1");
    feed_note_tail(FEED_PLAIN, &here, &out);
    cr_assert_str_eq(chars(), "{\"msg_type\":65,\"scene\":\"s\\\"1\",\"epoch\":3,\"seq\":1842}");
}

Test(feed_notes, a_packed_tail_is_an_empty_datagram)
{
    struct feed_place here = place("s1");
    feed_note_tail(FEED_PACKED, &here, &out);
    cr_assert_str_eq(hex(), "960103cd0732cd07320090");
}

Test(feed_notes, a_plain_refusal_says_from_where_and_why)
{
    struct feed_place here = place("s1");
    feed_note_refusal(FEED_PLAIN, &here, 7, REFUSAL_TOO_OLD, &out);
    cr_assert_str_eq(chars(),
                     "{\"msg_type\":64,\"scene\":\"s1\",\"from\":7,\"reason\":\"too_old\"}");
}

Test(feed_notes, a_packed_refusal_is_an_empty_datagram_with_one_item_more)
{
    struct feed_place here = place("s1");
    feed_note_refusal(FEED_PACKED, &here, 7, REFUSAL_BUSY, &out);
    cr_assert_str_eq(hex(), "970103cd0732cd0732009093400701");
}

Test(feed_notes, who_knows_no_refusals_reads_a_datagram_that_says_nothing_new)
{
    struct feed_packed_datagram datagram;
    struct feed_place here = place("s1");
    feed_note_refusal(FEED_PACKED, &here, 7, REFUSAL_TOO_OLD, &out);
    cr_assert_eq(feed_packed_read(&arena, out.data, out.size, &datagram), OK);
    cr_assert_eq(datagram.prev, 1842);
    cr_assert_eq(datagram.seq, 1842);
    cr_assert_eq(datagram.changes->count, 0);
}

static struct event
ask(void)
{
    struct record *record = record_new(&arena, &lock_ask_schema);
    record_set_text(record, LOCK_ASK_OBJECT, text_from(&arena, "k"));
    record_set_text(record, LOCK_ASK_SCENE, text_from(&arena, "s1"));
    record_set_text(record, LOCK_ASK_HOLDER, text_from(&arena, "d1"));
    record_set_text(record, LOCK_ASK_USER, text_from(&arena, "secret"));
    record_set_text(record, LOCK_ASK_DEVICE, text_from(&arena, "d2"));
    record_set_text(record, LOCK_ASK_MESSAGE, text_from(&arena, "may I?"));
    return (struct event){.msg_type = EVENT_LOCK_ASKED,
                          .time_us = 5,
                          .record = record_freeze(&lock_ask_schema, record)};
}

Test(feed_notes, a_plain_ask_tells_who_asks_for_what)
{
    struct feed_place here = place("s1");
    struct event event = ask();
    feed_note_ask(FEED_PLAIN, &here, &event, &out);
    record_unref(&event.record);
    cr_assert_str_eq(chars(),
                     "{\"msg_type\":48,\"scene\":\"s1\",\"time_us\":5,\"ask\":{\"object\":\"k\","
                     "\"scene\":\"s1\",\"holder\":\"d1\",\"device\":\"d2\","
                     "\"message\":\"may I?\"}}");
}

Test(feed_notes, a_packed_ask_is_an_empty_datagram_with_one_item_more)
{
    struct feed_place here = place("s1");
    struct event event = ask();
    feed_note_ask(FEED_PACKED, &here, &event, &out);
    record_unref(&event.record);
    cr_assert_str_eq(hex(), "970103cd0732cd07320090"
                            "93300585"
                            "a66f626a656374a16b"
                            "a57363656e65a27331"
                            "a6686f6c646572a26431"
                            "a6646576696365a26432"
                            "a76d657373616765a66d617920493f");
}
