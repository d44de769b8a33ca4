// user_actor.h - the actor that owns users: accounts, sessions, device keys. Its mailbox is called
// "user".
#ifndef DIORAMA_ACTORS_USER_USER_ACTOR_H
#define DIORAMA_ACTORS_USER_USER_ACTOR_H

#include "actors/runtime/actor.h"
#include "actors/runtime/index_records.h"
#include "actors/runtime/request_settings.h"
#include "proto/budget/budget_book.h"
#include "proto/config/config.h"
#include "proto/message/session.h"
#include "store/store.h"

typedef struct user_actor user_actor_t;

enum { MAX_PASSWORDS = 4 }; // 64 MiB each while they work

struct user_settings {
    const struct config *config; // auth.*
    sessions_t *sessions;        // borrowed; the actor is its only writer
    const char *committer;       // a mailbox
    size_t memory;               // bytes of cached users and device keys
    budget_book_t *book;         // borrowed, or NULL
    unsigned shards;             // how many scene actors there are
    uint64_t epoch;              // of this start of the server
    struct request_settings requests;
    unsigned passwords; // threads that hash, which the actor starts: 1 to MAX_PASSWORDS
};

// Starts it, after user_bootstrap; it is ready when it has read its sessions. The store is
// borrowed.
fallible user_actor_create(store_t *store, const struct user_settings *settings,
                           user_actor_t **ret_actor);
void user_actor_destroy(user_actor_t **self, mailbox_t *from);

// What its records are found by in the store.
struct index_family user_actor_indexes(void);

#endif
