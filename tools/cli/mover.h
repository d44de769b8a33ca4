// mover.h - creates objects in a scene and moves them, by UDP or by HTTP. UDP may lose updates, so
// settling puts each object where it was sent last.
#ifndef DIORAMA_TOOLS_CLI_MOVER_H
#define DIORAMA_TOOLS_CLI_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "tools/cli/http_client.h"
#include "tools/cli/sealed_link.h"

typedef struct mover mover_t;

struct mover_addresses {
    http_client_t *http;      // borrowed
    const char *udp;          // host:port
    const char *scene;        // key
    struct sealed_link *link; // borrowed: seals datagrams, in place of a token; NULL = none
    const char *token;        // of the device in whose name datagrams are sent; NULL = none
    bool by_udp;              // moves go by UDP; the rest is HTTP in any case
    bool stamped;             // moves by UDP carry, as `timestamp`, when they were sent
};

struct mover_counts {
    uint64_t objects; // created
    uint64_t updates; // given to the network
    uint64_t unsent;  // datagrams that the system refused, for example because nobody listens
    uint64_t settled; // last positions sent again by HTTP
};

// Objects have indexes from 0 to `count` - 1. `addresses` is borrowed. Fails with ERR_INVALID if
// the UDP address is bad.
fallible mover_create(const struct mover_addresses *addresses, size_t count, mover_t **ret_mover);
void mover_destroy(mover_t **self);

// Whether the object was added.
bool mover_knows(const mover_t *self, size_t index);

// Whether `position` is the one sent last: the same pointer, not only the same numbers.
bool mover_is_at(const mover_t *self, size_t index, const double *position);

// Adds an object to the next mover_make, and calls that once a thousand wait. `position` is [3] in
// metres, `rotation` a unit quaternion w x y z or NULL for none; both are borrowed until the mover
// is destroyed. Fails as mover_make does.
fallible mover_add(mover_t *self, size_t index, const char *name, const double *position,
                   const double *rotation);

// Creates what was added, in one request. Fails as http_client_call does.
fallible mover_make(mover_t *self);

// Sends the transform of a known object: position and rotation as in mover_add. Fails as
// http_client_call does; lost datagrams are only counted.
fallible mover_move(mover_t *self, size_t index, const double *position, const double *rotation);

// The key of an object that was made, and the stamp of its last move if moves are stamped:
// microseconds of the calendar, 0 = never moved.
const char *mover_key(const mover_t *self, size_t index);
uint64_t mover_stamp_us(const mover_t *self, size_t index);

// Sends the last position of each object by HTTP, then reads all of them back until they stay: an
// older datagram may still wait in the server's socket while the HTTP update passes it. A signal
// ends it early. Fails with ERR_CONFLICT if positions keep changing for 10 s.
fallible mover_settle(mover_t *self);

struct mover_counts mover_counts(const mover_t *self);

#endif
