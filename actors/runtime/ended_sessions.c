// ended_sessions.c - users by id, and in the order in which they are forgotten (ended_sessions.h).
#include "actors/runtime/ended_sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct ended_user {
    char id[USER_ID_SIZE];
    int64_t before;
    uint64_t noted_ms;
    struct ended_user *newer;
};

static bool
has_id(const void *value, const void *key)
{
    return strcmp(((const struct ended_user *)value)->id, key) == 0;
}

static struct ended_user *
find(const struct ended_sessions *self, const char *id)
{
    return table_find(&self->users, table_hash_chars(id), has_id, id);
}

static void
forget_oldest(struct ended_sessions *self)
{
    struct ended_user *user = self->oldest;
    self->oldest = user->newer;
    if (!self->oldest)
        self->newest = NULL;
    table_remove(&self->users, table_hash_chars(user->id), user);
    free(user);
}

void
ended_sessions_init(struct ended_sessions *self, uint64_t kept_ms)
{
    *self = (struct ended_sessions){.kept_ms = kept_ms};
}

void
ended_sessions_finish(struct ended_sessions *self)
{
    while (self->oldest)
        forget_oldest(self);
    table_finish(&self->users);
}

// Who was noted before keeps an earlier place in the order too, which is forgotten by itself.
static struct ended_user *
note(struct ended_sessions *self, struct ended_user *before, const char *id, uint64_t now_ms)
{
    struct ended_user *user = memory_take_zeroed(sizeof *user);
    snprintf(user->id, sizeof user->id, "%s", id);
    user->noted_ms = now_ms;
    if (before)
        table_replace(&self->users, table_hash_chars(id), before, user);
    else
        table_add(&self->users, table_hash_chars(id), user);
    if (self->newest)
        self->newest->newer = user;
    else
        self->oldest = user;
    return self->newest = user;
}

void
ended_sessions_add(struct ended_sessions *self, const char *user, int64_t before, uint64_t now_ms)
{
    if (strlen(user) >= USER_ID_SIZE)
        return; // longer than any id: nobody can have it
    struct ended_user *noted = find(self, user);
    if (!noted || noted->before < before)
        note(self, noted, user, now_ms)->before = before;
}

void
ended_sessions_forget(struct ended_sessions *self, uint64_t now_ms)
{
    while (self->oldest && self->oldest->noted_ms + self->kept_ms < now_ms)
        forget_oldest(self);
}

int64_t
ended_sessions_before(const struct ended_sessions *self, const char *user)
{
    const struct ended_user *noted = self->oldest ? find(self, user) : NULL;
    return noted ? noted->before : 0;
}

fallible
ended_sessions_check(const struct ended_sessions *self, const struct caller *caller)
{
    if (caller->user[0] && caller->revocations < ended_sessions_before(self, caller->user))
        return fail(ERR_UNAUTHENTICATED, "", "the session has ended");
    return OK;
}
