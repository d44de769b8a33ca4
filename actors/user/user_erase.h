// user_erase.h - the end of everything that is stored about a user.
#ifndef DIORAMA_ACTORS_USER_USER_ERASE_H
#define DIORAMA_ACTORS_USER_USER_ERASE_H

#include "actors/runtime/actor.h"

struct repository;
struct user_actor;

// Deletes the user, as USER_DELETE does, and has all actors forget them. It is answered when they
// have. An account that is gone is erased by its id. Fails with ERR_CONFLICT where the caller is
// that user.
enum error user_erase(actor_t *actor, struct message *message);

// Stages the effect ERASE_SCENES or ERASE_LIBRARY where the message erases the user. One
// of these is staged last: the request waits for it first, then for what else ends the user.
void user_erase_stage(struct repository *repository, struct message *message,
                      enum operation operation, const struct text *user);

#endif
