// feed_seal.h - sealed datagrams: what a device and the server send each other, encrypted and
// authenticated with keys of the device's registration (XChaCha20-Poly1305 of libsodium). Pure.
//
//   byte 0       SEAL_FIRST_BYTE, with which no JSON begins
//   bytes 1-8    id of the registration
//   bytes 9-16   session: random, drawn by the sender whenever it begins to count
//   bytes 17-22  counter of the session, big-endian: 0, 1, 2, ...
//   then         what is sealed, and a tag of 16 bytes
//
// The nonce is bytes 1-16, two zero bytes, bytes 17-22; the head is authenticated too. Each
// direction has a key of its own. Sessions are random, so no nonce is used twice: not after a
// restart, nor by a server that was made from a backup. The golden packets of proto/feed/README.md
// and tests/proto/feed/feed_seal_test.c fix the bytes.
#ifndef DIORAMA_PROTO_FEED_FEED_SEAL_H
#define DIORAMA_PROTO_FEED_FEED_SEAL_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/text.h"
#include "proto/feed/feed_token.h"

enum {
    SEAL_FIRST_BYTE = 0xd1,
    SEAL_ID_BYTES = 8,
    SEAL_SESSION_BYTES = 8,
    SEAL_COUNTER_BYTES = 6,
    SEAL_HEAD_BYTES = 1 + SEAL_ID_BYTES + SEAL_SESSION_BYTES + SEAL_COUNTER_BYTES,
    SEAL_TAG_BYTES = 16,
    SEAL_BYTES = SEAL_HEAD_BYTES + SEAL_TAG_BYTES, // that a datagram becomes longer
    SEAL_KEY_BYTES = 32,
    SEAL_KEY_SIZE = 44, // 43 characters of base64url and NUL
    SEAL_ID_SIZE = 17,  // 16 hex digits and NUL
};
#define SEAL_COUNTER_END (UINT64_C(1) << 48)

enum seal_direction {
    SEAL_TO_SERVER = 1,
    SEAL_TO_DEVICE = 2,
};

// The key of a registration as text, newly drawn; and read back. False if it is none.
void feed_seal_draw_key(char ret_key[SEAL_KEY_SIZE]);
bool feed_seal_read_key(const struct text *text, unsigned char ret_key[SEAL_KEY_BYTES]);

// The id of the registration that has a token with this hash: the first half of it.
void feed_seal_id(const char token_hash[FEED_TOKEN_HASH_SIZE], unsigned char ret_id[SEAL_ID_BYTES]);
// Reads an id of 16 hex digits. False if it is none.
bool feed_seal_read_id(const char *hex, unsigned char ret_id[SEAL_ID_BYTES]);

// The key of one direction.
void feed_seal_derive(const unsigned char key[SEAL_KEY_BYTES], enum seal_direction direction,
                      unsigned char ret_key[SEAL_KEY_BYTES]);

// What a sealed datagram says in the clear.
struct seal_head {
    unsigned char id[SEAL_ID_BYTES];
    uint64_t session; // its bytes as they stand there: compared, never calculated with
    uint64_t counter;
};

// Whether a datagram says that it is sealed.
bool feed_seal_is(const void *data, size_t size);
// Reads its head. False if it is too short to be sealed.
bool feed_seal_read_head(const void *data, size_t size, struct seal_head *ret_head);

// The key of a session, from that of its direction: the first half of XChaCha20, which is the same
// for all datagrams of a session.
void feed_seal_session_key(const unsigned char key[SEAL_KEY_BYTES], const struct seal_head *head,
                           unsigned char ret_key[SEAL_KEY_BYTES]);

// Opens a sealed datagram with the key of its direction, or of its session, and appends what it
// says to `out`. False if the key did not seal it.
bool feed_seal_open(const unsigned char key[SEAL_KEY_BYTES], const void *data, size_t size,
                    struct buffer *out);
bool feed_seal_open_in_session(const unsigned char session_key[SEAL_KEY_BYTES], const void *data,
                               size_t size, struct buffer *out);

// Who seals datagrams. Embedded; ends by feed_sealer_finish.
struct feed_sealer {
    unsigned char id[SEAL_ID_BYTES];
    unsigned char key[SEAL_KEY_BYTES];         // of the direction
    unsigned char session_key[SEAL_KEY_BYTES]; // of the session
    uint64_t session;
    uint64_t counter; // of the next datagram
};

// Begins a session of its own.
void feed_sealer_init(struct feed_sealer *self, const unsigned char id[SEAL_ID_BYTES],
                      const unsigned char key[SEAL_KEY_BYTES], enum seal_direction direction);
// Forgets the key.
void feed_sealer_finish(struct feed_sealer *self);

// Appends the sealed datagram to `out`. After SEAL_COUNTER_END of them a new session begins.
void feed_sealer_put(struct feed_sealer *self, const void *data, size_t size, struct buffer *out);

#endif
