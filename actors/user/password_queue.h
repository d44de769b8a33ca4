// password_queue.h - requests that wait until a password is hashed.
#ifndef DIORAMA_ACTORS_USER_PASSWORD_QUEUE_H
#define DIORAMA_ACTORS_USER_PASSWORD_QUEUE_H

#include "actors/user/password_hasher.h"

struct user_actor;

enum {
    PASSWORD_QUEUE_AT_ONCE = 16,  // that may wait
    PASSWORD_QUEUE_OF_KNOWN = 32, // with those from addresses that logged in to the account before
    PASSWORD_QUEUE_MOST = PASSWORD_QUEUE_OF_KNOWN,
};

// A request that waits for its password to be hashed.
struct hashing {
    uint64_t id; // of the work; 0 = free
    struct message *message;
};

// Whether one more request may wait.
bool password_queue_have_room(const struct user_actor *self, bool is_known);
// Hashes the password, or compares it with `hash` (NULL = makes one): parks the message and runs
// its handler again from the start when that is done; then OK, and *ret_job borrows from the
// message. Fails with ERR_UNAVAILABLE where it was not done.
fallible password_queue_need(struct user_actor *self, struct message *message,
                             const struct text *password, const char *hash,
                             struct password_job **ret_job);
actor_handler password_queue_done;
void password_queue_finish(struct user_actor *self);

#endif
