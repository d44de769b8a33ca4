// name_resolver.h - resolves the host names of registered devices. A thread of its own waits for
// the name servers, so the caller never does.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_NAME_RESOLVER_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_NAME_RESOLVER_H

#include "proto/feed/destinations.h"

typedef struct name_resolver name_resolver_t;

// A question and its answer.
struct resolution {
    char host[DESTINATION_HOST_SIZE];
    int port;
    bool peer_is_loopback; // the device registered from this host: the name may lead to loopback
    uint64_t scene_id;     // of the registration with this ticket
    uint64_t ticket;
    uint64_t deadline_ms;                   // set by the resolver
    char address[DESTINATION_ADDRESS_SIZE]; // the answer; "" = no allowed address
    struct resolution *next;
    const struct text *key; // of the device, in the same block of memory
};

struct resolution *resolution_create(const struct text *device_key);
void resolution_destroy(struct resolution **self);

enum {
    NAME_RESOLVER_QUESTIONS = 1024,    // at most at a time
    NAME_RESOLVER_ADDRESSES = 8,       // of one name that are considered
    NAME_RESOLVER_DEADLINE_MS = 10000, // of one question, with the time that it waits
};

// Writes up to NAME_RESOLVER_ADDRESSES numeric addresses of `host` for a socket of `family`.
// Returns how many.
typedef size_t name_resolver_lookup(int family, const char *host,
                                    char (*ret_addresses)[DESTINATION_ADDRESS_SIZE]);

// Asks the system. Each name server is asked once, with 2 s to answer.
name_resolver_lookup name_resolver_lookup_system;

// Starts the thread. The first address that destination_address_allowed accepts becomes the answer.
// Fails with ERR_UNAVAILABLE if no thread can be started.
fallible name_resolver_create(name_resolver_lookup *lookup, int family,
                              name_resolver_t **ret_resolver);
// Does not wait for a lookup that runs: the thread frees everything after it. Accepts NULL.
void name_resolver_destroy(name_resolver_t **self);

// Takes the question: *question becomes NULL. False if too many wait: it stays yours.
bool name_resolver_ask(name_resolver_t *self, struct resolution **question);

// The next answer, yours; NULL if there is none yet.
struct resolution *name_resolver_answer(name_resolver_t *self);

// Whether answers are still to come.
bool name_resolver_is_busy(name_resolver_t *self);

#endif
