// feed_controls.h - datagrams of devices about their feeds: HELLO, the echo of a challenge, and the
// wish to get events again. The receiver parses them, the streamer answers them.
#ifndef DIORAMA_ACTORS_UDP_FEED_CONTROLS_H
#define DIORAMA_ACTORS_UDP_FEED_CONTROLS_H

#include "actors/udp/udp_endpoint.h"
#include "proto/codec/json_text.h"
#include "proto/feed/feed_token.h"
#include "proto/feed/sealed_intake.h"
#include "proto/message/message.h"
#include "proto/message/metrics.h"

enum feed_control_type {
    CONTROL_HELLO = 60,     // from a device: challenge the address that this comes from
    CONTROL_CHALLENGE = 61, // to the device
    CONTROL_ECHO = 62,      // from the device: the challenge that it received
    CONTROL_REPEAT = 63,    // from the device: the events that it missed
};

enum {
    CONTROL_HELLO_BYTES = 256, // at least, so that the answer to a stranger is never larger
    CONTROLS_PER_MESSAGE = 64,
    CONTROLS_UNDER_WAY = 16, // messages at a time, so that the streamer has time for events
};

struct feed_control {
    enum feed_control_type type;
    char token_hash[FEED_TOKEN_HASH_SIZE];
    char challenge[CHALLENGE_SIZE]; // of CONTROL_ECHO
    char nonce[CHALLENGE_SIZE];     // of a sealed CONTROL_HELLO: the answer repeats it
    bool is_sealed;
    struct sealed_sender sender; // if it is
    uint64_t from, to;           // of CONTROL_REPEAT: numbers of events
    uint32_t size;               // of the datagram, without a seal
    union udp_endpoint source;   // set by the receiver
};

// Whether this is the msg_type of a control datagram.
bool feed_control_is(int64_t msg_type);

// Reads a control datagram of `size` bytes, which `sender` sealed (NULL: nobody). A sealed one
// needs no token. False if it is invalid: `*ret_reason` is the counter of the reason. Unknown
// members are padding.
bool feed_control_read(const struct json *json, size_t size, const struct sealed_sender *sender,
                       struct feed_control *ret_control, enum metric_cell *ret_reason);

// The parcel of a FEED_CONTROL message.
struct feed_controls {
    struct parcel base;
    uint32_t count;
    struct feed_control items[CONTROLS_PER_MESSAGE];
};

// An empty one. NULL while CONTROLS_UNDER_WAY of them exist. Any thread.
struct feed_controls *feed_controls_create(void);

static inline const struct feed_controls *
feed_controls_of(const struct message *message)
{
    return (const struct feed_controls *)(const void *)message->parcel;
}

#endif
