// password_hasher.h - the thread that hashes passwords, so that nobody else waits for it: argon2id
// takes tens of milliseconds and 64 MiB each time. It takes PASSWORD_WORK, does it, and sends the
// same message back as PASSWORD_DONE.
#ifndef DIORAMA_ACTORS_USER_PASSWORD_HASHER_H
#define DIORAMA_ACTORS_USER_PASSWORD_HASHER_H

#include <sodium.h>

#include "actors/runtime/actor.h"

enum { PASSWORD_HASH_SIZE = crypto_pwhash_STRBYTES };

// The parcel of PASSWORD_WORK and PASSWORD_DONE. The password is wiped when the work is done.
struct password_job {
    struct parcel base;
    bool is_check;                 // whether `hash` is that of the password; else it is made
    bool is_done;                  // false: the deadline had passed, or memory was refused
    bool matches;                  // of a check
    char hash[PASSWORD_HASH_SIZE]; // with its parameters and salt, as libsodium writes it
    size_t size;
    char password[];
};

// `hash`: checks the password against it; NULL: makes one.
struct password_job *password_job_create(const struct text *password, const char *hash);

static inline struct password_job *
password_job_of(struct message *message)
{
    return (struct password_job *)(void *)message->parcel;
}

// Hashes on the calling thread: at the start only.
fallible password_hash(const struct text *password, char ret_hash[PASSWORD_HASH_SIZE]);

typedef struct password password_t;

// The name of the mailbox of hasher `index`; ret_name has MAILBOX_NAME_SIZE bytes.
void password_mailbox(unsigned index, char *ret_name);

// Starts it with a mailbox called `name`.
fallible password_create(const char *name, password_t **ret_password);
void password_destroy(password_t **self, mailbox_t *from);

#endif
