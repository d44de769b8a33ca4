// actor_client.h - how a worker asks actors: by operation row to a mailbox, with a correlation id
// and a deadline. One client a worker, used by its thread alone.
#ifndef DIORAMA_GATEWAY_REQUEST_ACTOR_CLIENT_H
#define DIORAMA_GATEWAY_REQUEST_ACTOR_CLIENT_H

#include "proto/message/message.h"

typedef struct actor_client actor_client_t;

// `shards` scene actors may be asked; `deadline_ms` is how long each may take.
actor_client_t *actor_client_create(unsigned shards, int64_t deadline_ms);
// On the thread that asked. Accepts NULL.
void actor_client_destroy(actor_client_t **self);

// Asks whom the operation's row names and waits. On success *message holds the reply, which may be
// a failure (reply.fault). ALL_SHARDS are asked at the same time and merged by distance, then key,
// into the page that num_records and start_record name. A BY_SCENE request without params.scene
// goes record by record to the scene of each record's key, generated where it has none.
// Fails with ERR_UNAVAILABLE where an actor is full, gone or late (*message is NULL or yours),
// with ERR_NOT_FOUND where params.object is nobody's key.
fallible actor_client_ask(actor_client_t *self, struct message **message);

#endif
