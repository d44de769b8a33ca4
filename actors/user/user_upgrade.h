// user_upgrade.h - steps to the format in which users are not read at the start
// (FORMAT_USERS_LISTED, actors/migration.h). Each may be done again, and gets on: what it has
// written is not written again.
#ifndef DIORAMA_ACTORS_USER_USER_UPGRADE_H
#define DIORAMA_ACTORS_USER_USER_UPGRADE_H

#include "proto/base/error.h"
#include "store/store.h"

// Writes into each session what its user is; those of who is gone or may not log in end.
fallible user_upgrade_sessions(store_t *store);

// Gives up the device keys of users who are gone. From then on a record says whose are left.
fallible user_upgrade_claims(store_t *store);

#endif
