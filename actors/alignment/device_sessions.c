// device_sessions.c - sessions of one device as connected intervals of its registrations
// (device_sessions.h).

#include "actors/alignment/device_sessions.h"

#include <stdlib.h>

#include "proto/base/table.h"

static int
compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int
by_begin(const void *a, const void *b)
{
    const struct statement *left = a, *right = b;
    int order = compare(left->since_us, right->since_us);
    return order ? order : compare(left->scene_id, right->scene_id);
}

static int
by_registration(const void *a, const void *b)
{
    const struct statement *left = a, *right = b;
    int order = compare(left->scene_id, right->scene_id);
    order = order ? order : compare(left->since_us, right->since_us);
    return order ? order : compare(left->time_us, right->time_us);
}

static bool
is_same_registration(const struct statement *a, const struct statement *b)
{
    return a->scene_id == b->scene_id && a->since_us == b->since_us;
}

// Copies the end of a registration to all its statements.
static void
share_ends(struct statement *statements, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        uint64_t until_us = 0;
        for (next = i; next < count && is_same_registration(&statements[i], &statements[next]);
             next++)
            if (statements[next].until_us > until_us)
                until_us = statements[next].until_us;
        for (size_t k = i; k < next; k++)
            statements[k].until_us = until_us;
    }
}

static uint64_t
end_of(const struct statement *self)
{
    return self->until_us ? self->until_us : UINT64_MAX;
}

// The number of a session is a hash of its device and its begin.
static void
find_sessions(struct statement *statements, size_t count, uint64_t device)
{
    uint64_t end_us = 0, session = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || statements[i].since_us >= end_us) {
            session = table_hash_u64(device ^ table_hash_u64(statements[i].since_us));
            end_us = 0;
        }
        statements[i].session = session;
        if (end_of(&statements[i]) > end_us)
            end_us = end_of(&statements[i]);
    }
}

static bool
supersedes(const struct statement *newer, const struct statement *older)
{
    return newer->scene_id == older->scene_id && newer->session == older->session;
}

void
device_sessions_judge(struct statement *statements, size_t count, uint64_t device)
{
    if (count == 0)
        return;
    qsort(statements, count, sizeof *statements, by_registration);
    share_ends(statements, count);
    qsort(statements, count, sizeof *statements, by_begin);
    find_sessions(statements, count, device);
    qsort(statements, count, sizeof *statements, by_registration);
    for (size_t i = 0; i < count; i++)
        statements[i].counts = i + 1 == count || !supersedes(&statements[i + 1], &statements[i]);
}
