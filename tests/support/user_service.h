// user_service.h - the user actor with its committer, its hashing thread and a store, in the
// process of a test that speaks to it as the gateway would. What is not answered within a minute
// fails the test: hashes take long behind a sanitizer.
#ifndef DIORAMA_TESTS_SUPPORT_USER_SERVICE_H
#define DIORAMA_TESTS_SUPPORT_USER_SERVICE_H

#include "actors/runtime/committer.h"
#include "actors/user/user_actor.h"
#include "proto/message/mailbox.h"
#include "proto/message/message.h"
#include "proto/message/session.h"
#include "proto/records/user.h"
#include "store/store.h"
#include "tests/support/temporary.h"

enum { USER_SERVICE_WAIT_MS = 60000, USER_SERVICE_MEMORY = 1 << 26 };
#define USER_SERVICE_PASSWORD "correct horse" // of "admin" and of everybody who signs up

// The one of the test that runs.
extern struct user_service {
    struct temporary directory;
    char plan[TEMPORARY_PATH_BYTES]; // of faults
    size_t memory;                   // of cached users, from the next start on
    store_t *store;                  // faults over RocksDB
    sessions_t *sessions;
    mailbox_t *asker;
    mailbox_t *scene_actor; // the test stands for one, if it has this mailbox
    committer_t *committer;
    user_actor_t *actor;
} user_service;

void user_service_begin(void);
void user_service_end(void);
void user_service_start(void);
void user_service_stop(void);
void user_service_set_faults(const char *words);
// Opens the store of a service that is stopped; it is the caller's.
store_t *user_service_open_store(void);

// A request with one empty record of the schema, or none.
struct message *user_request(enum operation operation, const struct schema *schema,
                             enum caller_role role, const char *caller);
// The same of an administrator, about the user with this id.
struct message *user_request_about(enum operation operation, const struct schema *schema,
                                   const char *user);
struct message *user_request_of(enum operation operation, const char *username, const char *word);

// Asks the actor; the answer is yours.
struct message *user_service_ask(struct message *message);
enum error user_service_outcome(struct message *message);

// Logs in; writes the token where it succeeds.
enum error user_service_log_in(const char *username, const char *word,
                               char ret_token[SESSION_TOKEN_SIZE]);
bool user_service_is_in(const char *token);
// The id of who has the token.
void user_of_token(const char *token, char ret_user[USER_ID_SIZE]);
void user_service_sign_up(const char *username, char ret_user[USER_ID_SIZE]);

#endif
