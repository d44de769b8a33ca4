// stream_dues.c - a binary heap whose items know their places (stream_dues.h).
#include "gateway/events/stream_dues.h"

#include <stdlib.h>

#include "proto/base/memory.h"

enum { FIRST_CAPACITY = 64 };

void
stream_dues_finish(struct stream_dues *self)
{
    free(self->heap);
    *self = (struct stream_dues){0};
}

static void
put(struct stream_dues *self, size_t place, struct stream_due *due)
{
    self->heap[place - 1] = due;
    due->place = place;
}

static struct stream_due *
at(const struct stream_dues *self, size_t place)
{
    return self->heap[place - 1];
}

// Moves a due from its place towards the first one.
static void
rise(struct stream_dues *self, struct stream_due *due)
{
    size_t place = due->place;
    for (; place > 1 && at(self, place / 2)->at_us > due->at_us; place /= 2)
        put(self, place, at(self, place / 2));
    put(self, place, due);
}

// Moves it away from there.
static void
sink(struct stream_dues *self, struct stream_due *due)
{
    size_t place = due->place;
    for (size_t next; (next = place * 2) <= self->count; place = next) {
        if (next < self->count && at(self, next + 1)->at_us < at(self, next)->at_us)
            next++;
        if (at(self, next)->at_us >= due->at_us)
            break;
        put(self, place, at(self, next));
    }
    put(self, place, due);
}

void
stream_dues_set(struct stream_dues *self, struct stream_due *due, uint64_t at_us)
{
    if (!due->place) {
        if (self->count == self->capacity) {
            self->capacity = self->capacity ? self->capacity * 2 : FIRST_CAPACITY;
            self->heap = memory_resize(self->heap, self->capacity * sizeof(struct stream_due *));
        }
        put(self, ++self->count, due);
    }
    due->at_us = at_us;
    rise(self, due);
    sink(self, due);
}

void
stream_dues_remove(struct stream_dues *self, struct stream_due *due)
{
    if (!due->place)
        return;
    struct stream_due *last = at(self, self->count--);
    if (last != due) {
        put(self, due->place, last);
        rise(self, last);
        sink(self, last);
    }
    due->place = 0;
}

struct stream_due *
stream_dues_first(const struct stream_dues *self)
{
    return self->count ? at(self, 1) : NULL;
}
