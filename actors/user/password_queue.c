// password_queue.c - requests that wait for a password to be hashed (password_hasher.h). Their
// number is limited, with more room for addresses that logged in before; a request for which there
// is no room is answered 503. Runs on the user actor's thread.
#include "actors/user/password_queue.h"

#include "actors/user/user_state.h"

bool
password_queue_have_room(const struct user_actor *self, bool is_known)
{
    return self->hash_count < (is_known ? PASSWORD_QUEUE_OF_KNOWN : PASSWORD_QUEUE_AT_ONCE);
}

static struct hashing *
hashing_find(struct user_actor *self, uint64_t id)
{
    for (size_t i = 0; i < PASSWORD_QUEUE_MOST; i++)
        if (self->hashes[i].id == id)
            return &self->hashes[i];
    return NULL;
}

static fallible
ask(struct user_actor *self, struct message *message, const struct text *password, const char *hash)
{
    struct hashing *place = hashing_find(self, 0);
    // Changes of passwords leave the places of known addresses to logins.
    bool has_room = hash || password_queue_have_room(self, false);
    if (!place || !has_room)
        return fail(ERR_UNAVAILABLE, "", "too many passwords are being hashed");
    char to[MAILBOX_NAME_SIZE];
    struct message *work = message_create(PASSWORD_WORK);
    work->id = ++self->next_hash;
    work->deadline_ms = message->deadline_ms;
    work->parcel = &password_job_create(password, hash)->base;
    password_mailbox((unsigned)(work->id % self->passwords), to);
    enum error error = mailbox_send(self->repository.base.mailbox, to, &work);
    message_destroy(&work);
    TRY(error);
    *place = (struct hashing){.id = self->next_hash, .message = message};
    self->hash_count++;
    return PARKED;
}

fallible
password_queue_need(struct user_actor *self, struct message *message, const struct text *password,
                    const char *hash, struct password_job **ret_job)
{
    if (!message->parcel)
        return ask(self, message, password, hash);
    struct password_job *job = password_job_of(message);
    if (!job->is_done)
        return fail(ERR_UNAVAILABLE, "", "the password could not be hashed in time");
    *ret_job = job;
    return OK;
}

enum error
password_queue_done(actor_t *actor, struct message *work)
{
    struct user_actor *self = user_actor_of(actor);
    struct hashing *place = hashing_find(self, work->id);
    if (place) {
        struct message *message = place->message;
        message->parcel = work->parcel;
        work->parcel = NULL;
        *place = (struct hashing){0};
        self->hash_count--;
        actor_dispatch(actor, message);
    }
    message_destroy(&work);
    return PARKED;
}

void
password_queue_finish(struct user_actor *self)
{
    for (size_t i = 0; i < PASSWORD_QUEUE_MOST; i++)
        message_destroy(&self->hashes[i].message);
}
