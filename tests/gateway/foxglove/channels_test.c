// channels_test.c - channels that come and go, and their subscriptions.
#include "gateway/foxglove/channels.h"

#include <criterion/criterion.h>

#include "proto/codec/json_text.h"

static struct channels channels;
static struct arena arena;

static void
begin(void)
{
    channels_init(&channels, 2);
}

static void
finish(void)
{
    channels_finish(&channels);
    arena_finish(&arena);
}

TestSuite(channels, .init = begin, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

static const char *
topic(const struct channel *channel, const char *scene)
{
    struct buffer out = {0};
    const struct json *shown;
    channel_put(channel, text(scene), &out);
    cr_assert_eq(json_parse(&arena, out.data, out.size, &shown), OK);
    buffer_finish(&out);
    return text_chars(json_find(shown, "topic")->text);
}

Test(channels, each_scene_has_four)
{
    struct channel *second = channels_of_scene(&channels, 1, MESSAGE_LOG);
    cr_assert_eq(second->id, 8);
    cr_assert_eq(second->scene, 1);
    cr_assert_eq(channels_find(&channels, 8), second);
    cr_assert_eq(channel_kind(second), MESSAGE_LOG);
    cr_assert_str_eq(topic(second, "hall \"A\""), "/hall \"A\"/events");
    cr_assert_null(channels_find(&channels, 0));
    cr_assert_null(channels_find(&channels, 9));
}

Test(channels, properties_of_one_name_are_told_apart_by_their_keys)
{
    bool is_new;
    struct channel *heat = channels_property(&channels, 0, text("p1"), text("heat"), &is_new);
    cr_assert(is_new);
    struct channel *other = channels_property(&channels, 0, text("p2"), text("heat"), &is_new);
    struct channel *there = channels_property(&channels, 1, text("p3"), text("heat"), &is_new);
    struct channel *nameless = channels_property(&channels, 1, text("p4"), NULL, &is_new);
    cr_assert_str_eq(topic(heat, "a"), "/a/properties/heat");
    cr_assert_str_eq(topic(other, "a"), "/a/properties/heat.p2");
    cr_assert_str_eq(topic(there, "b"), "/b/properties/heat");
    cr_assert_str_eq(topic(nameless, "b"), "/b/properties/p4");
    cr_assert_eq(channels_property(&channels, 0, text("p1"), text("new"), &is_new), heat);
    cr_assert_not(is_new);
}

Test(channels, a_property_that_goes_takes_its_subscription_along)
{
    bool is_new;
    struct channel *heat = channels_property(&channels, 0, text("p1"), text("heat"), &is_new);
    uint32_t id = heat->id;
    channels_subscribe(&channels, heat, 77);
    cr_assert_eq(channels_subscribed(&channels, 77), heat);
    channels_remove_property(&channels, heat);
    cr_assert_null(channels_subscribed(&channels, 77));
    cr_assert_null(channels_find(&channels, id));
    cr_assert_null(channels_known_property(&channels, 0, text("p1")));
    struct channel *again = channels_property(&channels, 0, text("p1"), text("heat"), &is_new);
    cr_assert(is_new && again->id != id);
}

Test(channels, there_are_so_many_properties_and_no_more)
{
    bool is_new;
    for (unsigned i = 0; i < CHANNELS_PROPERTIES_MOST; i++)
        cr_assert_not_null(
            channels_property(&channels, i % 2, text_format(&arena, "p%u", i), NULL, &is_new));
    cr_assert_null(channels_property(&channels, 0, text("one more"), NULL, &is_new));
    cr_assert(channels.is_full);
}
