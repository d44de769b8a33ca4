// sealed_link.h - seals what a device of the client sends, and opens what the server sends to it
// (proto/feed/feed_seal.h). One thread.
//
// The first session of the server after a registration is good, as the key is new. Another one,
// after a restart of the server, is good when it answers the newest HELLO: until then its datagrams
// are dropped, as they may have been recorded.
#ifndef DIORAMA_TOOLS_CLI_SEALED_LINK_H
#define DIORAMA_TOOLS_CLI_SEALED_LINK_H

#include "proto/codec/json_text.h"
#include "proto/feed/feed_seal.h"
#include "proto/feed/replay_window.h"

// Embedded; all zero is none; ends by sealed_link_finish.
struct sealed_link {
    struct feed_sealer sealer;
    unsigned char key[SEAL_KEY_BYTES]; // of what the server sends
    bool has_session;
    uint64_t session; // of the server
    struct replay_window window;
    char nonce[CHALLENGE_SIZE]; // of the newest HELLO; "" = answered, or none yet
    bool is_strange;            // a session came that must answer a HELLO first
    struct buffer sealed, opened;
};

// Takes id and key from the answer to a registration. Fails with ERR_CONFLICT if it has none.
fallible sealed_link_begin(struct sealed_link *self, const struct json *answer);
void sealed_link_finish(struct sealed_link *self);

// The datagram that says this, sealed; valid until the next one.
const struct buffer *sealed_link_seal(struct sealed_link *self, const void *data, size_t size);

// What a datagram says, valid until the next one; NULL if it is not taken: it is forged, came
// before, or is of a session that has not answered yet.
const struct buffer *sealed_link_open(struct sealed_link *self, const void *data, size_t size);

// A nonce for the next HELLO: 32 hex digits. The answers to earlier ones say nothing any more.
const char *sealed_link_draw_nonce(struct sealed_link *self);

#endif
