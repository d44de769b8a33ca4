// user_lookup.h - users by what nobody else may have (a name, an e-mail address) and by whether
// they are administrators; all as they will be: staged or durable. What is durable is found by the
// stored indexes (user_index.h), which a request needs first: its handler runs again when it is
// there. The user actor's thread.
#ifndef DIORAMA_ACTORS_USER_USER_LOOKUP_H
#define DIORAMA_ACTORS_USER_USER_LOOKUP_H

#include "actors/repository/repository.h"
#include "proto/records/user.h"

struct user_actor;

// What the three below look at where `after` (NULL = nothing) takes the place of `before` (NULL =
// nothing) is known when it returns OK; PARKED, and failures, as repository_need.
fallible user_lookup_need(struct user_actor *self, struct message *message,
                          const struct user *before, const struct user *after);

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
// the same but for case and width; valid until the handler returns. NULL: there is none, or several
// from before names were compared. PARKED, and failures, as repository_need.
fallible user_lookup_by_name(struct user_actor *self, struct message *message,
                             const struct text *name, const struct user **ret_user);

#endif
