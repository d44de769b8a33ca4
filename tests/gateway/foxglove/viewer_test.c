// viewer_test.c - what a viewer is told, and what it may say, without a server.
#include "gateway/foxglove/viewer.h"

#include <criterion/criterion.h>

#include "proto/codec/json_text.h"

static struct stream_form *form;
static struct stream_sink sink;
static struct arena arena;
static _Atomic unsigned viewers;

static void
begin(void)
{
    const struct text *const scenes[] = {text_from(&arena, "hall"), text_from(&arena, "yard")};
    const struct viewer_plan plan = {
        .scenes = scenes, .count = 2, .assets = "http://localhost", .viewers = &viewers};
    form = viewer_create(&plan, 1000);
}

static void
finish(void)
{
    form->operations->destroy(&form);
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

TestSuite(viewer, .init = begin, .fini = finish);

// All that it has to say; the frames that were there before are gone.
static void
tell(void)
{
    buffer_clear(&sink.out);
    while (form->operations->write_own(form, &sink))
        continue;
}

static bool
is_told(const char *chars)
{
    return sink.out.size && memmem(sink.out.data, sink.out.size, chars, strlen(chars));
}

static void
say(unsigned opcode, const char *chars)
{
    const size_t size = strlen(chars);
    const char head[] = {
        (char)(0x80 | opcode), (char)(0x80 | 126), (char)(size >> 8), (char)size, 0, 0, 0, 0};
    const char short_head[] = {(char)(0x80 | opcode), (char)(0x80 | size), 0, 0, 0, 0};
    if (size < 126)
        form->operations->hear(form, short_head, sizeof short_head, 1000);
    else
        form->operations->hear(form, head, sizeof head, 1000);
    form->operations->hear(form, chars, size, 1000);
}

static enum stream_wish
wish(unsigned scene)
{
    return form->operations->wish(form, scene);
}

Test(viewer, it_is_told_who_serves_and_which_channels_there_are)
{
    tell();
    cr_assert(is_told("\"op\":\"serverInfo\""));
    cr_assert(is_told("\"topic\":\"/hall/tf\""));
    cr_assert(is_told("\"topic\":\"/yard/events\""));
    cr_assert_eq(viewers, 1);
    tell();
    cr_assert_eq(sink.out.size, 0);
}

Test(viewer, a_subscription_asks_for_the_state_of_its_scene_once)
{
    cr_assert_eq(wish(0), WISH_NOTHING);
    say(WEBSOCKET_TEXT, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":3,\"channelId\":5},"
                        "{\"id\":4,\"channelId\":6}]}");
    cr_assert_eq(wish(0), WISH_NOTHING);
    cr_assert_eq(wish(1), WISH_JOIN);
    cr_assert_eq(wish(1), WISH_LINKS);
    cr_assert_eq(wish(1), WISH_NOTHING);
}

Test(viewer, an_empty_state_is_a_deletion_of_all)
{
    struct message *message = message_create(SCENE_WATCH);
    struct stream_cursor cursor = {0};
    tell();
    say(WEBSOCKET_TEXT, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":3,\"channelId\":2}]}");
    buffer_clear(&sink.out);
    cr_assert(form->operations->write_state(form, 0, &message->reply, NULL, &cursor, &sink));
    cr_assert(is_told("\"entities\":[]}"));
    cr_assert_eq((unsigned char)sink.out.data[2], 1); // a message
    cr_assert_eq((unsigned char)sink.out.data[3], 3); // of the subscription
    message_destroy(&message);
}

Test(viewer, a_ping_is_answered_with_its_words_and_the_newest_alone)
{
    tell();
    say(WEBSOCKET_PING, "one");
    say(WEBSOCKET_PING, "two");
    tell();
    cr_assert_eq(sink.out.size, 5);
    cr_assert_arr_eq(sink.out.data, "\x8a\x03two", 5);
}

Test(viewer, a_broken_frame_closes_and_nothing_is_written_after_it)
{
    tell();
    form->operations->hear(form, "\x81\x01x", 3, 1000);
    cr_assert_not(form->operations->is_over(form));
    tell();
    cr_assert_arr_eq(sink.out.data, "\x88\x02\x03\xea", 4); // 1002
    cr_assert(form->operations->is_over(form));
}

Test(viewer, who_is_left_is_told_why_and_nothing_after_that)
{
    tell();
    buffer_clear(&sink.out);
    form->operations->leave(form, "bye", &sink);
    cr_assert_eq(sink.out.size, 7);
    cr_assert_arr_eq(sink.out.data, "\x88\x05\x03\xf5\x62ye", 7); // 1013
    cr_assert(form->operations->is_over(form));
    form->operations->leave(form, "bye", &sink);
    cr_assert_eq(sink.out.size, 7);
}

Test(viewer, who_gives_no_sign_of_life_is_closed)
{
    tell();
    buffer_clear(&sink.out);
    form->operations->beat(form, 1000 + VIEWER_IDLE_MS - 1, &sink);
    cr_assert_arr_eq(sink.out.data, "\x89\0", 2);
    form->operations->beat(form, 1000 + VIEWER_IDLE_MS, &sink);
    cr_assert(form->operations->is_over(form));
}

Test(viewer, who_is_slow_is_told_once_in_a_while)
{
    tell();
    form->operations->note_slow(form, 5000);
    form->operations->note_slow(form, 5001);
    tell();
    size_t once = sink.out.size;
    cr_assert(is_told("\"level\":1"));
    form->operations->note_slow(form, 16000);
    tell();
    cr_assert_eq(sink.out.size, once);
}

Test(viewer, complaints_that_wait_are_bounded)
{
    tell();
    for (unsigned i = 0; i < 10000; i++)
        say(WEBSOCKET_TEXT, "{}");
    tell();
    cr_assert_leq(sink.out.size, VIEWER_TOLD_BYTES + 1024);
}
