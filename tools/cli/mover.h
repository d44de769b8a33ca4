// mover.h - makes objects in a scene and moves them, by UDP or by HTTP.
// UDP may lose: settling makes each object end where it was sent last.
#ifndef DIORAMA_TOOLS_CLI_MOVER_H
#define DIORAMA_TOOLS_CLI_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "tools/cli/http_client.h"

typedef struct mover mover_t;

struct mover_addresses {
    http_client_t *http; // borrowed
    const char *udp;     // host:port
    const char *scene;   // key
    const char *token;   // of the registration that datagrams name; NULL = none
    bool by_udp;         // moves go by UDP; the rest is HTTP in any case
    bool stamped;        // moves by UDP carry, as `timestamp`, when they were sent
};

struct mover_counts {
    uint64_t objects; // created
    uint64_t updates; // given to the network
    uint64_t unsent;  // datagrams that the system refused, as when nobody listens
    uint64_t settled; // last positions sent again by HTTP
};

// Objects are known by index, 0 to `count` - 1. `addresses` is borrowed.
// Fails with ERR_INVALID when the UDP address is none.
fallible mover_create(const struct mover_addresses *addresses, size_t count, mover_t **ret_mover);
void mover_destroy(mover_t **self);

// Whether the object was added.
bool mover_knows(const mover_t *self, size_t index);

// Whether `position` is what was sent of the object last: the same pointer, not the same place.
bool mover_is_at(const mover_t *self, size_t index, const double *position);

// Adds an object to the next mover_make, which it calls where a thousand wait. `position` [3]
// metres, borrowed for good. Fails as mover_make does.
fallible mover_add(mover_t *self, size_t index, const char *name, const double *position);

// Creates what was added, in one request. Fails as http_client_call does.
fallible mover_make(mover_t *self);

// Sends the transform of a known object: identity rotation, `position` [3] metres, borrowed for
// good. Fails as http_client_call does; lost datagrams are only counted.
fallible mover_move(mover_t *self, size_t index, const double *position);

// The key of an object that was made, and, where moves are stamped, the stamp of its last one: the
// calendar's microseconds, 0 = never moved.
const char *mover_key(const mover_t *self, size_t index);
uint64_t mover_stamp_us(const mover_t *self, size_t index);

// Sends the last position of each object by HTTP, then reads them all back until they stay: an
// older datagram may still wait in the server's socket when the HTTP update passes it. Ends early
// when a signal came. Fails with ERR_CONFLICT when positions keep changing for 10 s.
fallible mover_settle(mover_t *self);

struct mover_counts mover_counts(const mover_t *self);

#endif
