// user_erase.c - the end of everything that is stored about a user (user_erase.h). The user actor's
// thread.
#include "actors/user/user_erase.h"

#include "actors/repository/resource.h"
#include "actors/user/user_state.h"
#include "proto/message/partition.h"
#include "proto/records/effect.h"
#include "proto/records/user.h"

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
    struct repository *repository = repository_of(actor);
    const struct text *user = message->params->user;
    const frozen_t *account = NULL;
    if (text_is(user, message->caller.user))
        return fail(ERR_CONFLICT, "", "another administrator erases an administrator");
    if (key_is_generated(user)) {
        TRY(repository_fetch_latest(repository, USERS, user, message, &account));
        if (!account)
            return erase_gone(repository, message, user);
    }
    return resource_delete(actor, message);
}
