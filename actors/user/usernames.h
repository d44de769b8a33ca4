// usernames.h - the names of all users by what they are compared by (username.h), as they will be:
// staged or durable. In memory only. The user actor's thread.
#ifndef DIORAMA_ACTORS_USER_USERNAMES_H
#define DIORAMA_ACTORS_USER_USERNAMES_H

#include "actors/repository/repository.h"
#include "proto/records/user.h"

struct user_actor;

// A change of a user is durable: its names change in the index.
void usernames_committed(struct user_actor *self, const frozen_t *before, const frozen_t *after);

// Whether another user has a name that is the same but for case and width.
bool usernames_are_taken(struct user_actor *self, struct arena *arena, const struct user *user);

// The user who logs in by this name: the one who has exactly this, else the only one whose name is
// the same but for case and width. NULL: there is none, or several from before names were compared.
const struct user *usernames_find(struct user_actor *self, struct arena *arena,
                                  const struct text *name);

#endif
