// waiting_line.h - a line of threads that wait for room, under the lock of whoever has the room.
// The first in line gets what it waits for before the others get anything, so a large amount is not
// passed by small ones for ever; those of different payers take turns, so nobody fills the line.
#ifndef DIORAMA_PROTO_BUDGET_WAITING_LINE_H
#define DIORAMA_PROTO_BUDGET_WAITING_LINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// One who waits, on the stack of its thread.
struct waiter {
    struct waiter *next;
    const char *payer;
    int64_t amount;
    uint64_t round;
    bool is_served; // by whoever gave back: it is in line no longer
    pthread_cond_t turn;
};

// Embedded; all zero is an empty line.
struct waiting_line {
    struct waiter *first;
};

// What is waited for. `take` takes the amount if it fits, and says whether it did.
struct room {
    bool (*take)(const struct room *self, int64_t amount);
    pthread_mutex_t *lock;
};

// Takes the amount, at once if nobody waits, else in turn. False at `deadline_ms` (clock.h). The
// lock is held, and released meanwhile; the payer's name is borrowed until then.
bool waiting_line_await(struct waiting_line *self, const struct room *room, const char *payer,
                        int64_t amount, uint64_t deadline_ms);

// Something was given back: serves the first in line for as long as there is room. The lock is
// held.
void waiting_line_serve(struct waiting_line *self, const struct room *room);

#endif
