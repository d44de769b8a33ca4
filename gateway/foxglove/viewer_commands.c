// viewer_commands.c - what a viewer's client asks for (viewer.h): JSON of Foxglove's protocol. Of
// its commands `subscribe` and `unsubscribe` are done; all others would change something.
#include "gateway/foxglove/viewer.h"
#include "proto/codec/json_text.h"

enum { LEVEL_WARNING = 1, LEVEL_ERROR = 2 };

// A number of 32 bits; false for anything else.
static bool
read_id(const struct json *value, uint32_t *ret_id)
{
    if (!value || value->type != JSON_INTEGER || value->integer < 0 || value->integer > UINT32_MAX)
        return false;
    *ret_id = (uint32_t)value->integer;
    return true;
}

// A viewer that subscribes is told the state first, so its actor is asked for it again.
static void
want_state(struct viewer *self, const struct channel *channel)
{
    struct viewed_scene *scene = &self->scenes[channel->scene];
    scene->wants_state = true;
    if (channel_kind(channel) == MESSAGE_TRANSFORMS)
        scene->wants_links = true;
}

static void
subscribe(struct viewer *self, const struct json *wish)
{
    uint32_t id, channel_id;
    if (!read_id(json_find(wish, "id"), &id) ||
        !read_id(json_find(wish, "channelId"), &channel_id)) {
        viewer_tell(self, LEVEL_ERROR, "a subscription has the numbers id and channelId");
        return;
    }
    struct channel *channel = channels_find(&self->channels, channel_id);
    if (!channel) { // its property may just have gone
        viewer_tell(self, LEVEL_WARNING, "there is no channel of this channelId");
        return;
    }
    if (channel->is_subscribed || channels_subscribed(&self->channels, id)) {
        viewer_tell(self, LEVEL_WARNING, "this channel or this subscription is in use already");
        return;
    }
    channels_subscribe(&self->channels, channel, id);
    want_state(self, channel);
}

static void
unsubscribe(struct viewer *self, const struct json *number)
{
    uint32_t id;
    struct channel *channel =
        read_id(number, &id) ? channels_subscribed(&self->channels, id) : NULL;
    if (!channel) {
        viewer_tell(self, LEVEL_WARNING, "there is no subscription of this number");
        return;
    }
    channels_unsubscribe(&self->channels, channel);
    if (channel_kind(channel) == MESSAGE_SCENE)
        table_finish(&self->scenes[channel->scene].looks);
}

// Does something with each item of a list.
static void
for_each(struct viewer *self, const struct json *list,
         void (*act)(struct viewer *, const struct json *))
{
    if (!list || list->type != JSON_ARRAY)
        viewer_tell(self, LEVEL_ERROR, "the list of this command is missing");
    else
        for (uint32_t i = 0; i < list->count; i++)
            act(self, &list->items[i]);
}

static void
command(struct viewer *self, const struct json *message)
{
    const struct json *op = json_find(message, "op");
    const struct text *name = op && op->type == JSON_TEXT ? op->text : NULL;
    if (text_is(name, "subscribe"))
        for_each(self, json_find(message, "subscriptions"), subscribe);
    else if (text_is(name, "unsubscribe"))
        for_each(self, json_find(message, "subscriptionIds"), unsubscribe);
    else
        viewer_tell(self, LEVEL_WARNING, "this server is only read: the command was ignored");
}

void
viewer_command(struct viewer *self, const char *data, size_t size)
{
    struct arena arena = {0};
    const struct json *message;
    if (json_parse(&arena, data, size, &message) == OK && message->type == JSON_OBJECT)
        command(self, message);
    else
        viewer_tell(self, LEVEL_ERROR, "this is no JSON object");
    arena_finish(&arena);
}
