// retransmit.c - pending repeats by the key of their entity and by time (retransmit.h).

#include "actors/streamer/fanout/retransmit.h"

#include <stddef.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/feed/feed_packed.h"

static const uint64_t repeats_us[] = {100000, 500000, 2000000}; // after the newest change

enum {
    REPEATS = sizeof repeats_us / sizeof repeats_us[0],
    REGULAR_US = 500000, // between two changes, at most: such an entity is expected to change again
    FIRST_TELLS = 3,     // changes that tell a new index
    TELL_US = 1000000,   // after which a change tells it again
};

static struct pending_repeat *
pending_repeat_of(struct timer *timer)
{
    return (struct pending_repeat *)(void *)((char *)timer -
                                             offsetof(struct pending_repeat, timer));
}

static uint64_t
event_hash(const struct event *event)
{
    return table_hash_text(frozen_key(event->record));
}

static bool
pending_repeat_is_of(const void *value, const void *key)
{
    const struct event *repeated = &((const struct pending_repeat *)value)->event, *event = key;
    return event_is_of_actions(repeated->msg_type) == event_is_of_actions(event->msg_type) &&
           text_equal(frozen_key(repeated->record), frozen_key(event->record));
}

static void
pending_repeat_release(struct pending_repeat *self)
{
    record_unref(&self->event.scene);
    record_unref(&self->event.record);
}

void
retransmit_finish(struct retransmit *self)
{
    size_t cursor = 0;
    struct pending_repeat *repeat;
    while ((repeat = table_next(&self->entities, &cursor)) != NULL) {
        pending_repeat_release(repeat);
        free(repeat);
    }
    table_finish(&self->entities);
    timer_heap_finish(&self->timers);
    *self = (struct retransmit){0};
}

struct pending_repeat *
retransmit_find(const struct retransmit *self, const struct event *event)
{
    return table_find(&self->entities, event_hash(event), pending_repeat_is_of, event);
}

// Whether devices have the entity before the event, so that a part of its members is enough.
static bool
pending_repeat_exists(const struct pending_repeat *self, const struct event *event)
{
    return self && !event_is_create(event->msg_type) &&
           (event_is_update(self->event.msg_type) || event_is_create(self->event.msg_type));
}

// Whether a change brings along the members of the window.
static bool
pending_repeat_is_wanted(const struct pending_repeat *self, uint64_t now_us)
{
    return timer_is_set(&self->timer) && self->window_us + repeats_us[self->brought] <= now_us;
}

struct sending
retransmit_sending(const struct pending_repeat *repeat, const struct event *event, uint64_t now_us)
{
    struct sending sending = {.msg_type = event->msg_type,
                              .index = repeat ? repeat->index : event->seq,
                              .has_key = !repeat || !event_is_update(event->msg_type) ||
                                         repeat->tells < FIRST_TELLS ||
                                         repeat->told_us + TELL_US <= now_us};
    bool exists = event_is_update(event->msg_type) && pending_repeat_exists(repeat, event);
    sending.changed =
        feed_packed_difference(exists ? event_record(&repeat->event) : NULL, event_record(event));
    sending.members = sending.changed;
    if (exists && pending_repeat_is_wanted(repeat, now_us)) {
        sending.members |= repeat->members;
        sending.msg_type = repeat->msg_type;
    }
    return sending;
}

static void
retransmit_remove(struct retransmit *self, struct pending_repeat *repeat)
{
    timer_heap_cancel(&self->timers, &repeat->timer);
    table_remove(&self->entities, event_hash(&repeat->event), repeat);
    pending_repeat_release(repeat);
    free(repeat);
}

static struct pending_repeat *
retransmit_add(struct retransmit *self, const struct event *event)
{
    struct pending_repeat *repeat = memory_take_zeroed(sizeof *repeat);
    table_add(&self->entities, event_hash(event), repeat);
    return repeat;
}

// Ends the repeats of actions of an entity that is deleted or created: they would bring the old
// entity back.
static void
retransmit_end_actions(struct retransmit *self, const struct event *event)
{
    if (event_is_update(event->msg_type) || event_is_of_actions(event->msg_type))
        return;
    struct event of_actions = *event;
    of_actions.msg_type = EVENT_OBJECT_KEYFRAME_UPDATED;
    struct pending_repeat *repeat = retransmit_find(self, &of_actions);
    if (repeat)
        retransmit_remove(self, repeat);
}

// A mean that follows slowly: one change that comes early does not end the wait for the others.
static void
pending_repeat_note_time(struct pending_repeat *self, uint64_t now_us)
{
    uint64_t last_us = self->changed_us ? now_us - self->changed_us : UINT64_MAX;
    self->changed_us = now_us;
    if (last_us > REGULAR_US)
        self->every_us = 0;
    else if (self->every_us)
        self->every_us = (uint32_t)((3 * (uint64_t)self->every_us + last_us) / 4);
    else
        self->every_us = (uint32_t)last_us;
}

// When an entity is repeated first that has just changed: if it changes regularly, a quarter later
// than its next change is expected.
static uint64_t
pending_repeat_first_us(const struct pending_repeat *self)
{
    return self->changed_us + repeats_us[0] + self->every_us + self->every_us / 4;
}

static void
pending_repeat_begin_window(struct pending_repeat *self, uint64_t members, uint64_t now_us)
{
    self->members = members;
    self->recent = 0;
    self->window_us = now_us;
    self->brought = 0;
}

// The members of the window were sent again.
static void
pending_repeat_note_brought(struct pending_repeat *self, uint64_t now_us)
{
    if (++self->brought < REPEATS)
        return;
    pending_repeat_begin_window(self, self->recent, now_us);
    self->msg_type = self->event.msg_type;
}

static void
pending_repeat_change(struct pending_repeat *self, const struct event *event, uint64_t changed,
                      uint64_t now_us)
{
    struct event old = self->event;
    bool exists = old.record && pending_repeat_exists(self, event);
    self->recent |= changed;
    if (!exists)
        pending_repeat_begin_window(self, changed, now_us);
    else if (changed & ~self->members)
        pending_repeat_begin_window(self, self->members | changed, now_us);
    if (!exists || !event_is_update(event->msg_type))
        self->msg_type = event->msg_type;
    pending_repeat_note_time(self, now_us);
    self->repeats = 0;
    self->event = *event;
    self->event.scene = record_ref(event->scene);
    self->event.record = record_ref(event->record);
    record_unref(&old.scene);
    record_unref(&old.record);
}

void
retransmit_note_change(struct retransmit *self, struct pending_repeat *repeat,
                       const struct event *event, const struct sending *sending, uint64_t now_us)
{
    retransmit_end_actions(self, event);
    if (!repeat && self->entities.count >= RETRANSMIT_ENTITIES)
        return;
    if (!repeat)
        repeat = retransmit_add(self, event);
    bool is_brought = pending_repeat_is_wanted(repeat, now_us);
    repeat->index = sending->index;
    if (sending->has_key) {
        if (repeat->tells < FIRST_TELLS)
            repeat->tells++;
        repeat->told_us = now_us;
    }
    pending_repeat_change(repeat, event, sending->changed, now_us);
    if (is_brought && repeat->window_us < now_us)
        pending_repeat_note_brought(repeat, now_us);
    timer_heap_set(&self->timers, &repeat->timer, pending_repeat_first_us(repeat));
}

struct pending_repeat *
retransmit_next(const struct retransmit *self, uint64_t now_us)
{
    return timer_heap_due_us(&self->timers) <= now_us
               ? pending_repeat_of(timer_heap_first(&self->timers))
               : NULL;
}

// A late repeat moves the ones after it, so that two are never closer together than 0.1 s.
void
retransmit_note_repeat(struct retransmit *self, struct pending_repeat *repeat, uint64_t now_us)
{
    pending_repeat_note_brought(repeat, now_us);
    if (++repeat->repeats == REPEATS) {
        retransmit_remove(self, repeat);
        return;
    }
    uint64_t due_us = repeat->changed_us + repeats_us[repeat->repeats];
    uint64_t soonest_us = now_us + repeats_us[0];
    timer_heap_set(&self->timers, &repeat->timer, due_us > soonest_us ? due_us : soonest_us);
}

uint64_t
retransmit_due_us(const struct retransmit *self)
{
    return timer_heap_due_us(&self->timers);
}
