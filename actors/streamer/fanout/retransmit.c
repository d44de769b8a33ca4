// retransmit.c - things by key, and when each is repeated (heal.h).

#include "actors/streamer/fanout/retransmit.h"
#include <stddef.h>
#include <stdlib.h>
#include "proto/base/memory.h"
#include "proto/feed/feed_packed.h"

static const uint64_t repeats_us[] = {100000, 500000, 2000000}; // after the newest change

enum {
    REPEATS = sizeof repeats_us / sizeof repeats_us[0],
    CREATED_TURNS = 2,
};

static struct mending *
mending_of(struct alarm *alarm)
{
    return (struct mending *)(void *)((char *)alarm - offsetof(struct mending, alarm));
}

static uint64_t
event_hash(const struct event *event)
{
    return table_hash_text(record_key(event->record));
}

static bool
mending_is_of(const void *value, const void *key)
{
    const struct event *mended = &((const struct mending *)value)->event, *event = key;
    return event_is_of_actions(mended->msg_type) == event_is_of_actions(event->msg_type) &&
           text_equal(record_key(mended->record), record_key(event->record));
}

static void
mending_release(struct mending *self)
{
    record_unref(&self->event.scene);
    record_unref(&self->event.record);
}

void
heal_finish(struct heal *self)
{
    size_t cursor = 0;
    struct mending *mending;
    while ((mending = table_next(&self->things, &cursor)) != NULL) {
        mending_release(mending);
        free(mending);
    }
    table_finish(&self->things);
    agenda_finish(&self->agenda);
    *self = (struct heal){0};
}

struct mending *
heal_find(const struct heal *self, const struct event *event)
{
    return table_find(&self->things, event_hash(event), mending_is_of, event);
}

// Whether the thing is there for its listeners before the event: what they have can be built on.
static bool
mending_stands(const struct mending *self, const struct event *event)
{
    return self && !event_is_create(event->msg_type) &&
           (event_is_update(self->event.msg_type) || event_is_create(self->event.msg_type));
}

static bool
mending_is_due(const struct mending *self, uint64_t now_us)
{
    return alarm_is_set(&self->alarm) && self->alarm.due_us <= now_us;
}

struct sending
heal_sending(const struct mending *mending, const struct event *event, uint64_t now_us)
{
    struct sending sending = {.msg_type = event->msg_type};
    bool stands = event_is_update(event->msg_type) && mending_stands(mending, event);
    sending.changed = packed_difference(stands ? mending->event.record : NULL, event->record);
    sending.members = sending.changed;
    if (stands && mending_is_due(mending, now_us)) {
        sending.members |= mending->members;
        sending.msg_type = mending->msg_type;
    }
    return sending;
}

static void
heal_remove(struct heal *self, struct mending *mending)
{
    agenda_cancel(&self->agenda, &mending->alarm);
    table_remove(&self->things, event_hash(&mending->event), mending);
    mending_release(mending);
    free(mending);
}

static struct mending *
heal_add(struct heal *self, const struct event *event)
{
    struct mending *mending = memory_take_zeroed(sizeof *mending);
    table_add(&self->things, event_hash(event), mending);
    return mending;
}

// What is deleted, or made anew, has no actions to be repeated: they would bring the thing back.
// They are not missed either.
static void
heal_end_actions(struct heal *self, const struct event *event)
{
    if (event_is_update(event->msg_type) || event_is_of_actions(event->msg_type))
        return;
    struct event of_actions = *event;
    of_actions.msg_type = EVENT_OBJECT_KEYFRAME_UPDATED;
    struct mending *mending = heal_find(self, &of_actions);
    if (mending)
        heal_remove(self, mending);
}

static void
mending_change(struct mending *self, const struct event *event, const struct sending *sending,
               uint64_t now_us)
{
    struct event old = self->event;
    if (old.record && mending_stands(self, event)) {
        self->members |= sending->changed;
        self->recent |= sending->changed;
    } else {
        self->members = self->recent = sending->changed;
        self->msg_type = event->msg_type;
        self->created = event_is_create(event->msg_type) ? CREATED_TURNS : 0;
        self->turned_us = now_us;
    }
    if (!event_is_update(event->msg_type))
        self->msg_type = event->msg_type;
    self->changed_us = now_us;
    self->repeats = 0;
    self->event = *event;
    self->event.scene = record_ref(event->scene);
    self->event.record = record_ref(event->record);
    record_unref(&old.scene);
    record_unref(&old.record);
}

// Once it was repeated: what changed last before the turn before this one is healed.
static void
mending_turn(struct mending *self, uint64_t now_us)
{
    if (now_us - self->turned_us < repeats_us[REPEATS - 1])
        return;
    self->members = self->recent;
    self->recent = 0;
    self->turned_us = now_us;
    if (self->created && --self->created == 0)
        self->msg_type = self->event.msg_type;
}

void
heal_note_change(struct heal *self, struct mending *mending, const struct event *event,
                 const struct sending *sending, uint64_t now_us)
{
    heal_end_actions(self, event);
    if (!mending && self->things.count >= HEAL_THINGS) {
        self->forgotten = event->seq;
        return;
    }
    if (!mending)
        mending = heal_add(self, event);
    bool was_due = mending_is_due(mending, now_us);
    mending_change(mending, event, sending, now_us);
    if (was_due)
        mending_turn(mending, now_us);
    uint64_t due_us = now_us + repeats_us[0];
    if (was_due || !alarm_is_set(&mending->alarm) || mending->alarm.due_us > due_us)
        agenda_set(&self->agenda, &mending->alarm, due_us);
}

struct mending *
heal_next(const struct heal *self, uint64_t now_us)
{
    return agenda_due_us(&self->agenda) <= now_us ? mending_of(agenda_first(&self->agenda)) : NULL;
}

static void
heal_forget(struct heal *self, struct mending *mending)
{
    if (self->forgotten < mending->event.seq)
        self->forgotten = mending->event.seq;
    heal_remove(self, mending);
}

// A repeat that was late moves those after it: they are never closer together than the first two.
void
heal_note_repeat(struct heal *self, struct mending *mending, uint64_t now_us)
{
    mending_turn(mending, now_us);
    if (mending->changed_us + repeats_us[0] <= now_us)
        mending->repeats++;
    if (mending->repeats == REPEATS) {
        heal_forget(self, mending);
        return;
    }
    uint64_t due_us = mending->changed_us + repeats_us[mending->repeats];
    uint64_t soonest_us = now_us + (mending->repeats ? repeats_us[0] : 0);
    agenda_set(&self->agenda, &mending->alarm, due_us > soonest_us ? due_us : soonest_us);
}

uint64_t
heal_due_us(const struct heal *self)
{
    return agenda_due_us(&self->agenda);
}

uint32_t
heal_changes_after(const struct heal *self, uint64_t seq, struct event **ret_events)
{
    struct event *events = memory_take((self->things.count + 1) * sizeof *events);
    uint32_t count = 0;
    size_t cursor = 0;
    const struct mending *mending;
    while ((mending = table_next(&self->things, &cursor)) != NULL)
        if (mending->event.seq > seq) {
            events[count] = mending->event;
            events[count++].msg_type = mending->msg_type;
        }
    qsort(events, count, sizeof *events, event_order);
    *ret_events = events;
    return count;
}
