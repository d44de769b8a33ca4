// lease.h - until when this process may answer from its memory. Where others reach the store, one
// of them may take its place; the longest that this one can go without noticing is its lease. A
// process whose store is its own needs none. What it writes is fenced by the store, not by this.
// Any thread.
#ifndef DIORAMA_PROTO_MESSAGE_LEASE_H
#define DIORAMA_PROTO_MESSAGE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

// Times in milliseconds. No two clocks are compared: who waits counts from when it last saw a beat,
// who is in charge from before it sent one, so that even clocks that run 40 % apart never let two
// answer. A beat is half as long as a lease may be without one.
enum {
    LEASE_BEAT_MS = 500,
    LEASE_MS = 1500,        // counts from before the beat was sent
    LEASE_SILENT_MS = 2500, // after so long without a new beat another one may take the place
};

// Whether answers may be given. It is to be asked after what is answered was read: a process that
// was frozen in between finds out.
bool lease_holds(void);

// The same as a refusal: ERR_UNAVAILABLE, which is counted.
fallible lease_check(void);

// From now on a lease is needed, and holds until this time (clock_boot_ms). Nothing after
// lease_lose.
void lease_extend(uint64_t until_ms);

// Another process has taken the place: it never holds again in this one. True the first time.
bool lease_lose(void);

bool lease_is_lost(void);

// --- feeds ---

// Feeds tell what is committed, so they go on where the lease has passed: most often it comes back
// soon. A server that is cut off for longer has nothing to tell, and its listeners would wait for
// ever, while another one may serve. So from then on feeds end, and send no sign of life any more,
// so that listeners look for another server; what serves one asks here at its own pace.

// Whether a lease is needed at all; else no feed ever ends.
bool lease_is_needed(void);

// Whether feeds are to end: the lease passed so long ago, or is lost.
bool lease_is_blind(void);

// For how long feeds go on after the lease has passed (events.blind); LEASE_BLIND_MS until it is
// said. Before other threads run.
void lease_set_blind(uint64_t after_ms);

enum { LEASE_BLIND_MS = 10000 };

// What a listener is told where its protocol has words for it.
#define LEASE_BLIND_WORDS "this server is cut off from its database: connect again"

#endif
