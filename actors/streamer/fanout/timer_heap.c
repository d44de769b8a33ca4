// timer_heap.c - sift up, sift down; each alarm knows its place (agenda.h).

#include "actors/streamer/fanout/timer_heap.h"
#include <stdlib.h>
#include "proto/base/memory.h"

enum { FIRST_ALARMS = 16 };

void
agenda_finish(struct agenda *self)
{
    free(self->alarms);
    *self = (struct agenda){0};
}

static bool
is_before(const struct alarm *a, const struct alarm *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->order < b->order;
}

// Places count from 1.
static void
agenda_put(struct agenda *self, uint32_t place, struct alarm *alarm)
{
    self->alarms[place - 1] = alarm;
    alarm->place = place;
}

static void
agenda_rise(struct agenda *self, struct alarm *alarm)
{
    uint32_t place = alarm->place;
    while (place > 1 && is_before(alarm, self->alarms[place / 2 - 1])) {
        agenda_put(self, place, self->alarms[place / 2 - 1]);
        place /= 2;
    }
    agenda_put(self, place, alarm);
}

static void
agenda_sink(struct agenda *self, struct alarm *alarm)
{
    uint32_t place = alarm->place;
    for (;;) {
        uint32_t child = place * 2;
        if (child < self->count && is_before(self->alarms[child], self->alarms[child - 1]))
            child++;
        if (child > self->count || !is_before(self->alarms[child - 1], alarm))
            break;
        agenda_put(self, place, self->alarms[child - 1]);
        place = child;
    }
    agenda_put(self, place, alarm);
}

void
agenda_set(struct agenda *self, struct alarm *alarm, uint64_t due_us)
{
    if (!alarm_is_set(alarm)) {
        if (self->count == self->capacity) {
            self->capacity = self->capacity ? self->capacity * 2 : FIRST_ALARMS;
            self->alarms = memory_resize(self->alarms, self->capacity * sizeof self->alarms[0]);
        }
        alarm->place = ++self->count;
    }
    alarm->due_us = due_us;
    alarm->order = ++self->order;
    agenda_rise(self, alarm);
    agenda_sink(self, alarm);
}

void
agenda_cancel(struct agenda *self, struct alarm *alarm)
{
    if (!alarm_is_set(alarm))
        return;
    struct alarm *last = self->alarms[--self->count];
    if (last != alarm) {
        agenda_put(self, alarm->place, last);
        agenda_rise(self, last);
        agenda_sink(self, last);
    }
    alarm->place = 0;
}

struct alarm *
agenda_first(const struct agenda *self)
{
    return self->count ? self->alarms[0] : NULL;
}

uint64_t
agenda_due_us(const struct agenda *self)
{
    return self->count ? self->alarms[0]->due_us : UINT64_MAX;
}
