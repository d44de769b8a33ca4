// accounts.h - sign-up, changes and roles of users.
#ifndef DIORAMA_ACTORS_USER_ACCOUNTS_H
#define DIORAMA_ACTORS_USER_ACCOUNTS_H

#include "actors/repository/resource.h"

extern const struct resource user_resource;

// A bool of a user, and what it becomes.
struct user_flag {
    unsigned field;
    bool value;
};

actor_handler user_sign_up;
actor_handler user_find;
actor_handler user_update;
actor_handler user_set_flag; // actor_operation.of is a struct user_flag

// A change of a user is durable (repository_kind.committed).
void user_committed(struct repository *repository, const frozen_t *before, const frozen_t *after);

#endif
