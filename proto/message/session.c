// session.c - the published table of sessions (session.h): an array ordered by id, behind a lock
// that prefers the writer to new readers, so that a revocation never waits for a quiet moment. Ids
// are keyed hashes, so the time that a search takes says nothing about tokens.
#define _GNU_SOURCE // pthread_rwlockattr_setkind_np
#include "proto/message/session.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/token.h"

struct sessions {
    pthread_rwlock_t lock;
    unsigned char key[SESSION_KEY_BYTES];
    size_t count;
    size_t capacity;
    struct session **items; // ordered by id
};

sessions_t *
sessions_create(void)
{
    sessions_t *self = memory_take_zeroed(sizeof *self);
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&self->lock, &kind);
    pthread_rwlockattr_destroy(&kind);
    randombytes_buf(self->key, sizeof self->key);
    return self;
}

void
sessions_destroy(sessions_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        free((*self)->items[i]);
    free((*self)->items);
    pthread_rwlock_destroy(&(*self)->lock);
    sodium_memzero((*self)->key, sizeof(*self)->key);
    free(*self);
    *self = NULL;
}

void
sessions_key(const sessions_t *self, unsigned char ret_key[SESSION_KEY_BYTES])
{
    memcpy(ret_key, self->key, SESSION_KEY_BYTES);
}

void
sessions_set_key(sessions_t *self, const unsigned char key[SESSION_KEY_BYTES])
{
    memcpy(self->key, key, SESSION_KEY_BYTES);
}

void
session_token_new(char ret_token[SESSION_TOKEN_SIZE])
{
    token_draw(ret_token, SESSION_TOKEN_SIZE);
}

bool
sessions_id(const sessions_t *self, const char *token, char ret_id[SESSION_ID_SIZE])
{
    if (strnlen(token, SESSION_TOKEN_SIZE) != SESSION_TOKEN_SIZE - 1)
        return false;
    token_digest(token, SESSION_TOKEN_SIZE - 1, self->key, ret_id, SESSION_ID_SIZE);
    return true;
}

// Writes where the id is or would be. Returns whether it is there.
static bool
place_of(const sessions_t *self, const char *id, size_t *ret_index)
{
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(self->items[middle]->id, id);
        if (order == 0) {
            *ret_index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_index = low;
    return false;
}

// Readers of a constant table lock it too.
static void
lock_to_read(const sessions_t *self)
{
    pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&self->lock);
}

static void
unlock(const sessions_t *self)
{
    pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&self->lock);
}

bool
sessions_find(const sessions_t *self, const char *token, uint64_t calendar_us,
              struct session *ret_session)
{
    char id[SESSION_ID_SIZE];
    size_t index;
    lock_to_read(self); // the key too
    bool found = sessions_id(self, token, id) && place_of(self, id, &index) &&
                 self->items[index]->expires_us > calendar_us;
    if (found)
        *ret_session = *self->items[index];
    unlock(self);
    return found;
}

static void
sessions_reserve(sessions_t *self)
{
    if (self->count < self->capacity)
        return;
    self->capacity = self->capacity ? self->capacity * 2 : 16;
    self->items = memory_resize(self->items, self->capacity * sizeof(struct session *));
}

static void
insert(sessions_t *self, size_t index, const struct session *session)
{
    sessions_reserve(self);
    memmove(&self->items[index + 1], &self->items[index],
            (self->count - index) * sizeof(struct session *));
    self->items[index] = memory_take(sizeof *session);
    *self->items[index] = *session;
    self->count++;
}

fallible
sessions_put(sessions_t *self, const struct session *session)
{
    size_t index;
    bool is_there = place_of(self, session->id, &index); // nobody else writes
    if (!is_there && self->count == LIMIT_SESSIONS)
        return fail(ERR_UNAVAILABLE, "", "there are %d sessions already", LIMIT_SESSIONS);
    pthread_rwlock_wrlock(&self->lock);
    if (is_there)
        *self->items[index] = *session;
    else
        insert(self, index, session);
    pthread_rwlock_unlock(&self->lock);
    return OK;
}

void
sessions_rotate(sessions_t *self, const unsigned char key[SESSION_KEY_BYTES])
{
    pthread_rwlock_wrlock(&self->lock);
    memcpy(self->key, key, SESSION_KEY_BYTES);
    for (size_t i = 0; i < self->count; i++)
        free(self->items[i]);
    self->count = 0;
    pthread_rwlock_unlock(&self->lock);
}

bool
sessions_end(sessions_t *self, const char *id)
{
    size_t index;
    if (!place_of(self, id, &index))
        return false;
    pthread_rwlock_wrlock(&self->lock);
    free(self->items[index]);
    self->count--;
    memmove(&self->items[index], &self->items[index + 1],
            (self->count - index) * sizeof(struct session *));
    pthread_rwlock_unlock(&self->lock);
    return true;
}

void
sessions_set_admin(sessions_t *self, const char *id, bool is_admin)
{
    size_t index;
    if (!place_of(self, id, &index))
        return;
    pthread_rwlock_wrlock(&self->lock);
    self->items[index]->is_admin = is_admin;
    pthread_rwlock_unlock(&self->lock);
}

size_t
sessions_count(const sessions_t *self)
{
    lock_to_read(self);
    size_t count = self->count;
    unlock(self);
    return count;
}
