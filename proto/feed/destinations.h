// destinations.h - where a device's datagrams may go. Pure.
#ifndef DIORAMA_PROTO_FEED_DESTINATIONS_H
#define DIORAMA_PROTO_FEED_DESTINATIONS_H

#include "proto/feed/destination_address.h"
#include "proto/message/message.h"
#include "proto/records/device.h"

enum destination_kind {
    DESTINATION_NONE,    // no hostname or port: registered, no UDP
    DESTINATION_ADDRESS, // a literal, or localhost: the numeric address is known
    DESTINATION_NAME,    // a host name: it is resolved outside of the request threads
};

enum {
    DESTINATION_HOST_SIZE = 254, // of a host name with its NUL
    PACKED_RATE_DEFAULT_HZ = 60,
    PACKED_RATE_MAXIMUM_HZ = 240,
    DESTINATION_OBJECT_SIZE = 25, // of the key of an object, with its NUL
};

enum feed_form {
    FEED_PLAIN,  // JSON, one event a datagram
    FEED_PACKED, // msgpack, many changes a datagram, sent at a rate
    FEED_TRACK,  // OpenTrackIO, the pose of one object, sent at a rate
};

// What a device asks for: where its datagrams go and in which form.
struct destination {
    char host[DESTINATION_HOST_SIZE];
    int port;
    enum feed_form form;
    unsigned rate_hz; // most datagrams a second of FEED_PACKED and FEED_TRACK: 1 to 240; else 0
    bool is_sealed;   // FEED_PACKED, each datagram in a seal (feed_seal.h)
    bool has_tail;    // when nothing happens, say up to where all was sent (feed_notes.h)
    bool has_filler;  // FEED_PLAIN, with a number of base64 characters that is a multiple of four
    bool has_indices; // FEED_PACKED, keys are told once, then numbers stand for them
    bool hears_asks;  // it is told when somebody asks for its locks (feed_notes.h)
    char object[DESTINATION_OBJECT_SIZE]; // FEED_TRACK, whose pose; else ""
    uint8_t source;                       // FEED_TRACK, the source number: 1 to 200; else 0
};

// Decides where `device` asks its datagrams to be sent. Host and port of a connection_string
// `udp://host:port`, `udp+base64://host:port`, `udp+msgpack://host:port?rate=60` or
// `udp+sealed://host:port?rate=60` come before hostname and port, all with `tail=1` and
// `events=all`, the last two with `keys=index`, after `?` or `&`; `udp+sealed://` alone seals
// without saying where. `opentrackio://host:port?object=KEY` has `rate=` and `source=`. `localhost`
// means the peer's own address family. `ret_address` (46 bytes) gets the numeric address of
// DESTINATION_ADDRESS, `ret_port` the port. Fails with ERR_INVALID and the member, named after
// `pointer`: denied addresses, ports under 1024, our own ports, malformed names and literals (only
// dotted-quad and RFC 4291 forms are allowed).
fallible destination_choose(const struct device *device, const struct caller *caller,
                            const uint16_t *own_ports, size_t own_port_count, const char *pointer,
                            enum destination_kind *ret_kind, char *ret_address, int *ret_port);

// Whether the device asks that its datagrams are sealed, both ways.
bool destination_is_sealed(const struct device *device);

// Fails with ERR_INVALID, as destination_choose does, if the device asks for a feed in the clear.
fallible destination_need_sealed(const struct device *device, const char *pointer);

// Whether anything may be sent to a port that is not this server's own: 1024 to 65535.
bool destination_port_allowed(int64_t port);

// What a device with an accepted registration asked for; false if it asked for no datagrams, or for
// what destination_choose refuses.
bool destination_of(const struct device *device, struct destination *ret_destination);

#endif
