// audit_actor.h - the actor of the audit log: it starts the thread that writes it, and answers who
// did what. Its mailbox is called "audit".
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_ACTOR_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_ACTOR_H

#include "actors/runtime/actor.h"
#include "proto/config/config.h"

typedef struct audit_actor audit_actor_t;

// Opens the log in data.dir/audit and starts. It must be the first of all actors and the last to
// end, so that nothing is forgotten. Fails with ERR_UNAVAILABLE where the log cannot be written.
fallible audit_actor_create(const struct config *config, audit_actor_t **ret_actor);
// Accepts NULL.
void audit_actor_destroy(audit_actor_t **self, mailbox_t *from);

#endif
