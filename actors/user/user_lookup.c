// user_lookup.c - finds users by name, e-mail address and role (user_lookup.h).
#include "actors/user/user_lookup.h"

#include "actors/repository/repository_staged.h"
#include "actors/user/user_state.h"
#include "actors/user/username.h"

// --- what users are found by ---

bool
user_is_administrator(const struct user *user)
{
    return user->is_admin && user->is_active;
}

static const struct texts *
name_of(struct arena *arena, const struct user *user)
{
    return texts_of_one(arena, username_key(arena, user->username));
}

static const struct texts *
addresses_of(struct arena *arena, const struct user *user)
{
    (void)arena;
    return user->email;
}

static const struct texts *
role_of(struct arena *arena, const struct user *user)
{
    return user_is_administrator(user) ? texts_of_one(arena, text_from(arena, "administrator"))
                                       : NULL;
}

typedef const struct texts *values_of(struct arena *arena, const struct user *user);

static values_of *const lookups[USER_LOOKUPS] = {
    [BY_NAME] = name_of,
    [BY_ADDRESS] = addresses_of,
    [BY_ROLE] = role_of,
};

void
user_lookup_committed(struct user_actor *self, const frozen_t *before, const frozen_t *after)
{
    struct arena arena = {0};
    for (unsigned by = 0; by < USER_LOOKUPS; by++) {
        const struct texts *old =
            before ? lookups[by](&arena, user_of(frozen_record(before))) : NULL;
        const struct texts *new = after ? lookups[by](&arena, user_of(frozen_record(after))) : NULL;
        for (size_t i = 0; i < texts_count(old); i++)
            secondary_index_remove(&self->lookups[by], old->items[i], before);
        for (size_t i = 0; i < texts_count(new); i++)
            secondary_index_put(&self->lookups[by], new->items[i], after);
    }
    arena_finish(&arena);
}

// --- users as they will be ---

// Called with each user who is found; true ends the walk.
typedef bool user_taker(const struct user *user, void *context);

static bool
walk_durable(struct user_actor *self, enum user_lookup by, const struct text *value,
             user_taker *take, void *context)
{
    size_t count;
    const frozen_t *const *found = secondary_index_find(&self->lookups[by], value, &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *latest = repository_latest(&self->repository, USERS, frozen_key(found[i]));
        if (latest == found[i] && take(user_of(frozen_record(latest)), context))
            return true;
    }
    return false;
}

static bool
walk_staged(struct user_actor *self, struct arena *arena, enum user_lookup by,
            const struct text *value, user_taker *take, void *context)
{
    struct staging *staging = &self->repository.staging;
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(staging, KEY_USER, &cursor)) != NULL;) {
        const struct user *user = user_of(frozen_record(change->record));
        if (user && texts_contain(lookups[by](arena, user), value) && take(user, context))
            return true;
    }
    return false;
}

// Calls `take` with each user who is found by one of the values, of which an empty one finds
// nobody; true where it has ended the walk.
static bool
walk(struct user_actor *self, struct arena *arena, enum user_lookup by, const struct texts *values,
     user_taker *take, void *context)
{
    for (size_t i = 0; i < texts_count(values); i++)
        if (text_size(values->items[i]) > 0 &&
            (walk_durable(self, by, values->items[i], take, context) ||
             walk_staged(self, arena, by, values->items[i], take, context)))
            return true;
    return false;
}

static bool
is_another(const struct user *user, void *context)
{
    return !text_equal(user->id, ((const struct user *)context)->id);
}

static bool
has_another(struct user_actor *self, struct arena *arena, enum user_lookup by,
            const struct user *user)
{
    return walk(self, arena, by, lookups[by](arena, user), is_another, (void *)(uintptr_t)user);
}

bool
user_lookup_name_is_taken(struct user_actor *self, struct arena *arena, const struct user *user)
{
    return has_another(self, arena, BY_NAME, user);
}

bool
user_lookup_address_is_taken(struct user_actor *self, struct arena *arena, const struct user *user)
{
    return has_another(self, arena, BY_ADDRESS, user);
}

bool
user_lookup_has_other_administrator(struct user_actor *self, struct arena *arena,
                                    const struct user *user)
{
    return has_another(self, arena, BY_ROLE, user);
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
user_lookup_by_name(struct user_actor *self, struct arena *arena, const struct text *name)
{
    struct finding finding = {.name = name};
    const struct texts *key = texts_of_one(arena, username_key(arena, name));
    (void)walk(self, arena, BY_NAME, key, note, &finding);
    if (finding.exact)
        return finding.exact;
    return finding.similar_count == 1 ? finding.similar : NULL;
}
