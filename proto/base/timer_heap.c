// timer_heap.c - sifts timers up and down; each timer knows its place (timer_heap.h).

#include "proto/base/timer_heap.h"

#include <stdlib.h>

#include "proto/base/memory.h"

enum { FIRST_TIMERS = 16 };

void
timer_heap_finish(struct timer_heap *self)
{
    free(self->timers);
    *self = (struct timer_heap){0};
}

static bool
is_before(const struct timer *a, const struct timer *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->order < b->order;
}

// Places count from 1.
static void
timer_heap_put(struct timer_heap *self, uint32_t place, struct timer *timer)
{
    self->timers[place - 1] = timer;
    timer->place = place;
}

static void
timer_heap_rise(struct timer_heap *self, struct timer *timer)
{
    uint32_t place = timer->place;
    while (place > 1 && is_before(timer, self->timers[place / 2 - 1])) {
        timer_heap_put(self, place, self->timers[place / 2 - 1]);
        place /= 2;
    }
    timer_heap_put(self, place, timer);
}

static void
timer_heap_sink(struct timer_heap *self, struct timer *timer)
{
    uint32_t place = timer->place;
    for (;;) {
        uint32_t child = place * 2;
        if (child < self->count && is_before(self->timers[child], self->timers[child - 1]))
            child++;
        if (child > self->count || !is_before(self->timers[child - 1], timer))
            break;
        timer_heap_put(self, place, self->timers[child - 1]);
        place = child;
    }
    timer_heap_put(self, place, timer);
}

void
timer_heap_set(struct timer_heap *self, struct timer *timer, uint64_t due_us)
{
    if (!timer_is_set(timer)) {
        if (self->count == self->capacity) {
            self->capacity = self->capacity ? self->capacity * 2 : FIRST_TIMERS;
            self->timers = memory_resize(self->timers, self->capacity * sizeof self->timers[0]);
        }
        timer->place = ++self->count;
    }
    timer->due_us = due_us;
    timer->order = ++self->order;
    timer_heap_rise(self, timer);
    timer_heap_sink(self, timer);
}

void
timer_heap_cancel(struct timer_heap *self, struct timer *timer)
{
    if (!timer_is_set(timer))
        return;
    struct timer *last = self->timers[--self->count];
    if (last != timer) {
        timer_heap_put(self, timer->place, last);
        timer_heap_rise(self, last);
        timer_heap_sink(self, last);
    }
    timer->place = 0;
}

struct timer *
timer_heap_first(const struct timer_heap *self)
{
    return self->count ? self->timers[0] : NULL;
}

uint64_t
timer_heap_due_us(const struct timer_heap *self)
{
    return self->count ? self->timers[0]->due_us : UINT64_MAX;
}
