// feed_controls.h - datagrams of devices about their feeds (live-feed, "Who may be sent to"):
// somebody is there, proves it, wants something again. Read by the receiver, answered by the
// streamer.
#ifndef DIORAMA_ACTORS_UDP_FEED_CONTROLS_H
#define DIORAMA_ACTORS_UDP_FEED_CONTROLS_H

#include "actors/udp/udp_endpoint.h"
#include "proto/codec/json_text.h"
#include "proto/feed/feed_token.h"
#include "proto/message/message.h"
#include "proto/message/metrics.h"

enum feed_control_type {
    CONTROL_HELLO = 60,     // from a device: its source address wants to be proven
    CONTROL_CHALLENGE = 61, // to it
    CONTROL_ECHO = 62,      // from it: what it was sent
    CONTROL_REPEAT = 63,    // from it: what it did not get
};

enum {
    CONTROL_HELLO_BYTES = 256, // at least: nothing that a stranger asks for is answered with more
    CONTROLS_PER_MESSAGE = 64,
    CONTROLS_UNDER_WAY = 16, // messages of them, so that the streamer has time for events
};

struct feed_control {
    enum feed_control_type type;
    char token_hash[FEED_TOKEN_HASH_SIZE];
    char challenge[CHALLENGE_SIZE]; // of CONTROL_ECHO
    uint64_t from, to;              // of CONTROL_REPEAT: numbers of events
    union udp_endpoint source;      // set by whoever received it
};

// Whether datagrams of this msg_type are read here.
bool feed_control_is(int64_t msg_type);

// Reads the rest of one; `size` is that of the datagram. False where it says nothing: `*ret_reason`
// is the counter that says why. Members that mean nothing here are padding.
bool feed_control_read(const struct json *json, size_t size, struct feed_control *ret_control,
                       enum metric_cell *ret_reason);

// The parcel of a FEED_CONTROL message.
struct feed_controls {
    struct parcel base;
    uint32_t count;
    struct feed_control items[CONTROLS_PER_MESSAGE];
};

// An empty one; NULL where CONTROLS_UNDER_WAY are not destroyed yet. Any thread.
struct feed_controls *feed_controls_create(void);

static inline const struct feed_controls *
feed_controls_of(const struct message *message)
{
    return (const struct feed_controls *)(const void *)message->parcel;
}

#endif
