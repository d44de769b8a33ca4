// event_outlet.c - the way from a scene actor to the streamer.

#include "actors/scene/event_outlet.h"

#include "actors/scene/scene_shard.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"

enum {
    EVENTS_A_MESSAGE = 64,
    EVENTS_KEPT_AT_MOST = 50000, // while the streamer's queue is full
};

// The streamer's queue is full: drops all waiting events but those of membership, without which
// feeds would be wrong.
static void
shed_events(struct events *events)
{
    uint32_t kept = 0;
    for (uint32_t i = events->taken; i < events->count; i++) {
        struct event *event = &events->items[i];
        if (event->msg_type > EVENT_LAST_FOR_DEVICES) {
            events->items[kept++] = *event;
            continue;
        }
        record_unref(&event->scene);
        record_unref(&event->record);
    }
    counter_add(COUNT_EVENTS_DROPPED, events->count - events->taken - kept);
    events->count = kept;
    events->taken = 0;
}

// Sends a list of events, which is gone then; false: the streamer's queue is full.
static bool
send_list(struct shard *self, struct events **events)
{
    struct message *message = message_create(EVENTS);
    message->parcel = &(*events)->base;
    bool is_sent = mailbox_send(self->base.mailbox, actor_mailbox(STREAMER_ACTOR), &message) == OK;
    if (is_sent) {
        *events = NULL;
        return true;
    }
    message->parcel = NULL;
    message_destroy(&message);
    return false;
}

// Many events go in several messages, as the streamer looks at the clock between messages.
void
event_outlet_send(struct shard *self)
{
    struct events *part;
    while ((part = events_take(&self->events, EVENTS_A_MESSAGE)) != NULL && send_list(self, &part))
        ;
    if (part)
        events_put_back(&self->events, &part);
    if (self->events && self->events->count - self->events->taken > EVENTS_KEPT_AT_MOST)
        shed_events(self->events);
}

void
event_outlet_send_many(struct shard *self)
{
    if (self->events && self->events->count - self->events->taken >= EVENTS_A_MESSAGE)
        event_outlet_send(self);
}

bool
event_outlet_put(struct shard *self, struct message **message)
{
    event_outlet_send(self);
    return !self->events &&
           mailbox_send(self->base.mailbox, actor_mailbox(STREAMER_ACTOR), message) == OK;
}
