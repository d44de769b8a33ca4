// user_bootstrap.h - prepares the stored users before the user actor runs.
#ifndef DIORAMA_ACTORS_USER_USER_BOOTSTRAP_H
#define DIORAMA_ACTORS_USER_USER_BOOTSTRAP_H

#include "actors/user/user_actor.h"

// Makes the key of tokens, deactivates the accounts that nobody vouches for, and makes an
// administrator where there is none.
fallible user_bootstrap(store_t *store, const struct user_settings *settings);

#endif
