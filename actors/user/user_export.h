// user_export.h - what is stored about an account.
#ifndef DIORAMA_ACTORS_USER_USER_EXPORT_H
#define DIORAMA_ACTORS_USER_USER_EXPORT_H

#include "actors/runtime/actor.h"

// A page of the account, its limits, device keys and sessions. Fails with ERR_NOT_FOUND where there
// is no such user.
enum error user_export(actor_t *actor, struct message *message);

#endif
