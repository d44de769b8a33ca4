// user_lookup.h - users by what nobody else may have (a name, an e-mail address) and by whether
// they are administrators; all as they will be: staged or durable. In memory only, so that no
// request goes through all users. The user actor's thread.
#ifndef DIORAMA_ACTORS_USER_USER_LOOKUP_H
#define DIORAMA_ACTORS_USER_USER_LOOKUP_H

#include "actors/repository/repository.h"
#include "proto/records/user.h"

struct user_actor;

enum user_lookup { BY_NAME, BY_ADDRESS, BY_ROLE, USER_LOOKUPS };

// An administrator who may log in.
bool user_is_administrator(const struct user *user);

// A change of a user is durable: the lookups change with it.
void user_lookup_committed(struct user_actor *self, const frozen_t *before, const frozen_t *after);

// Whether another user has a name that is the same but for case and width.
bool user_lookup_name_is_taken(struct user_actor *self, struct arena *arena,
                               const struct user *user);

// Whether another user has one of the addresses.
bool user_lookup_address_is_taken(struct user_actor *self, struct arena *arena,
                                  const struct user *user);

// Whether another user is an administrator.
bool user_lookup_has_other_administrator(struct user_actor *self, struct arena *arena,
                                         const struct user *user);

// The user who logs in by this name: the one who has exactly this, else the only one whose name is
// the same but for case and width. NULL: there is none, or several from before names were compared.
const struct user *user_lookup_by_name(struct user_actor *self, struct arena *arena,
                                       const struct text *name);

#endif
