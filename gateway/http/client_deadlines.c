// client_deadlines.c - how slow a client may be. One measure for all: who drips, holds or will not
// read falls behind the slowest pace that is allowed, whatever length it announced; who keeps it
// never does.
#include "gateway/http/client_deadlines.h"

#include <stdlib.h>

static const struct client_deadlines {
    int64_t credit_ms;
    int64_t bytes_per_s;
} paces[CLIENT_DEADLINE_COUNT] = {
#define X(name, credit_ms, bytes_per_s) {credit_ms, bytes_per_s},
    CLIENT_DEADLINES(X)
#undef X
};

int64_t
client_deadline_lateness(enum client_deadline_phase phase, int64_t elapsed_ms, uint64_t bytes)
{
    const struct client_deadlines *pace = &paces[phase];
    if (!pace->credit_ms)
        return 0;
    int64_t earned_ms = pace->bytes_per_s ? (int64_t)bytes * 1000 / pace->bytes_per_s : 0;
    return (elapsed_ms - earned_ms) * CLIENT_DEADLINE_LOST / pace->credit_ms;
}

static int
compare_slowest_first(const void *left, const void *right)
{
    const struct client_deadline_entry *a = left, *b = right;
    return (a->lateness < b->lateness) - (a->lateness > b->lateness);
}

size_t
client_deadline_choose(struct client_deadline_entry *runners, size_t count, size_t wanted)
{
    size_t chosen = 0;
    qsort(runners, count, sizeof *runners, compare_slowest_first);
    while (chosen < count &&
           (runners[chosen].lateness >= CLIENT_DEADLINE_LOST ||
            (chosen < wanted && runners[chosen].lateness >= CLIENT_DEADLINE_SLOW)))
        chosen++;
    return chosen;
}
