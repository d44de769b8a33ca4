// user_budgets.h - limits of one user's own, set by administrators. Runs on the user actor's
// thread.
#ifndef DIORAMA_ACTORS_USER_USER_BUDGETS_H
#define DIORAMA_ACTORS_USER_USER_BUDGETS_H

#include "actors/repository/repository.h"

actor_handler user_budget_get; // what is set; nothing but the user where nothing is
actor_handler user_budget_put; // in place of what was set; what is absent is as for everybody

// Tells the book. After a commit, and for what is read at the start.
void user_budget_committed(struct repository *repository, const frozen_t *before,
                           const frozen_t *after);

// Stages the end of the limits of a user who is deleted; one write.
void user_budget_end(struct repository *repository, const struct text *user);

#endif
