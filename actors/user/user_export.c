// user_export.c - what is stored about an account (user_export.h). The user actor's thread.
#include "actors/user/user_export.h"

#include "actors/repository/export.h"
#include "actors/repository/repository_fetch.h"
#include "actors/user/user_state.h"

enum error
user_export(actor_t *actor, struct message *message)
{
    const struct text *user = message->params->user;
    const frozen_t *account;
    if (message->work) // that goes on, perhaps with a page that has arrived
        return repository_export(actor, message);
    TRY(repository_fetch(repository_of(actor), USERS, user, message, &account));
    if (!account)
        return fail(ERR_NOT_FOUND, "", "there is no user %s", text_chars(user));
    return repository_export(actor, message);
}
