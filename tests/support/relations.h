// relations.h - relationships in a test of scene actors: made and looked for at the asset actor.
#ifndef DIORAMA_TESTS_SUPPORT_RELATIONS_H
#define DIORAMA_TESTS_SUPPORT_RELATIONS_H

#include "proto/records/relationship.h"
#include "tests/support/scene_service.h"

// Relates the asset "chair" to something.
void relate(struct service *service, const char *related);
// The same of any asset, without waiting; returns the id of the answer.
uint64_t relate_send(struct service *service, const char *asset, const char *related);

// The same; the relationship as it is stored, borrowed from *ret_answer, which is yours.
const struct relationship *relate_and_read(struct service *service, const char *related,
                                           struct message **ret_answer);

// How many relationships of an asset lead to `related` (NULL = to anything), as a
// caller of this role sees them.
uint32_t related_count(struct service *service, const char *asset, const char *related,
                       enum caller_role role, const char *user);

// How many entries of the outbox are on the disk.
size_t outbox_count(struct service *service);

// Waits until it is empty, looking again after each commit.
void outbox_await_empty(struct service *service);

#endif
