// listeners.h - many devices in one process. Each has a UDP socket and is registered to the same
// scene; a few threads read and time what arrives.
#ifndef DIORAMA_TOOLS_CLI_LISTENERS_H
#define DIORAMA_TOOLS_CLI_LISTENERS_H

#include "tools/cli/arrivals.h"
#include "tools/cli/http_client.h"

typedef struct listeners listeners_t;

struct listeners_values {
    http_client_t *http; // borrowed, as are the texts
    const char *scene;
    const char *bind; // address of this machine
    uint32_t devices;
    uint32_t threads;
    uint32_t rate_hz; // of the packed form; 0 = the plain form
    bool is_indexed;  // numbers in the place of keys, in the packed form
};

// Binds the sockets and registers the devices, which makes the scene. Fails with ERR_UNAVAILABLE
// (no socket), ERR_CONFLICT (the server does not send there), or as http_client_call does.
fallible listeners_create(const struct listeners_values *values, listeners_t **ret_listeners);

// Ends the threads too. The devices stay registered until their scene is deleted.
void listeners_destroy(listeners_t **self);

// The feed token of the first device, "" if the server gives none.
const char *listeners_token(const listeners_t *self);

// Starts to read. `roster` is complete and borrowed.
void listeners_start(listeners_t *self, const roster_t *roster);

// The number of pairs of device and object without the last stamp of the object. `stamps_us` holds
// the last stamps by object; 0 = any will do.
uint64_t listeners_behind(const listeners_t *self, const uint64_t *stamps_us);

// Ends the threads and adds up what all devices received.
void listeners_stop(listeners_t *self, struct arrivals *ret_arrivals,
                    struct sequence_totals *ret_totals);

#endif
