// client_deadlines.c - measures how late a client is. One measure serves for all: a client that
// sends or reads more slowly than is allowed uses up its credit, whatever length it announced; one
// that keeps the rate never does.
#include "gateway/http/client_deadlines.h"

#include <stdlib.h>

static const struct phase_limit {
    int64_t credit_ms;
    int64_t bytes_per_s;
} phases[CLIENT_DEADLINE_COUNT] = {
#define X(name, credit_ms, bytes_per_s) {credit_ms, bytes_per_s},
    CLIENT_DEADLINES(X)
#undef X
};

static int64_t
lateness(const struct phase_limit *limit, int64_t elapsed_ms, uint64_t bytes)
{
    if (!limit->credit_ms)
        return 0;
    int64_t earned_ms = limit->bytes_per_s ? (int64_t)bytes * 1000 / limit->bytes_per_s : 0;
    return (elapsed_ms - earned_ms) * CLIENT_DEADLINE_LOST / limit->credit_ms;
}

int64_t
client_deadline_lateness(enum client_deadline_phase phase, int64_t elapsed_ms, uint64_t bytes)
{
    return lateness(&phases[phase], elapsed_ms, bytes);
}

int64_t
client_deadline_holder_lateness(int64_t elapsed_ms, uint64_t bytes)
{
    const struct phase_limit limit = {phases[CLIENT_DEADLINE_REST].credit_ms,
                                      CLIENT_DEADLINE_HOLDER_RATE};
    return lateness(&limit, elapsed_ms, bytes);
}

static int
compare_slowest_first(const void *left, const void *right)
{
    const struct client_deadline_entry *a = left, *b = right;
    return (a->lateness < b->lateness) - (a->lateness > b->lateness);
}

size_t
client_deadline_choose(struct client_deadline_entry *runners, size_t count, size_t wanted,
                       int64_t slow)
{
    size_t chosen = 0;
    qsort(runners, count, sizeof *runners, compare_slowest_first);
    while (chosen < count && (runners[chosen].lateness >= CLIENT_DEADLINE_LOST ||
                              (chosen < wanted && runners[chosen].lateness >= slow)))
        chosen++;
    return chosen;
}

size_t
client_deadline_holders(struct client_deadline_entry *entries, size_t count)
{
    size_t holders = 0;
    for (size_t i = 0; i < count; i++) {
        struct client_deadline_entry entry = entries[i];
        if (!entry.holds_memory)
            continue;
        entry.lateness = entry.holder_lateness < CLIENT_DEADLINE_LOST ? entry.holder_lateness
                                                                      : CLIENT_DEADLINE_LOST - 1;
        entries[i] = entries[holders];
        entries[holders++] = entry;
    }
    return holders;
}
