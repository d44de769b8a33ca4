// catalogue.c - the newest events of the records of scenes (catalogue.h).
#include "actors/streamer/catalogue.h"

#include <stdlib.h>

#include "proto/base/memory.h"

static struct event *
event_at(const struct catalogue *self, uint32_t index)
{
    return &self->events[(self->first + index) % CATALOGUE_EVENTS];
}

static void
drop_oldest(struct catalogue *self)
{
    struct event *event = event_at(self, 0);
    self->bytes -= record_size(event->record);
    record_unref(&event->scene);
    record_unref(&event->record);
    self->first = (self->first + 1) % CATALOGUE_EVENTS;
    self->count--;
}

void
catalogue_finish(struct catalogue *self)
{
    while (self->count)
        drop_oldest(self);
    free(self->events);
    self->events = NULL;
}

static void
keep(struct catalogue *self, const struct event *event)
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
catalogue_take(struct catalogue *self, const struct event *event, struct event_queues *queues)
{
    if (event->msg_type < EVENT_SCENE_CREATED || event->msg_type > EVENT_SCENE_DELETED)
        return;
    struct event listed = *event;
    listed.seq = ++self->seq;
    listed.scene_id = CATALOGUE_OF_ALL_SCENES;
    keep(self, &listed);
    (void)event_queues_take(queues, &listed);
}

static bool
resumes(const struct catalogue *self, uint64_t epoch, struct watching *watching)
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

void
catalogue_join(struct catalogue *self, uint64_t epoch, struct watching *watching,
               struct event_queues *queues)
{
    watching->resumed = resumes(self, epoch, watching);
    (void)event_queues_take(queues, &(struct event){.seq = self->seq,
                                                    .scene_id = CATALOGUE_OF_ALL_SCENES,
                                                    .msg_type = EVENT_QUEUE_JOINED,
                                                    .parcel = &watching->base});
}
