// session.h - the published table of sessions: whose a token is (decisions 12).
// The user actor is its only writer; any gateway worker reads it without a hop. A token is 256
// random bits; the table and the store know its keyed hash alone, so neither lets anybody in.
// What a writer took out nobody finds once the call has returned.
#ifndef DIORAMA_PROTO_MESSAGE_SESSION_H
#define DIORAMA_PROTO_MESSAGE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proto/message/message.h"

enum {
    SESSION_TOKEN_SIZE = 44, // 43 characters of base64url and NUL
    SESSION_KEY_BYTES = 32,
};

typedef struct sessions sessions_t;

struct session {
    char id[SESSION_ID_SIZE]; // the keyed hash of its token, in hex
    char user[USER_ID_SIZE];
    bool is_admin;
    uint64_t expires_us; // of the calendar
};

// An empty table with a random key.
sessions_t *sessions_create(void);
// Accepts NULL.
void sessions_destroy(sessions_t **self);

// The key that tokens are hashed with: what a restart must keep. Before the first session is put.
void sessions_key(const sessions_t *self, unsigned char ret_key[SESSION_KEY_BYTES]);
void sessions_set_key(sessions_t *self, const unsigned char key[SESSION_KEY_BYTES]);

// A fresh token; whoever has it is the user.
void session_token_new(char ret_token[SESSION_TOKEN_SIZE]);

// The id of the session that `token` is of, if it is of any; false where it cannot be a token.
bool sessions_id(const sessions_t *self, const char *token, char ret_id[SESSION_ID_SIZE]);

// Finds the session of a token that has not expired. Any thread.
bool sessions_find(const sessions_t *self, const char *token, uint64_t calendar_us,
                   struct session *ret_session);

// --- the writer alone ---

// Puts a session. Fails with ERR_UNAVAILABLE beyond LIMIT_SESSIONS.
fallible sessions_put(sessions_t *self, const struct session *session);

// Ends one session; false where there is none.
bool sessions_end(sessions_t *self, const char *id);

// The role of a user's sessions from now on.
void sessions_set_admin(sessions_t *self, const char *user, bool is_admin);

size_t sessions_count(const sessions_t *self);

#endif
