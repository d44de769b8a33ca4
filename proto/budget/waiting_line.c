// waiting_line.c - who is first in line (waiting_line.h). Each waiter has a round; in each round a
// payer has one place, so the line is in order of rounds, and of arrival within them. Any thread.
#include "proto/budget/waiting_line.h"

#include <stddef.h>
#include <string.h>

#include "proto/base/condition.h"

// The round behind the last one of its payer; one who had no place is in the present round.
static uint64_t
round_of(const struct waiting_line *self, const char *payer)
{
    uint64_t round = self->first ? self->first->round : 0;
    for (const struct waiter *other = self->first; other; other = other->next)
        if (strcmp(other->payer, payer) == 0)
            round = other->round + 1;
    return round;
}

static void
line_enter(struct waiting_line *self, struct waiter *waiter)
{
    waiter->round = round_of(self, waiter->payer);
    struct waiter **at = &self->first;
    while (*at && (*at)->round <= waiter->round)
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
}

static void
line_leave(struct waiting_line *self, const struct waiter *waiter)
{
    struct waiter **at = &self->first;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
}

void
waiting_line_serve(struct waiting_line *self, const struct room *room)
{
    struct waiter *first;
    while ((first = self->first) != NULL && room->take(room, first->amount)) {
        self->first = first->next;
        first->is_served = true;
        pthread_cond_signal(&first->turn);
    }
}

bool
waiting_line_await(struct waiting_line *self, const struct room *room, const char *payer,
                   int64_t amount, uint64_t deadline_ms)
{
    if (!self->first && room->take(room, amount))
        return true;
    struct waiter waiter = {.payer = payer, .amount = amount};
    bool is_in_time = true;
    pthread_cond_init(&waiter.turn, NULL);
    line_enter(self, &waiter);
    while (!waiter.is_served && is_in_time)
        is_in_time = condition_await(&waiter.turn, room->lock, deadline_ms);
    if (!waiter.is_served) {
        line_leave(self, &waiter);
        waiting_line_serve(self, room); // those behind may want less
    }
    pthread_cond_destroy(&waiter.turn);
    return waiter.is_served;
}
