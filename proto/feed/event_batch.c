// event_batch.c - a list of events, and where each thing stands in it (round.h).

#include "proto/feed/event_batch.h"
#include <stdlib.h>
#include "proto/base/memory.h"

enum {
    FIRST_EVENTS = 16,
    KEPT_EVENTS = 1024, // a round that grew beyond this gives its memory back
};

static void
event_release(struct event *event)
{
    record_unref(&event->scene);
    record_unref(&event->record);
}

void
round_clear(struct round *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        event_release(&self->events[i]);
    self->count = 0;
    self->merged = false;
    table_clear(&self->index);
    if (self->capacity > KEPT_EVENTS) {
        table_finish(&self->index);
        free(self->events);
        self->events = NULL;
        self->capacity = 0;
    }
}

void
round_finish(struct round *self)
{
    round_clear(self);
    table_finish(&self->index);
    free(self->events);
    *self = (struct round){0};
}

static void
round_append(struct round *self, const struct event *event)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_EVENTS;
        self->events = memory_resize(self->events, self->capacity * sizeof self->events[0]);
    }
    self->events[self->count++] = *event;
}

// The index holds places, not pointers: the array moves when it grows. Events of actions merge with
// one another only: others do not show the actions, and so cannot stand for them.
struct sought {
    const struct round *round;
    const struct text *key;
    bool is_of_actions;
};

static bool
place_is_of(const void *value, const void *key)
{
    const struct sought *sought = key;
    const struct event *event = &sought->round->events[(uintptr_t)value - 1];
    return event_is_of_actions(event->msg_type) == sought->is_of_actions &&
           text_equal(record_key(event->record), sought->key);
}

static void
supersede(struct event *old, struct event event)
{
    if (event_is_create(old->msg_type) && event.msg_type == old->msg_type + 1)
        event.msg_type = old->msg_type;
    event_release(old);
    *old = event;
}

// Takes the references of `event`.
static enum round_outcome
round_merge(struct round *self, struct event event)
{
    bool is_of_thing = event.msg_type <= EVENT_LAST_FOR_DEVICES;
    const struct text *key = is_of_thing ? record_key(event.record) : NULL;
    struct sought sought = {self, key, event_is_of_actions(event.msg_type)};
    uint64_t hash = is_of_thing ? table_hash_text(key) : 0;
    uintptr_t place =
        is_of_thing ? (uintptr_t)table_find(&self->index, hash, place_is_of, &sought) : 0;
    if (place) {
        supersede(&self->events[place - 1], event);
        return ROUND_SUPERSEDED;
    }
    if (self->count >= ROUND_EVENTS) {
        event_release(&event);
        return ROUND_DROPPED;
    }
    round_append(self, &event);
    if (is_of_thing)
        table_add(&self->index, hash, (void *)(uintptr_t)self->count);
    return ROUND_ADDED;
}

enum round_outcome
round_take(struct round *self, const struct event *event)
{
    struct event taken = *event;
    taken.scene = record_ref(event->scene);
    taken.record = record_ref(event->record);
    if (self->merged)
        return round_merge(self, taken);
    round_append(self, &taken);
    return ROUND_ADDED;
}

// Writing never overtakes reading.
uint32_t
round_begin_merging(struct round *self)
{
    uint32_t count = self->count, superseded = 0;
    self->count = 0;
    self->merged = true;
    for (uint32_t i = 0; i < count; i++)
        superseded += round_merge(self, self->events[i]) == ROUND_SUPERSEDED;
    return superseded;
}

void
round_sort(struct round *self)
{
    if (self->merged && self->count)
        qsort(self->events, self->count, sizeof self->events[0], event_order);
}
