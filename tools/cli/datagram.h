// datagram.h - reads datagrams that the server sends to a device, in either form: changes and their
// position.
#ifndef DIORAMA_TOOLS_CLI_DATAGRAM_H
#define DIORAMA_TOOLS_CLI_DATAGRAM_H

#include "proto/codec/json_text.h"
#include "tools/cli/sequences.h"

struct datagram {
    struct place place;
    uint32_t count;
    const struct json
        *changes; // with msg_type, key and members; in the packed form those that changed
};

// Reads the plain form: one change. Fails with ERR_MALFORMED.
fallible datagram_read_plain(struct arena *arena, const void *data, size_t size,
                             struct datagram *ret_datagram);

// Reads the packed form, which does not say its scene: `scene` is borrowed. Fails with
// ERR_MALFORMED.
fallible datagram_read_packed(struct arena *arena, const char *scene, const void *data, size_t size,
                              struct datagram *ret_datagram);

// Appends each change as a line of JSON. Changes of the packed form get epoch, seq and prev of
// their datagram; those of the plain form have seq and prev already.
void datagram_put_lines(struct buffer *out, const struct datagram *datagram);

#endif
