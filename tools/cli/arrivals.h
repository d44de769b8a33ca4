// arrivals.h - which stamped updates listeners received, and how long they took. Pure but for the
// table of newest stamps, which another thread may read.
#ifndef DIORAMA_TOOLS_CLI_ARRIVALS_H
#define DIORAMA_TOOLS_CLI_ARRIVALS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/base/table.h"
#include "tools/cli/latency.h"
#include "tools/cli/sequences.h"

// The objects whose updates are timed, by key. Any thread may read a complete roster.
typedef struct roster roster_t;

roster_t *roster_create(uint32_t objects);
void roster_destroy(roster_t **self);
void roster_put(roster_t *self, uint32_t object, const char *key);
uint32_t roster_objects(const roster_t *self);

// Which object an index of a packed feed stands for, as datagrams have told. Embedded; all zero is
// empty.
struct roster_indices {
    struct table by_index;
    struct roster_index *items; // by object, the newest index of each
};

// One listener: its place in the feed, and the newest stamp that it received of each object.
struct listener {
    sequences_t *sequences;
    _Atomic uint64_t *newest_us; // by object; 0 = none yet
};

void listener_init(struct listener *self, uint32_t objects);
void listener_finish(struct listener *self);

// What some listeners received. Embedded; all zero is empty.
struct arrivals {
    const roster_t *roster;
    struct roster_indices indices; // in the place of keys
    bool packed;
    uint64_t datagrams;
    uint64_t bytes;         // of them, without the headers of UDP
    uint64_t changes;       // in them, with a stamp
    uint64_t news;          // changes that were newer than what the listener had
    uint64_t unreadable;    // datagrams
    struct latency latency; // of the news
    struct arena arena;     // of the datagram at hand
};

void arrivals_finish(struct arrivals *self);

// Takes a datagram that `listener` received at `now_us` of the calendar.
void arrivals_take(struct arrivals *self, struct listener *listener, const void *data, size_t size,
                   uint64_t now_us);

#endif
