// handshake.h - the HTTP request that opens a WebSocket (RFC 6455, 4.2): read from its bytes, and
// answered. Pure.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_HANDSHAKE_H
#define DIORAMA_GATEWAY_FOXGLOVE_HANDSHAKE_H

#include "gateway/http/http.h"
#include "proto/base/text.h"

enum {
    HANDSHAKE_BYTES = 8192, // of the head of such a request
    HANDSHAKE_ACCEPT_SIZE = 29,
};

// What a client asks for.
struct handshake {
    struct http_request request; // `peer` is left to the caller
    const struct text *scene;    // key of the one scene; NULL: all that it may read
    const char *protocol;        // the sub-protocol, of ours
    char accept[HANDSHAKE_ACCEPT_SIZE];
    const char *bearer; // "Bearer " and the token of the query string, in the arena; NULL: none
};

// The size of the head with its empty line; 0: it has not all come.
size_t handshake_head_size(const char *data, size_t size);

// Reads a whole head of `size` bytes, which it cuts into texts: the result borrows from `head` and
// the arena. A token in the query string becomes the Authorization of the request, and is in no
// other place. Fails with ERR_MALFORMED, with ERR_METHOD, with ERR_INVALID if no sub-protocol of
// ours is asked for.
fallible handshake_read(struct arena *arena, char *head, size_t size, struct handshake *ret_asked);

// Appends the answer that opens the WebSocket, and the one that says why not.
void handshake_put_accepted(const struct handshake *asked, struct buffer *out);
void handshake_put_refused(enum error error, const char *detail, struct buffer *out);

#endif
