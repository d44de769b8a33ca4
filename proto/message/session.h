// session.h - the published table of sessions: it says to which user a token belongs. The user
// actor is its only writer; every gateway worker reads it without a message. A token is 256 random
// bits. The table and the store have only its keyed hash, so neither gives access. Once
// sessions_end has returned, no reader finds that session.
#ifndef DIORAMA_PROTO_MESSAGE_SESSION_H
#define DIORAMA_PROTO_MESSAGE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/token.h"
#include "proto/message/message.h"

enum {
    SESSION_TOKEN_SIZE = 44, // 43 characters of base64url and NUL
    SESSION_KEY_BYTES = TOKEN_KEY_BYTES,
};

typedef struct sessions sessions_t;

struct session {
    char id[SESSION_ID_SIZE]; // the keyed hash of its token, in hex
    char user[USER_ID_SIZE];
    bool is_admin;
    uint64_t expires_us; // of the calendar
    // How often the user had lost access when it began, and since: each such change ends all
    // sessions.
    int64_t revocations;
};

// An empty table with a random key.
sessions_t *sessions_create(void);
// Accepts NULL.
void sessions_destroy(sessions_t **self);

// The key for the hashes of tokens, which a restart must keep. Call it before the first session is
// put.
void sessions_key(const sessions_t *self, unsigned char ret_key[SESSION_KEY_BYTES]);
void sessions_set_key(sessions_t *self, const unsigned char key[SESSION_KEY_BYTES]);

// Draws a new token. Whoever has it acts as the user.
void session_token_new(char ret_token[SESSION_TOKEN_SIZE]);

// The id of the session that `token` would be of; false if it cannot be a token.
bool sessions_id(const sessions_t *self, const char *token, char ret_id[SESSION_ID_SIZE]);

// Finds the session of a token that has not expired. Any thread.
bool sessions_find(const sessions_t *self, const char *token, uint64_t calendar_us,
                   struct session *ret_session);

// --- the writer alone ---

// Puts a session. Fails with ERR_UNAVAILABLE beyond LIMIT_SESSIONS.
fallible sessions_put(sessions_t *self, const struct session *session);

// Replaces the key and ends all sessions: no token of before is found any more.
void sessions_rotate(sessions_t *self, const unsigned char key[SESSION_KEY_BYTES]);

// Ends one session; false if there is none.
bool sessions_end(sessions_t *self, const char *id);

// Changes the role of one session; nothing happens where there is none.
void sessions_set_admin(sessions_t *self, const char *id, bool is_admin);

size_t sessions_count(const sessions_t *self);

#endif
