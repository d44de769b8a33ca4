// client_deadlines.c - how slow a client may be. One measure for all: who drips, holds or will not
// read falls behind the slowest pace that is allowed, whatever length it announced; who keeps it
// never does.
#include "gateway/http/client_deadlines.h"

#include <stdlib.h>

static const struct pace {
    int64_t credit_ms;
    int64_t bytes_per_s;
} paces[PACE_COUNT] = {
#define X(name, credit_ms, bytes_per_s) {credit_ms, bytes_per_s},
    PACES(X)
#undef X
};

int64_t
pace_lateness(enum pace_phase phase, int64_t elapsed_ms, uint64_t bytes)
{
    const struct pace *pace = &paces[phase];
    if (!pace->credit_ms)
        return 0;
    int64_t earned_ms = pace->bytes_per_s ? (int64_t)bytes * 1000 / pace->bytes_per_s : 0;
    return (elapsed_ms - earned_ms) * PACE_LOST / pace->credit_ms;
}

static int
compare_slowest_first(const void *left, const void *right)
{
    const struct pace_runner *a = left, *b = right;
    return (a->lateness < b->lateness) - (a->lateness > b->lateness);
}

size_t
pace_choose(struct pace_runner *runners, size_t count, size_t wanted)
{
    size_t chosen = 0;
    qsort(runners, count, sizeof *runners, compare_slowest_first);
    while (chosen < count && (runners[chosen].lateness >= PACE_LOST ||
                              (chosen < wanted && runners[chosen].lateness >= PACE_SLOW)))
        chosen++;
    return chosen;
}
