// event_batch.c - a list of events, and the place of each entity in it (event_batch.h).

#include "proto/feed/event_batch.h"

#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    FIRST_EVENTS = 16,
    KEPT_EVENTS = 1024, // a batch that grew beyond this frees its memory
};

// The memory that is there for this batch alone. The newest state of an entity, as a merged batch
// has it, is that of the scene.
static size_t
bytes_of(const struct event_batch *self, const struct event *event)
{
    bool is_newest = self->merged && event->msg_type <= EVENT_LAST_FOR_DEVICES &&
                     !event_is_delete(event->msg_type);
    return is_newest ? 0 : record_size(event->record);
}

static void
event_release(struct event *event)
{
    record_unref(&event->scene);
    record_unref(&event->record);
}

void
event_batch_rest(struct event_batch *self, uint32_t most)
{
    for (uint32_t i = 0; i < self->count; i++)
        event_release(&self->events[i]);
    self->count = 0;
    self->bytes = 0;
    self->merged = false;
    table_clear(&self->index);
    if (self->capacity > most) {
        table_finish(&self->index);
        free(self->events);
        self->events = NULL;
        self->capacity = 0;
    }
}

void
event_batch_clear(struct event_batch *self)
{
    event_batch_rest(self, KEPT_EVENTS);
}

void
event_batch_finish(struct event_batch *self)
{
    event_batch_clear(self);
    table_finish(&self->index);
    free(self->events);
    *self = (struct event_batch){0};
}

static void
event_batch_append(struct event_batch *self, const struct event *event)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_EVENTS;
        self->events = memory_resize(self->events, self->capacity * sizeof self->events[0]);
    }
    self->events[self->count++] = *event;
    self->bytes += bytes_of(self, event);
}

// The index holds places instead of pointers, since the array moves when it grows. Events of
// actions merge only with one another: the others do not show the actions and cannot replace them.
struct sought {
    const struct event_batch *batch;
    const struct text *key;
    bool is_of_actions;
};

static bool
place_is_of(const void *value, const void *key)
{
    const struct sought *sought = key;
    const struct event *event = &sought->batch->events[(uintptr_t)value - 1];
    return event_is_of_actions(event->msg_type) == sought->is_of_actions &&
           text_equal(frozen_key(event->record), sought->key);
}

static void
supersede(struct event_batch *self, struct event *old, struct event event)
{
    self->bytes += bytes_of(self, &event) - bytes_of(self, old);
    if (event_is_create(old->msg_type) && event.msg_type == old->msg_type + 1)
        event.msg_type = old->msg_type;
    event_release(old);
    *old = event;
}

// Takes the references of `event`.
static enum event_batch_outcome
event_batch_merge(struct event_batch *self, struct event event)
{
    bool is_of_entity = event.msg_type <= EVENT_LAST_FOR_DEVICES;
    const struct text *key = is_of_entity ? frozen_key(event.record) : NULL;
    struct sought sought = {self, key, event_is_of_actions(event.msg_type)};
    uint64_t hash = is_of_entity ? table_hash_text(key) : 0;
    uintptr_t place =
        is_of_entity ? (uintptr_t)table_find(&self->index, hash, place_is_of, &sought) : 0;
    if (place) {
        supersede(self, &self->events[place - 1], event);
        return BATCH_SUPERSEDED;
    }
    if (self->count >= BATCH_EVENTS) {
        event_release(&event);
        return BATCH_DROPPED;
    }
    event_batch_append(self, &event);
    if (is_of_entity)
        table_add(&self->index, hash, (void *)(uintptr_t)self->count);
    return BATCH_ADDED;
}

enum event_batch_outcome
event_batch_take(struct event_batch *self, const struct event *event)
{
    struct event taken = *event;
    taken.scene = record_ref(event->scene);
    taken.record = record_ref(event->record);
    if (self->merged)
        return event_batch_merge(self, taken);
    event_batch_append(self, &taken);
    return BATCH_ADDED;
}

// The place that is written to never passes the place that is read.
uint32_t
event_batch_begin_merging(struct event_batch *self)
{
    uint32_t count = self->count, superseded = 0;
    self->count = 0;
    self->bytes = 0;
    self->merged = true;
    for (uint32_t i = 0; i < count; i++)
        superseded += event_batch_merge(self, self->events[i]) == BATCH_SUPERSEDED;
    return superseded;
}

void
event_batch_sort(struct event_batch *self)
{
    if (self->merged && self->count)
        qsort(self->events, self->count, sizeof self->events[0], event_order);
}
