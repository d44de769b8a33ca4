// timer_heap.h - timers in the order of their times: a binary heap. Each timer is embedded in what
// it wakes. Pure; one thread. Of two timers with the same time, the one that was set first comes
// first.
#ifndef DIORAMA_PROTO_BASE_TIMER_HEAP_H
#define DIORAMA_PROTO_BASE_TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

// Embedded; all zero is a timer that is not set.
struct timer {
    uint64_t due_us;
    uint64_t order; // among timers of the same time
    uint32_t place; // in the heap, from 1; 0 = not set
};

// Embedded; all zero is valid and empty. It owns no timer.
struct timer_heap {
    struct timer **timers;
    uint32_t count;
    uint32_t capacity;
    uint64_t order;
};

void timer_heap_finish(struct timer_heap *self);

// Sets the timer, or moves it.
void timer_heap_set(struct timer_heap *self, struct timer *timer, uint64_t due_us);

// Does nothing if the timer is not set.
void timer_heap_cancel(struct timer_heap *self, struct timer *timer);

// The first timer, which stays set; NULL if there is none.
struct timer *timer_heap_first(const struct timer_heap *self);

// The time of the first timer; UINT64_MAX if there is none.
uint64_t timer_heap_due_us(const struct timer_heap *self);

static inline bool
timer_is_set(const struct timer *self)
{
    return self->place != 0;
}

#endif
