// actor_client.h - asks actors: the operation's row names the mailbox; each question has a
// correlation id and a deadline. One client per worker, used by its thread only; all of them share
// the mailboxes.
#ifndef DIORAMA_GATEWAY_REQUEST_ACTOR_CLIENT_H
#define DIORAMA_GATEWAY_REQUEST_ACTOR_CLIENT_H

#include "gateway/request/asker.h"
#include "gateway/request/question_boxes.h"
#include "gateway/request/shown_reads.h"
#include "proto/message/message.h"

typedef struct actor_client actor_client_t;

// There are `shards` scene actors; each answer may take `deadline_ms`. `boxes` and `shown` (or
// NULL) outlive it.
actor_client_t *actor_client_create(question_boxes_t *boxes, const struct shown_tables *shown,
                                    unsigned shards, int64_t deadline_ms);
// Accepts NULL.
void actor_client_destroy(actor_client_t **self);

// Asks the actor that the operation's row names and waits; what the actor publishes is read
// instead, where it is found (shown_reads.h). The caller of the message is whoever `asker` is at
// this moment (it only keeps takes_device). On success *message holds the reply, which may be a
// failure (reply.fault). ALL_SHARDS are asked at the same time; their records are merged by
// distance, then key, into the page that num_records and start_record name. A BY_SCENE request
// without params.scene is split: each record goes to the scene of its own key, which is generated
// if absent. Fails with ERR_UNAVAILABLE if an actor is full, gone or late (*message is NULL or
// yours), with ERR_NOT_FOUND if params.object cannot be a key; as asker_identify does.
fallible actor_client_ask(actor_client_t *self, const struct asker *asker,
                          struct message **message);

#endif
