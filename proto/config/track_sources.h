// track_sources.h - the setting track.opentrackio: where poses of tracked cameras come from, and
// which objects they move. Pure.
//
//   239.135.1.1:55555 stage 5b98880a270698496c36e392 from=192.0.2.7,192.0.2.8; …
//
// A group, or an address of this machine; the port (55555 where none is said); the key of a scene
// and of an object in it; who may send: needed where others than this machine can. In the key of
// the scene %XX stands for a byte.
#ifndef DIORAMA_PROTO_CONFIG_TRACK_SOURCES_H
#define DIORAMA_PROTO_CONFIG_TRACK_SOURCES_H

#include <netinet/in.h>
#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/base/limits.h"

enum {
    TRACK_SOURCES_MOST = 256,
    TRACK_SENDERS_MOST = 8, // of one source
    TRACK_OBJECT_KEY_SIZE = 25,
};

struct track_source {
    struct in_addr address; // listened on: a multicast group, or of this machine
    uint16_t port;
    char scene[LIMIT_KEY_BYTES + 1];
    char object[TRACK_OBJECT_KEY_SIZE];
    unsigned sender_count; // 0 = anybody on this machine
    struct in_addr senders[TRACK_SENDERS_MOST];
};

// Reads the next source and moves *list behind it; false at the end of the list, with `*ret_wrong`
// NULL, and at what is wrong, which is said in `*ret_wrong`.
bool track_source_next(const char **list, struct track_source *ret_source, const char **ret_wrong);

// Whether a datagram from this address may move the object.
bool track_source_hears(const struct track_source *self, struct in_addr sender);

bool track_address_is_group(struct in_addr address);

// The address of the interface that groups are joined on; all zero where the kernel chooses.
struct in_addr track_interface_of(const char *interface);

// Fails with ERR_INVALID, and names what is wrong: a source that cannot be read, too many, one that
// everybody could send to, two that the same datagram would move.
fallible track_sources_check(const char *list, const char *interface);

#endif
