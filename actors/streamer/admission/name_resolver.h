// name_resolver.h - turns the host names of registered devices into addresses (live-feed, "Who may
// be sent to"). A thread of its own waits for the name servers; who asks never does.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_NAME_RESOLVER_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_NAME_RESOLVER_H

#include "proto/feed/destinations.h"

typedef struct name_resolver name_resolver_t;

// A question and its answer.
struct resolution {
    char host[DESTINATION_HOST_SIZE];
    int port;
    bool peer_is_loopback; // who registered is on this host: the name may lead there
    uint64_t scene_id;     // who asks: the registration with this ticket
    uint64_t ticket;
    uint64_t deadline_ms;                   // set by the resolver
    char address[DESTINATION_ADDRESS_SIZE]; // answer; "" = none that may be sent to
    struct resolution *next;
    const struct text *key; // of the device, in the same block of memory
};

struct resolution *resolution_create(const struct text *device_key);
void resolution_destroy(struct resolution **self);

enum {
    NAME_RESOLVER_QUESTIONS = 1024,    // waiting at most
    NAME_RESOLVER_ADDRESSES = 8,       // of one name that are looked at
    NAME_RESOLVER_DEADLINE_MS = 10000, // of one question, waiting included
};

// Writes up to NAME_RESOLVER_ADDRESSES numeric addresses of `host` for a socket of `family`; how
// many.
typedef size_t name_resolver_lookup(int family, const char *host,
                                    char (*ret_addresses)[DESTINATION_ADDRESS_SIZE]);

// Asks the system. Each name server gets 2 s, once.
name_resolver_lookup name_resolver_lookup_system;

// Starts the thread. The first address that destination_allowed accepts becomes the answer.
// Fails with ERR_UNAVAILABLE where there is no thread.
fallible name_resolver_create(name_resolver_lookup *lookup, int family,
                              name_resolver_t **ret_resolver);
// Does not wait for a look-up under way: the thread frees what is left. Accepts NULL.
void name_resolver_destroy(name_resolver_t **self);

// Takes the question. False where too many wait already: it stays yours.
bool name_resolver_ask(name_resolver_t *self, struct resolution **question);

// The next answer, yours; NULL where there is none yet.
struct resolution *name_resolver_answer(name_resolver_t *self);

// Whether answers are to come.
bool name_resolver_is_busy(name_resolver_t *self);

#endif
