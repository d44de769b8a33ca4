// stream_dues.h - who is due next, of many: a heap of times. Pure; one thread.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_DUES_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_DUES_H

#include <stddef.h>
#include <stdint.h>

// Embedded in who is due; all zero is not due at all.
struct stream_due {
    uint64_t at_us;
    size_t place; // in the heap, from 1; 0: not in it
};

// Embedded; all zero is empty. The dues are borrowed while they are in it.
struct stream_dues {
    struct stream_due **heap;
    size_t count, capacity;
};

void stream_dues_finish(struct stream_dues *self);

// It is due then, and at no other time.
void stream_dues_set(struct stream_dues *self, struct stream_due *due, uint64_t at_us);

// It is not due any more; nothing happens where it was not.
void stream_dues_remove(struct stream_dues *self, struct stream_due *due);

// The first one, which stays; NULL = nobody is due.
struct stream_due *stream_dues_first(const struct stream_dues *self);

#endif
