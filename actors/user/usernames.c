// usernames.c - finds users by their names whatever their case and width.
#include "actors/user/usernames.h"

#include "actors/user/user_state.h"
#include "actors/user/username.h"

static const struct text *
key_of(struct arena *arena, const frozen_t *record)
{
    return username_key(arena, user_of(frozen_record(record))->username);
}

void
usernames_committed(struct user_actor *self, const frozen_t *before, const frozen_t *after)
{
    struct arena arena = {0};
    if (before)
        secondary_index_remove(&self->names, key_of(&arena, before), before);
    if (after)
        secondary_index_put(&self->names, key_of(&arena, after), after);
    arena_finish(&arena);
}

// Calls `take` with each user whose name has this key, as they will be; true where it has ended the
// walk.
typedef bool user_taker(const struct user *user, void *context);

static bool
walk_durable(struct user_actor *self, const struct text *key, user_taker *take, void *context)
{
    size_t count;
    const frozen_t *const *found = secondary_index_find(&self->names, key, &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *latest = repository_latest(&self->repository, USERS, frozen_key(found[i]));
        if (latest == found[i] && take(user_of(frozen_record(latest)), context))
            return true;
    }
    return false;
}

static bool
walk_staged(struct user_actor *self, struct arena *arena, const struct text *key, user_taker *take,
            void *context)
{
    struct staging *staging = &self->repository.staging;
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(staging, KEY_USER, &cursor)) != NULL;)
        if (change->record && text_equal(key_of(arena, change->record), key) &&
            take(user_of(frozen_record(change->record)), context))
            return true;
    return false;
}

static bool
walk(struct user_actor *self, struct arena *arena, const struct text *name, user_taker *take,
     void *context)
{
    const struct text *key = username_key(arena, name);
    return walk_durable(self, key, take, context) || walk_staged(self, arena, key, take, context);
}

static bool
is_another(const struct user *user, void *context)
{
    return !text_equal(user->id, ((const struct user *)context)->id);
}

bool
usernames_are_taken(struct user_actor *self, struct arena *arena, const struct user *user)
{
    return walk(self, arena, user->username, is_another, (void *)(uintptr_t)user);
}

struct finding {
    const struct text *name;
    const struct user *exact, *similar;
    unsigned similar_count;
};

static bool
note(const struct user *user, void *context)
{
    struct finding *self = context;
    if (text_equal(user->username, self->name))
        self->exact = user;
    self->similar = user;
    self->similar_count++;
    return self->exact != NULL;
}

const struct user *
usernames_find(struct user_actor *self, struct arena *arena, const struct text *name)
{
    struct finding finding = {.name = name};
    (void)walk(self, arena, name, note, &finding);
    if (finding.exact)
        return finding.exact;
    return finding.similar_count == 1 ? finding.similar : NULL;
}
