// subscribers.h - which device of which scene gets datagrams at which address, and the stream of
// each scene: what waits to be sent, and how far its devices are (live-feed). Pure; used by the
// streamer's thread alone.
//
// Events go in *rounds*. While one round leaves, the next one collects: so no record can starve,
// however often others change. A round that is merged has each record once, in its newest state.
#ifndef DIORAMA_ACTORS_SUBSCRIBERS_H
#define DIORAMA_ACTORS_SUBSCRIBERS_H

#include <netinet/in.h>
#include "proto/round.h"

// Where datagrams go, in the address family of the socket that sends them.
union endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// Reads a numeric address for a socket of `family`: AF_INET, or AF_INET6, which reaches IPv4 too.
// False where it is no address or cannot be reached from such a socket.
bool endpoint_from(int family, const char *address, int port, union endpoint *ret_endpoint);
socklen_t endpoint_size(const union endpoint *self);

enum subscriber_state {
    SUBSCRIBER_PENDING,     // has no proven address yet: gets nothing
    SUBSCRIBER_REACHABLE,   // gets datagrams
    SUBSCRIBER_UNREACHABLE, // wants datagrams that this socket cannot send: counted
};

struct subscriber {
    uint64_t since;  // it gets the events with a larger seq
    uint64_t ticket; // of the registration that is valid now: tells late resolutions apart
    enum subscriber_state state;
    uint32_t place; // in stream->devices
    union endpoint endpoint;
    const struct text *key; // in the same block of memory
};

struct stream {
    uint64_t scene_id;
    uint64_t sent; // seq of the event sent last: `prev` of the next one; 0 = none yet
    struct subscriber **devices;
    uint32_t device_count;
    uint32_t device_capacity;
    struct table by_key; // of devices
    struct round collecting;
    struct round leaving;
    uint32_t next;                  // of leaving
    bool is_collecting, is_leaving; // in that queue of the subscribers
    bool has_ended;                 // the scene is deleted: the stream goes when it is empty
    struct stream *next_collecting, *next_leaving;
};

enum {
    // Datagrams that one scene may have waiting before newest-wins begins: 5 ms of the kernel's
    // time.
    STREAM_UNMERGED_DATAGRAMS = 1000,
};

typedef struct subscribers subscribers_t;

subscribers_t *subscribers_create(void);
void subscribers_destroy(subscribers_t **self);

// Admits a device, or gives it a new registration: state PENDING, a fresh ticket, yours to set
// the endpoint of. A device that is there already keeps `since`, so that nothing is lost to it.
struct subscriber *subscribers_admit(subscribers_t *self, uint64_t scene_id, const struct text *key,
                                     uint64_t since);

// The device whose registration has this ticket; NULL where it went or came again meanwhile.
struct subscriber *subscribers_find(const subscribers_t *self, uint64_t scene_id,
                                    const struct text *key, uint64_t ticket);

// Removes a device at once, whatever waits for it; nothing happens where it is not there.
void subscribers_remove(subscribers_t *self, uint64_t scene_id, const struct text *key);

// Forgets a scene as soon as what waits for its devices has left.
void subscribers_end_scene(subscribers_t *self, uint64_t scene_id);

// Takes an event for the devices of its scene, with references of its own; nothing happens where
// there are none. Under `load`, or where too much waits already, the newest state of a record
// replaces the one that waits (round.h; counted as superseded).
void subscribers_take(subscribers_t *self, const struct event *event, bool load);

bool subscribers_collect(const subscribers_t *self); // whether events wait for the next round
bool subscribers_leave(const subscribers_t *self);   // whether a round is under way

// What was collected begins to leave. Only where no round is under way.
void subscribers_begin_round(subscribers_t *self);

// The next event of the round and its stream, both valid until the next call; NULL at the end.
const struct event *subscribers_next(subscribers_t *self, struct stream **ret_stream);

#endif
