// password_hasher.c - the thread that hashes passwords. It skips a job whose deadline has passed,
// so attackers who guess cost one hash at a time a thread at most; and one that would not be done
// by then, as the last one took: else each begins late where the machine is slow, and ends in vain.
#include "actors/user/password_hasher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"

struct password {
    actor_t base;
    uint64_t took_ms; // the last hash
};

// Whether the work can be done in time; the first is always tried, and after one that was skipped
// the next one is expected to take half as long, so that a bad moment is forgotten.
static bool
has_time(struct password *self, uint64_t deadline_ms)
{
    if (!deadline_ms || clock_now_ms() + self->took_ms < deadline_ms)
        return true;
    self->took_ms /= 2;
    return false;
}

static void
job_destroy(struct parcel *parcel)
{
    struct password_job *self = (struct password_job *)(void *)parcel;
    sodium_memzero(self->password, self->size);
    free(self);
}

struct password_job *
password_job_create(const struct text *password, const char *hash)
{
    size_t size = text_size(password);
    struct password_job *self = memory_take_zeroed(sizeof *self + size + 1);
    self->base.destroy = job_destroy;
    self->is_check = hash != NULL;
    self->size = size;
    memcpy(self->password, text_bytes(password), size);
    if (hash)
        memcpy(self->hash, hash, strnlen(hash, sizeof self->hash - 1));
    return self;
}

static bool
make(const char *password, size_t size, char ret_hash[PASSWORD_HASH_SIZE])
{
    return crypto_pwhash_str_alg(ret_hash, password, size, crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                 crypto_pwhash_MEMLIMIT_INTERACTIVE,
                                 crypto_pwhash_ALG_ARGON2ID13) == 0;
}

fallible
password_hash(const struct text *password, char ret_hash[PASSWORD_HASH_SIZE])
{
    if (!make(text_bytes(password), text_size(password), ret_hash))
        return fail(ERR_UNAVAILABLE, "", "there is no memory to hash a password");
    return OK;
}

static enum error
handle_work(actor_t *actor, struct message *message)
{
    struct password *self = (struct password *)(void *)actor;
    struct password_job *job = password_job_of(message);
    message->operation = PASSWORD_DONE;
    if (!has_time(self, message->deadline_ms))
        return OK;
    uint64_t began_ms = clock_now_ms();
    if (job->is_check) {
        job->matches = crypto_pwhash_str_verify(job->hash, job->password, job->size) == 0;
        job->is_done = true;
    } else {
        job->is_done = make(job->password, job->size, job->hash);
    }
    self->took_ms = clock_now_ms() - began_ms;
    sodium_memzero(job->password, job->size);
    return OK;
}

static const struct actor_behaviour password_behaviour = {
    .operations = {[PASSWORD_WORK] = {handle_work}},
    .may_be_slow = true,
};

void
password_mailbox(unsigned index, char *ret_name)
{
    snprintf(ret_name, MAILBOX_NAME_SIZE, "password.%u", index);
}

fallible
password_create(const char *name, password_t **ret_password)
{
    password_t *self = memory_take_zeroed(sizeof *self);
    TRY(actor_create(&self->base, &password_behaviour, name));
    *ret_password = self;
    return OK;
}

void
password_destroy(password_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
