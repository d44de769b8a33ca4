// gateway.h - the HTTP edge as a whole: listens, turns requests into messages for actors, answers.
#ifndef DIORAMA_GATEWAY_GATEWAY_H
#define DIORAMA_GATEWAY_GATEWAY_H

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/budget/budget_book.h"
#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "proto/message/session.h"
#include "proto/message/shown.h"

typedef struct gateway gateway_t;

// What the gateway must know about the server around it.
struct gateway_surroundings {
    unsigned shards;              // scene actors: mailboxes "scene.0" to "scene.<shards - 1>"
    int udp_port;                 // where devices send their updates
    const char *replica_endpoint; // where followers come to; NULL or "" = they cannot
    uint64_t epoch;               // of this start
    bool (*measure_disk)(const char *path, uint64_t *ret_free); // free bytes; NULL: unknown
    blobs_t *blobs;                                             // bytes of assets
    const char *version;
    const sessions_t *sessions;       // tells the user of a token; NULL: nobody is logged in
    const struct shown_tables *shown; // what is read without asking actors; NULL: nothing
    budget_book_t *book;              // who has how much of what
    bool stands_by; // there are no actors yet: what needs one is answered 503, and why
};

// The config is borrowed. Listens on http.host:http.port. Until gateway_set_ready, /readyz and all
// routes that need an actor answer 503. Fails with ERR_UNAVAILABLE, the address in the detail.
fallible gateway_create(const struct config *config,
                        const struct gateway_surroundings *surroundings, gateway_t **ret_gateway);

// The port that it listens on (http.port=0 lets the system choose).
int gateway_port(const gateway_t *self);

// Whether /console/ has something to show.
bool gateway_has_console(const gateway_t *self);

void gateway_set_ready(gateway_t *self, bool ready);

// Stops listening, finishes the requests under way, ends the threads. Accepts NULL.
void gateway_destroy(gateway_t **self);

#endif
