// catalogue.c - the newest events of each topic (catalogue.h).
#include "actors/streamer/catalogue.h"

#include <stdlib.h>

#include "proto/base/memory.h"

static struct event *
event_at(const struct topic_events *self, uint32_t index)
{
    return &self->events[(self->first + index) % CATALOGUE_EVENTS];
}

static void
drop_oldest(struct topic_events *self)
{
    struct event *event = event_at(self, 0);
    self->bytes -= record_size(event->record);
    record_unref(&event->scene);
    record_unref(&event->record);
    self->first = (self->first + 1) % CATALOGUE_EVENTS;
    self->count--;
}

static void
drop_all(struct topic_events *self)
{
    while (self->count)
        drop_oldest(self);
}

static void
forget(struct topic_events *self)
{
    drop_all(self);
    free(self->events);
    self->events = NULL;
}

void
catalogue_finish(struct catalogue *self)
{
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        forget(&self->topics[i]);
}

void
catalogue_hear(struct catalogue *self, const struct topic *topic, uint64_t now_ms)
{
    self->topics[topic_index(topic)].heard_ms = now_ms;
}

static bool
is_watched(const struct topic_events *self, uint64_t now_ms)
{
    return self->heard_ms && now_ms - self->heard_ms < CATALOGUE_KEPT_MS;
}

static void
keep(struct topic_events *self, const struct event *event)
{
    if (!self->events)
        self->events = memory_take(CATALOGUE_EVENTS * sizeof *self->events);
    if (self->count == CATALOGUE_EVENTS)
        drop_oldest(self);
    struct event *kept = event_at(self, self->count++);
    *kept = *event;
    record_ref(kept->scene);
    record_ref(kept->record);
    self->bytes += record_size(kept->record);
    while (self->bytes > CATALOGUE_BYTES && self->count > 1)
        drop_oldest(self);
}

void
catalogue_take(struct catalogue *self, const struct event *event, uint64_t now_ms,
               struct event_queues *queues)
{
    const struct topic *topic = topic_of(event->msg_type);
    if (!topic)
        return;
    struct topic_events *kept = &self->topics[topic_index(topic)];
    struct event told = *event;
    told.scene_id = topic_id(topic);
    if (event->reason == REASON_LOST) {
        drop_all(kept);
        kept->seq++; // that of what was lost: the queues see that it is missing
        told.seq = ++kept->seq;
    } else {
        told.seq = ++kept->seq;
        if (is_watched(kept, now_ms))
            keep(kept, &told);
        else
            forget(kept);
    }
    (void)event_queues_take(queues, &told);
}

static bool
resumes(const struct topic_events *self, uint64_t epoch, struct watching *watching)
{
    if (watching->epoch != epoch || watching->seq > self->seq ||
        self->seq - watching->seq > self->count)
        return false;
    for (uint32_t i = self->count - (uint32_t)(self->seq - watching->seq); i < self->count; i++) {
        struct event event = *event_at(self, i);
        record_ref(event.scene);
        record_ref(event.record);
        events_add(&watching->missed, &event);
    }
    return true;
}

uint64_t
catalogue_join(struct catalogue *self, const struct topic *topic, uint64_t epoch,
               struct watching *watching, struct event_queues *queues)
{
    const struct topic_events *kept = &self->topics[topic_index(topic)];
    watching->resumed = resumes(kept, epoch, watching);
    (void)event_queues_take(queues, &(struct event){.seq = kept->seq,
                                                    .scene_id = topic_id(topic),
                                                    .msg_type = EVENT_QUEUE_JOINED,
                                                    .parcel = &watching->base});
    return kept->seq;
}
