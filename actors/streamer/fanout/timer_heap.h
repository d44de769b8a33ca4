// timer_heap.h - what is due next: a binary heap of alarms, each embedded in what it wakes. Pure;
// one thread. Of alarms that are due at the same time the one that was set first comes first.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_TIMER_HEAP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

// Embedded; all zero is an alarm that is not set.
struct alarm {
    uint64_t due_us;
    uint64_t order; // among those of the same time
    uint32_t place; // in the heap, from 1; 0 = not set
};

// Embedded; all zero is a valid empty agenda. It owns no alarm.
struct agenda {
    struct alarm **alarms;
    uint32_t count;
    uint32_t capacity;
    uint64_t order;
};

void agenda_finish(struct agenda *self);

// Sets the alarm, or moves it.
void agenda_set(struct agenda *self, struct alarm *alarm, uint64_t due_us);

// Nothing happens where it is not set.
void agenda_cancel(struct agenda *self, struct alarm *alarm);

// The alarm that is due first, still set; NULL where there is none.
struct alarm *agenda_first(const struct agenda *self);

// When that is; UINT64_MAX where there is none.
uint64_t agenda_due_us(const struct agenda *self);

static inline bool
alarm_is_set(const struct alarm *self)
{
    return self->place != 0;
}

#endif
