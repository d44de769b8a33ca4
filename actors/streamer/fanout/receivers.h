// receivers.h - the endpoints that datagrams are sent to, one entry for all devices that share one:
// the budget of its address, and whether anybody is there. Pure; used by the streamer's thread
// alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RECEIVERS_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RECEIVERS_H

#include "actors/streamer/fanout/send_budget.h"
#include "actors/udp/udp_endpoint.h"

// The state that all receivers at one IP address share.
struct address {
    struct send_budget budget;
    uint32_t receivers;
    uint8_t ip[UDP_ENDPOINT_IP_BYTES];
};

struct receiver {
    union udp_endpoint endpoint;
    struct address *address;
    uint64_t first_error_us; // of the errors that are counted
    uint32_t devices;        // that use it
    uint8_t errors;
    bool is_paused; // gets nothing until a device registers with it again
};

enum {
    RECEIVER_ERRORS = 3,           // so many ICMP errors
    RECEIVER_ERRORS_US = 10000000, // within this time pause a receiver
};

typedef struct receivers receivers_t;

receivers_t *receivers_create(void);
// Accepts NULL.
void receivers_destroy(receivers_t **self);

// The receiver at this endpoint, for one more device. This ends a pause.
struct receiver *receivers_take(receivers_t *self, const union udp_endpoint *endpoint);

// Ends the use by one device; *receiver becomes NULL. Accepts NULL.
void receivers_release(receivers_t *self, struct receiver **receiver);

// Counts an ICMP error about this endpoint. Returns whether this pauses the receiver.
bool receivers_note_error(receivers_t *self, const union udp_endpoint *endpoint, uint64_t now_us);

#endif
