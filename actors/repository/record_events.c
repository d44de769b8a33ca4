// record_events.c - the way of changed records to the catalogue (record_events.h).
#include "actors/repository/record_events.h"

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

static unsigned
topics_of_events(const struct events *events)
{
    unsigned bits = 0;
    for (uint32_t i = events->taken; i < events->count; i++)
        bits |= 1u << topic_index(topic_of(events->items[i].msg_type));
    return bits;
}

void
record_events_finish(struct record_events *self)
{
    events_destroy(&self->waiting);
}

static uint8_t
reason_of(const struct topic *topic, const frozen_t *before, const frozen_t *after)
{
    bool is_hidden = before && after && topic_is_public(topic, frozen_record(before)) &&
                     !topic_is_public(topic, frozen_record(after));
    return is_hidden ? REASON_HIDDEN : REASON_NONE;
}

static uint32_t
waiting_count(const struct record_events *self)
{
    return self->waiting ? self->waiting->count - self->waiting->taken : 0;
}

static void
drop_all(struct record_events *self)
{
    self->lost |= topics_of_events(self->waiting);
    counter_add(COUNT_EVENTS_DROPPED, waiting_count(self));
    events_destroy(&self->waiting);
    self->bytes = 0;
}

void
record_events_add(struct record_events *self, const struct topic *topic, const frozen_t *before,
                  const frozen_t *after)
{
    unsigned change = !before ? 0 : after ? 1 : 2; // created, updated, deleted
    const struct event event = {.time_us = clock_calendar_us(),
                                .record = record_ref(after ? after : before),
                                .msg_type = (uint8_t)(topic->created + change),
                                .reason = reason_of(topic, before, after)};
    events_add(&self->waiting, &event);
    self->bytes += record_size(event.record);
    uint32_t count = waiting_count(self);
    if (count > RECORD_EVENTS_MOST || (count > 1 && self->bytes > RECORD_EVENTS_BYTES))
        drop_all(self);
}

// What the streamer is told first: which topics have lost events before those that wait.
static struct events *
losses(const struct record_events *self)
{
    struct events *list = NULL;
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        if (self->lost & 1u << i)
            events_add(&list,
                       &(struct event){.msg_type = topics[i].created, .reason = REASON_LOST});
    return list;
}

static struct events *
take_some(struct record_events *self)
{
    struct events *taken = events_take(&self->waiting, RECORD_EVENTS_A_MESSAGE);
    for (uint32_t i = taken->taken; i < taken->count; i++)
        self->bytes -= record_size(taken->items[i].record);
    return taken;
}

// False: the streamer's queue is full, or it is gone.
static bool
send(struct events *events, mailbox_t *mailbox)
{
    struct message *message = message_create(CATALOGUE_TELL);
    message->id = 1; // so that it comes back; there is no other
    message->parcel = &events->base;
    bool is_sent = mailbox_send(mailbox, actor_mailbox(STREAMER_ACTOR), &message) == OK;
    message_destroy(&message);
    return is_sent;
}

void
record_events_turn(struct record_events *self, mailbox_t *mailbox)
{
    if (self->is_under_way || (!self->lost && waiting_count(self) == 0))
        return;
    struct events *list = self->lost ? losses(self) : take_some(self);
    unsigned told = topics_of_events(list);
    self->is_under_way = send(list, mailbox);
    self->lost = self->is_under_way ? self->lost & ~told : self->lost | told;
}

void
record_events_told(struct record_events *self)
{
    self->is_under_way = false;
}
