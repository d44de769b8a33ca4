// timer_heap.h - what is due next: a binary heap of timers, each embedded in what it wakes. Pure;
// one thread. Of timers that are due at the same time the one that was set first comes first.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_TIMER_HEAP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

// Embedded; all zero is an timer that is not set.
struct timer {
    uint64_t due_us;
    uint64_t order; // among those of the same time
    uint32_t place; // in the heap, from 1; 0 = not set
};

// Embedded; all zero is a valid empty timers. It owns no timer.
struct timer_heap {
    struct timer **timers;
    uint32_t count;
    uint32_t capacity;
    uint64_t order;
};

void timer_heap_finish(struct timer_heap *self);

// Sets the timer, or moves it.
void timer_heap_set(struct timer_heap *self, struct timer *timer, uint64_t due_us);

// Nothing happens where it is not set.
void timer_heap_cancel(struct timer_heap *self, struct timer *timer);

// The timer that is due first, still set; NULL where there is none.
struct timer *timer_heap_first(const struct timer_heap *self);

// When that is; UINT64_MAX where there is none.
uint64_t timer_heap_due_us(const struct timer_heap *self);

static inline bool
timer_is_set(const struct timer *self)
{
    return self->place != 0;
}

#endif
