// event_history.c - rings of events, in the order of their last watchers (event_history.h).

#include "actors/scene/event_history.h"

#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/record/record_packed.h"

enum { FIRST_EVENTS = 16, EXPIRES_MS = EVENT_HISTORY_MINUTES * 60 * 1000 };

// --- the order of use ---

static void
event_histories_unlink(struct event_histories *self, struct event_history *history)
{
    *(history->older ? &history->older->newer : &self->oldest) = history->newer;
    *(history->newer ? &history->newer->older : &self->newest) = history->older;
    history->older = history->newer = NULL;
}

static void
event_histories_link(struct event_histories *self, struct event_history *history)
{
    history->older = self->newest;
    *(self->newest ? &self->newest->newer : &self->oldest) = history;
    self->newest = history;
}

// --- one ring ---

static struct event *
event_history_at(const struct event_history *self, uint32_t index)
{
    return &self->events[(self->first + index) % self->capacity];
}

static size_t
event_bytes(const struct event *event)
{
    return sizeof *event + record_size(event->record);
}

static void
event_history_drop_oldest(struct event_histories *all, struct event_history *self)
{
    struct event *event = event_history_at(self, 0);
    size_t bytes = event_bytes(event);
    self->bytes -= bytes;
    all->bytes -= bytes;
    record_unref(&event->scene);
    record_unref(&event->record);
    self->first = (self->first + 1) % self->capacity;
    self->count--;
}

static void
event_history_grow(struct event_history *self)
{
    uint32_t capacity = self->capacity ? self->capacity * 2 : FIRST_EVENTS;
    struct event *events = memory_take(capacity * sizeof *events);
    for (uint32_t i = 0; i < self->count; i++)
        events[i] = *event_history_at(self, i);
    free(self->events);
    self->events = events;
    self->capacity = capacity;
    self->first = 0;
}

bool
event_history_since(const struct event_history *self, uint64_t seq, struct events **ret_events)
{
    *ret_events = NULL;
    if (!self || seq > self->newest || self->newest - seq > self->count)
        return false;
    for (uint32_t i = self->count - (uint32_t)(self->newest - seq); i < self->count; i++) {
        struct event event = *event_history_at(self, i);
        event.scene = record_ref(event.scene);
        event.record = record_ref(event.record);
        events_add(ret_events, &event);
    }
    return true;
}

// --- all ---

void
event_histories_forget(struct event_histories *self, struct event_history **owner)
{
    struct event_history *history = *owner;
    if (!history)
        return;
    while (history->count)
        event_history_drop_oldest(self, history);
    event_histories_unlink(self, history);
    *owner = NULL;
    free(history->events);
    free(history);
}

void
event_histories_finish(struct event_histories *self)
{
    while (self->oldest)
        event_histories_forget(self, self->oldest->owner);
}

void
event_histories_watch(struct event_histories *self, struct event_history **owner, uint64_t seq,
                      uint64_t now_ms)
{
    struct event_history *history = *owner;
    if (self->limit == 0)
        return;
    if (history) {
        event_histories_unlink(self, history);
    } else {
        *owner = history = memory_take_zeroed(sizeof *history);
        history->owner = owner;
        history->newest = seq;
    }
    history->watched_ms = now_ms;
    event_histories_link(self, history);
}

// Makes room in memory: drops the history that was watched longest ago; the oldest events of the
// last one.
static void
event_histories_shrink(struct event_histories *self)
{
    while (self->bytes > EVENT_HISTORY_BYTES && self->oldest != self->newest)
        event_histories_forget(self, self->oldest->owner);
    while (self->bytes > EVENT_HISTORY_BYTES)
        event_history_drop_oldest(self, self->newest);
}

void
event_histories_keep(struct event_histories *self, struct event_history **owner,
                     const struct event *event)
{
    struct event_history *history = *owner;
    if (!history)
        return;
    if (history->count == self->limit)
        event_history_drop_oldest(self, history);
    if (history->count == history->capacity)
        event_history_grow(history);
    struct event *kept = event_history_at(history, history->count++);
    *kept = *event;
    record_ref(kept->scene);
    kept->record = frozen_unpack(event->record); // who watches reads plain ones
    history->newest = kept->seq;
    history->bytes += event_bytes(kept);
    self->bytes += event_bytes(kept);
    event_histories_shrink(self);
}

void
event_histories_expire(struct event_histories *self, uint64_t now_ms)
{
    while (self->oldest && self->oldest->watched_ms + EXPIRES_MS <= now_ms)
        event_histories_forget(self, self->oldest->owner);
}

uint64_t
event_histories_deadline_ms(const struct event_histories *self)
{
    return self->oldest ? self->oldest->watched_ms + EXPIRES_MS : 0;
}
