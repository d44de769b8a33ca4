// user_erase.c - the end of everything that is stored about a user (user_erase.h). The user actor's
// thread.
#include "actors/user/user_erase.h"

#include "actors/repository/resource.h"
#include "actors/user/user_state.h"
#include "proto/message/partition.h"
#include "proto/records/effect.h"
#include "proto/records/user.h"

enum { SWEPT_AT_ONCE = 500 };

// Ids of users never come again, so whatever has the id is older.
static void
stage_effect(struct repository *repository, struct message *message, enum operation operation,
             const struct text *user)
{
    outbox_stage(&repository->outbox, message, 0, effect_new(message, operation, user, INT64_MAX));
}

void
user_erase_stage(struct repository *repository, struct message *message, enum operation operation,
                 const struct text *user)
{
    if (message->operation == USER_ERASE)
        stage_effect(repository, message, operation, user);
}

// Who was deleted without being erased, or is erased again: other actors may still know the id.
static enum error
erase_gone(struct repository *repository, struct message *message, const struct text *user)
{
    struct record *gone = record_new(&message->arena, &user_schema);
    TRY(repository_make_room(repository, message, room_for_records(3, 3 * EFFECT_BYTES)));
    stage_effect(repository, message, ERASE_SCENES, user);
    stage_effect(repository, message, EXPEL, user);
    stage_effect(repository, message, ERASE_LIBRARY, user);
    record_set_text(gone, USER_ID, user);
    reply_add_loose(message, &user_schema, gone);
    return repository_answer_durable(repository, message);
}

enum error
user_erase(actor_t *actor, struct message *message)
{
    const struct text *user = message->params->user;
    if (text_is(user, message->caller.user))
        return fail(ERR_CONFLICT, "", "another administrator erases an administrator");
    if (key_is_generated(user) && !repository_latest(repository_of(actor), USERS, user))
        return erase_gone(repository_of(actor), message, user);
    return resource_delete(actor, message);
}

// --- device keys ---

static bool
is_orphan(const struct repository *repository, const frozen_t *claim)
{
    return claim &&
           !repository_latest(repository, USERS, record_text(frozen_record(claim), CLAIM_USER));
}

bool
user_claims_are_due(const struct user_actor *self)
{
    bool is_busy = staging_is_busy(&self->repository.staging); // its end wakes the actor
    return self->claims_are_due && !is_busy && !self->repository.settings.requests.follows;
}

// After a walk that found something another one follows: its commit may have failed.
static void
end_walk(struct user_actor *self)
{
    self->claims_are_due = self->has_found_orphans;
    self->has_found_orphans = false;
}

void
user_claims_sweep(struct user_actor *self)
{
    struct repository *repository = &self->repository;
    if (!user_claims_are_due(self) || repository->base.stopping ||
        !staging_has_room(&repository->staging, room_for_removals(SWEPT_AT_ONCE)))
        return;
    const frozen_t *const *claims;
    size_t count = record_walk_next(&self->claims, repository_records(repository, CLAIMS),
                                    SWEPT_AT_ONCE, &claims);
    for (size_t i = 0; i < count; i++)
        if (is_orphan(repository, claims[i])) {
            repository_delete(repository, CLAIMS, claims[i]);
            self->has_found_orphans = true;
        }
    if (count == 0)
        end_walk(self);
}
