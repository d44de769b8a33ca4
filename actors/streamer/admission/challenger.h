// challenger.h - challenges addresses of devices, and the sessions of sealed ones; and checks what
// comes back. The streamer's thread.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGER_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGER_H

#include "actors/streamer/admission/address_challenges.h"
#include "actors/streamer/admission/registered_devices.h"
#include "actors/udp/feed_controls.h"
#include "proto/base/buffer.h"

// Embedded. Everything is borrowed, but for `challenges`.
struct challenger {
    int socket;
    sealed_intake_t *intake;
    address_challenges_t *challenges;
};

void challenger_init(struct challenger *self, int udp_socket, sealed_intake_t *intake);
void challenger_finish(struct challenger *self);

// Counts one more challenge to the address. Returns whether it may be sent.
bool challenger_spend(struct challenger *self, const union udp_endpoint *endpoint, uint64_t now_ms);

// Appends datagram 61 to `out`: 62 bytes, a quarter of a HELLO; with the `nonce` of a sealed HELLO,
// else "", 105, and 144 when it is sealed.
void challenger_write(const char *challenge, const char *nonce, struct buffer *out);

// Challenges an address that a registration names. What comes back proves the address alone.
void challenger_send(const struct challenger *self, const struct registered_device *device,
                     const union udp_endpoint *endpoint, uint64_t now_ms);

// Answers a HELLO with a challenge of its source and, if it is sealed, of its session.
void challenger_answer(const struct challenger *self, const struct registered_device *device,
                       const struct feed_control *hello, uint64_t now_ms);

// Whether an ECHO returns what was sent to its source lately. A session that was challenged is
// admitted then.
bool challenger_check(const struct challenger *self, const struct feed_control *echo,
                      uint64_t now_ms);

#endif
