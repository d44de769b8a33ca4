// user_lookup.c - finds users by name, e-mail address and role (user_lookup.h).
#include "actors/user/user_lookup.h"

#include "actors/repository/repository_fetch.h"
#include "actors/repository/repository_staged.h"
#include "actors/user/user_index.h"
#include "actors/user/user_state.h"
#include "actors/user/username.h"

// What the row of the index finds the user by.
static const struct texts *
values_of(struct arena *arena, unsigned row, const struct user *user)
{
    const struct index_row *index = index_row_with_id(user_index, row);
    return index->make ? index->make(arena, &user->base) : user->email;
}

// --- what has to be known ---

static void
add_needs(struct needs *needs, struct arena *arena, unsigned row, const struct user *user)
{
    const struct texts *values = values_of(arena, row, user);
    for (size_t i = 0; i < texts_count(values); i++)
        needs_add(needs, arena, USERS, row, values->items[i]);
}

fallible
user_lookup_need(struct user_actor *self, struct message *message, const struct user *before,
                 const struct user *after)
{
    struct needs needs = {0};
    struct arena *arena = &message->arena;
    if (after && (!before || !text_equal(before->username, after->username)))
        add_needs(&needs, arena, INDEX_USER_NAME, after);
    if (after)
        add_needs(&needs, arena, INDEX_USER_ADDRESS, after);
    if (self->auth_enabled && before && !(after && user_is_administrator(&after->base)))
        add_needs(&needs, arena, INDEX_USER_ROLE, before);
    return repository_need(&self->repository, &needs, message);
}

// --- users as they will be ---

// Called with each user who is found; true ends the walk.
typedef bool user_taker(const struct user *user, void *context);

// What a walk looks for.
struct wanted {
    unsigned row;
    const struct text *value;
    user_taker *take;
    void *context;
};

static bool
take(struct arena *arena, const struct wanted *wanted, const struct user *user)
{
    return texts_contain(values_of(arena, wanted->row, user), wanted->value) &&
           wanted->take(user, wanted->context);
}

static bool
walk_durable(struct user_actor *self, struct arena *arena, const struct wanted *wanted)
{
    size_t count;
    const frozen_t *const *found = record_set_items(
        repository_posting(&self->repository, USERS, wanted->row, wanted->value), &count);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *latest = repository_latest_of(&self->repository, USERS, found[i]);
        if (latest == found[i] && take(arena, wanted, user_of(frozen_record(latest))))
            return true;
    }
    return false;
}

static bool
walk_staged(struct user_actor *self, struct arena *arena, const struct wanted *wanted)
{
    struct staging *staging = &self->repository.staging;
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(staging, KEY_USER, &cursor)) != NULL;)
        if (change->record && take(arena, wanted, user_of(frozen_record(change->record))))
            return true;
    return false;
}

// Calls `take` with each user who is found by the value; true where it has ended the walk.
static bool
walk(struct user_actor *self, struct arena *arena, const struct wanted *wanted)
{
    return walk_durable(self, arena, wanted) || walk_staged(self, arena, wanted);
}

static bool
is_another(const struct user *user, void *context)
{
    return !text_equal(user->id, ((const struct user *)context)->id);
}

// An empty value finds nobody.
static bool
has_another(struct user_actor *self, struct arena *arena, unsigned row, const struct user *user)
{
    const struct texts *values = values_of(arena, row, user);
    for (size_t i = 0; i < texts_count(values); i++) {
        const struct wanted wanted = {row, values->items[i], is_another, (void *)(uintptr_t)user};
        if (text_size(wanted.value) > 0 && walk(self, arena, &wanted))
            return true;
    }
    return false;
}

bool
user_lookup_name_is_taken(struct user_actor *self, struct arena *arena, const struct user *user)
{
    return has_another(self, arena, INDEX_USER_NAME, user);
}

bool
user_lookup_address_is_taken(struct user_actor *self, struct arena *arena, const struct user *user)
{
    return has_another(self, arena, INDEX_USER_ADDRESS, user);
}

bool
user_lookup_has_other_administrator(struct user_actor *self, struct arena *arena,
                                    const struct user *user)
{
    return has_another(self, arena, INDEX_USER_ROLE, user);
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

fallible
user_lookup_by_name(struct user_actor *self, struct message *message, const struct text *name,
                    const struct user **ret_user)
{
    struct finding finding = {.name = name};
    const struct wanted wanted = {INDEX_USER_NAME, username_key(&message->arena, name), note,
                                  &finding};
    TRY(repository_need_by(&self->repository, USERS, wanted.row, wanted.value, message));
    (void)walk(self, &message->arena, &wanted);
    *ret_user = finding.exact ? finding.exact : finding.similar_count == 1 ? finding.similar : NULL;
    return OK;
}
