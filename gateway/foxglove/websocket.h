// websocket.h - the frames of a WebSocket (RFC 6455): reads those of a client, of which it accepts
// few, and writes those of the server. Pure; one thread.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_WEBSOCKET_H
#define DIORAMA_GATEWAY_FOXGLOVE_WEBSOCKET_H

#include <stdbool.h>

#include "proto/base/buffer.h"

enum {
    WEBSOCKET_MESSAGE_BYTES = 64 << 10, // of a client's message, all its frames together
    WEBSOCKET_FRAMES = 4,               // of such a message
    WEBSOCKET_CONTROL_BYTES = 125,      // of a ping, a pong, a close (5.5)
    WEBSOCKET_HEAD_BYTES = 14,          // at most, of a frame (5.2)
};

enum websocket_opcode {
    WEBSOCKET_MORE = 0, // a further frame of a message
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_BINARY = 2,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10,
};

// Why a connection is closed (7.4.1, and the registry of 11.7).
enum websocket_status {
    WEBSOCKET_FINE = 0, // it is not
    WEBSOCKET_NORMAL = 1000,
    WEBSOCKET_GOING_AWAY = 1001,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_NOT_UTF8 = 1007,
    WEBSOCKET_TOO_LARGE = 1009,
    WEBSOCKET_TRY_AGAIN = 1013,
};

// Embedded; all zero waits for the first frame. Memory is taken for bytes that have come, never for
// those that a frame announces.
struct websocket_reader {
    unsigned char head[WEBSOCKET_HEAD_BYTES];
    unsigned head_size; // of the head, that have come
    uint64_t left;      // of the payload, that have not; while the head is whole
    unsigned at;        // of the mask
    unsigned frames;    // of the message that has begun; 0: none has
    unsigned opcode;    // of that message
    struct buffer message;
    unsigned char control[WEBSOCKET_CONTROL_BYTES];
    unsigned control_size;
    enum websocket_status broken; // and nothing is read any more
};

// What has come whole. Borrows from the reader until the next call.
struct websocket_message {
    enum websocket_opcode opcode; // not WEBSOCKET_MORE
    const char *data;
    size_t size;
};

void websocket_finish(struct websocket_reader *self);

// Reads from the first `*size` bytes at `*data`, and moves both behind what it has read. True: a
// message or a control frame is whole. False: all is read, or the client broke a rule
// (self->broken).
bool websocket_read(struct websocket_reader *self, const char **data, size_t *size,
                    struct websocket_message *ret_message);

// Writes a frame of the server around what is appended to `out` between the two calls. `begin` is
// what websocket_begin returned.
size_t websocket_begin(struct buffer *out);
void websocket_end(struct buffer *out, size_t begin, enum websocket_opcode opcode);

// Writes a whole one.
void websocket_put(struct buffer *out, enum websocket_opcode opcode, const void *data, size_t size);

#endif
