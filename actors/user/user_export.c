// user_export.c - what is stored about an account (user_export.h). The user actor's thread.
#include "actors/user/user_export.h"

#include "actors/repository/export.h"
#include "actors/user/user_state.h"

enum error
user_export(actor_t *actor, struct message *message)
{
    const struct text *user = message->params->user;
    if (!repository_find(repository_of(actor), USERS, user))
        return fail(ERR_NOT_FOUND, "", "there is no user %s", text_chars(user));
    return repository_export(actor, message);
}
