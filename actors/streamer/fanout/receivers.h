// receivers.h - the sockets that datagrams go to, each once however many devices have it: where
// they are, what their address was sent, whether they are there at all (live-feed, "Who may be sent
// to"). Pure; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RECEIVERS_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RECEIVERS_H

#include "actors/streamer/fanout/send_budget.h"
#include "actors/udp/udp_endpoint.h"

// What all receivers at one IP address share.
struct address {
    struct send_budget budget;
    uint32_t receivers;
    uint8_t ip[UDP_ENDPOINT_IP_BYTES];
};

struct receiver {
    union udp_endpoint endpoint;
    struct address *address;
    uint64_t first_error_us;
    uint32_t devices; // that have it
    uint8_t errors;   // since then
    bool is_paused;   // it gets nothing until a device registers with it again
};

enum {
    RECEIVER_ERRORS = 3,           // unreachable so often ...
    RECEIVER_ERRORS_US = 10000000, // ... within this time: paused
};

typedef struct receivers receivers_t;

receivers_t *receivers_create(void);
// Accepts NULL.
void receivers_destroy(receivers_t **self);

// The receiver at this endpoint, for one more device. Who was paused is so no longer.
struct receiver *receivers_take(receivers_t *self, const union udp_endpoint *endpoint);

// One device less has it; *receiver becomes NULL. Accepts NULL.
void receivers_release(receivers_t *self, struct receiver **receiver);

// Somebody on the way says that nobody is there. Returns true where this pauses the receiver.
bool receivers_note_error(receivers_t *self, const union udp_endpoint *endpoint, uint64_t now_us);

#endif
