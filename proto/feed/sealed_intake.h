// sealed_intake.h - the registrations whose devices seal what they send: keys by id, and which
// datagrams came already. Any thread: scene actors put and remove registrations, the UDP receiver
// opens datagrams, the streamer admits sessions.
//
// A registration has one *session* at a time, which its device draws when it begins to count. The
// first one of a new registration is good, as its key is new: nobody can have old datagrams of it.
// A later one, or the first after a restart, is admitted when it has returned a challenge that was
// sent for it (admissions.c): so nothing that was recorded is ever taken again.
#ifndef DIORAMA_PROTO_FEED_SEALED_INTAKE_H
#define DIORAMA_PROTO_FEED_SEALED_INTAKE_H

#include "proto/feed/feed_seal.h"
#include "proto/message/metrics.h"
#include "proto/records/device.h"

typedef struct sealed_intake sealed_intake_t;

// Who sealed a datagram.
struct sealed_sender {
    char token_hash[FEED_TOKEN_HASH_SIZE]; // of the registration
    uint64_t session;
    uint64_t counter;
    bool is_admitted; // else it may only ask for a challenge, and return it
};

sealed_intake_t *sealed_intake_create(void);
// Accepts NULL.
void sealed_intake_destroy(sealed_intake_t **self);

// A registration is there; `is_old`: from before this start. Does nothing if it is there already,
// or its device does not seal.
void sealed_intake_put(sealed_intake_t *self, const struct device *device, bool is_old);
// It ended. Does nothing if it is not there.
void sealed_intake_remove(sealed_intake_t *self, const struct device *device);

// Opens a sealed datagram into `out`, which is emptied. False if it may not be taken: `*ret_reason`
// is the counter of the reason. What was opened is not opened again.
bool sealed_intake_open(sealed_intake_t *self, const void *data, size_t size, struct buffer *out,
                        struct sealed_sender *ret_sender, enum metric_cell *ret_reason);

// The session of a registration; 0 = none yet, or it is not there.
uint64_t sealed_intake_session(sealed_intake_t *self, const char token_hash[FEED_TOKEN_HASH_SIZE]);

// From now on the sender's session is that of its registration. Counters up to the sender's count
// as seen. Does nothing if it is the session already.
void sealed_intake_admit(sealed_intake_t *self, const struct sealed_sender *sender);

#endif
