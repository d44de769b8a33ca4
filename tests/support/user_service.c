// user_service.c - see the header. Runs on the test's thread.
#include "tests/support/user_service.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "store/fault.h"
#include "store/rocks.h"

struct user_service user_service;

static struct config config = {
    .auth_enabled = true, .auth_admin_user = "admin", .auth_admin_password = USER_SERVICE_PASSWORD};

void
user_service_set_faults(const char *words)
{
    char fresh[TEMPORARY_PATH_BYTES + 128];
    snprintf(fresh, sizeof fresh, "%s.new", user_service.plan);
    FILE *file = fopen(fresh, "w");
    cr_assert_not_null(file);
    fputs(words, file);
    fclose(file);
    cr_assert_eq(rename(fresh, user_service.plan), 0);
}

store_t *
user_service_open_store(void)
{
    char path[TEMPORARY_PATH_BYTES];
    store_t *rocks = NULL;
    temporary_path(&user_service.directory, "store", path);
    cr_assert_eq(rocks_open(path, false, false, &rocks), OK, "%s", fault_last()->detail);
    return rocks;
}

void
user_service_start(void)
{
    struct user_service *self = &user_service;
    char faults[TEMPORARY_PATH_BYTES + 128];
    store_t *rocks = user_service_open_store();
    snprintf(faults, sizeof faults, "file=%s", self->plan);
    cr_assert_eq(fault_wrap(&rocks, faults, &self->store), OK);
    self->sessions = sessions_create();
    const struct user_settings settings = {.config = &config,
                                           .sessions = self->sessions,
                                           .committer = "committer.user",
                                           .memory = self->memory,
                                           .shards = self->scene_actor != NULL,
                                           .passwords = 1};
    cr_assert_eq(mailbox_create("asker", false, &self->asker), OK);
    cr_assert_eq(committer_create(self->store, "committer.user", &self->committer), OK);
    cr_assert_eq(user_actor_create(self->store, &settings, &self->actor), OK, "%s",
                 fault_last()->detail);
}

void
user_service_stop(void)
{
    struct user_service *self = &user_service;
    user_actor_destroy(&self->actor, self->asker);
    committer_destroy(&self->committer, self->asker);
    mailbox_destroy(&self->asker);
    sessions_destroy(&self->sessions);
    store_destroy(&self->store);
}

void
user_service_begin(void)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&user_service.directory);
    temporary_path(&user_service.directory, "plan", user_service.plan);
    user_service_set_faults("latency=0");
    user_service.memory = USER_SERVICE_MEMORY;
    user_service_start();
}

void
user_service_end(void)
{
    user_service_stop();
    temporary_finish(&user_service.directory);
}

struct message *
user_request(enum operation operation, const struct schema *schema, enum caller_role role,
             const char *caller)
{
    struct message *message = message_create(operation);
    message->caller.role = role;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", caller);
    snprintf(message->caller.peer, sizeof message->caller.peer, "10.0.0.1");
    if (schema) {
        message->records = records_new(&message->arena, 1);
        message->records->items[message->records->count++] = record_new(&message->arena, schema);
    }
    return message;
}

struct message *
user_request_about(enum operation operation, const struct schema *schema, const char *user)
{
    struct message *message = user_request(operation, schema, CALLER_ADMIN, "");
    record_set_text(&message->params->base, PARAMS_USER, text_from(&message->arena, user));
    return message;
}

struct message *
user_request_of(enum operation operation, const char *username, const char *word)
{
    struct message *message = user_request(operation, &user_schema, CALLER_ADMIN, "");
    struct record *user = message->records->items[0];
    record_set_text(user, USER_USERNAME, text_from(&message->arena, username));
    record_set_text(user, USER_PASSWORD, text_from(&message->arena, word));
    return message;
}

struct message *
user_service_ask(struct message *message)
{
    static uint64_t last;
    message->id = ++last;
    cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
    struct message *answer = mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS);
    cr_assert_not_null(answer);
    cr_assert_eq(answer->id, last);
    return answer;
}

enum error
user_service_outcome(struct message *message)
{
    owned(message_destroy) struct message *answer = user_service_ask(message);
    return answer->reply.fault.error;
}

enum error
user_service_log_in(const char *username, const char *word, char ret_token[SESSION_TOKEN_SIZE])
{
    owned(message_destroy) struct message *answer =
        user_service_ask(user_request_of(LOGIN, username, word));
    const struct envelope *envelope = (const struct envelope *)(void *)answer->reply.envelope;
    if (answer->reply.fault.error == OK)
        snprintf(ret_token, SESSION_TOKEN_SIZE, "%s", text_chars(envelope->token));
    return answer->reply.fault.error;
}

bool
user_service_is_in(const char *token)
{
    struct session session;
    return sessions_find(user_service.sessions, token, 0, &session);
}

void
user_of_token(const char *token, char ret_user[USER_ID_SIZE])
{
    struct session session;
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    snprintf(ret_user, USER_ID_SIZE, "%s", session.user);
}

void
user_service_sign_up(const char *username, char ret_user[USER_ID_SIZE])
{
    owned(message_destroy) struct message *answer =
        user_service_ask(user_request_of(SIGN_UP, username, USER_SERVICE_PASSWORD));
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    const struct user *user = (const struct user *)(const void *)reply_record(&answer->reply, 0);
    cr_assert_null(user->password);
    snprintf(ret_user, USER_ID_SIZE, "%s", text_chars(user->id));
}
