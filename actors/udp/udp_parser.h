// udp_parser.h - reads one datagram from a device. Pure: any thread.
#ifndef DIORAMA_ACTORS_UDP_UDP_PARSER_H
#define DIORAMA_ACTORS_UDP_UDP_PARSER_H

#include "actors/udp/feed_controls.h"
#include "proto/message/metrics.h"
#include "proto/record/record.h"

// What a datagram says. Everything is in the arena that it was read into.
struct udp_parsed {
    struct record *edit;                // a loose edit of an object or a property; or NULL, and
    const struct feed_control *control; // a control datagram
    const struct text *key;             // of the edit
    uint16_t partition;                 // that owns the key
};

// Reads a datagram. `sender` says who sealed it, NULL: it came in the clear. False if it cannot be
// applied: `*ret_reason` is the counter of the reason. The token of an edit is one as devices get
// it, or, if the datagram was sealed, the hash of the sender's: nobody else can name a hash.
bool udp_parse(struct arena *arena, const char *data, size_t size,
               const struct sealed_sender *sender, struct udp_parsed *ret_update,
               enum metric_cell *ret_reason);

#endif
