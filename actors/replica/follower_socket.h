// follower_socket.h - the ROUTER that followers connect to: takes requests, sends answers. All that
// a peer can make grow has a maximum: a frame that is too large ends its connection, and what it
// does not read is dropped. One thread.
#ifndef DIORAMA_ACTORS_REPLICA_FOLLOWER_SOCKET_H
#define DIORAMA_ACTORS_REPLICA_FOLLOWER_SOCKET_H

#include "actors/replica/follower_table.h"
#include "actors/runtime/curve_folder.h"

typedef struct follower_socket follower_socket_t;

// Binds the endpoint. With CURVE only followers whose key is in the folder may connect; it is
// borrowed. Fails with ERR_UNAVAILABLE.
fallible follower_socket_create(const char *endpoint, const struct curve_folder *keys,
                                follower_socket_t **ret_socket);
void follower_socket_destroy(follower_socket_t **self); // Accepts NULL.

// With the port that the system chose.
const char *follower_socket_endpoint(const follower_socket_t *self);

// Ends all connections, since ZeroMQ cannot end one: who may connect comes again by itself. Fails
// where the endpoint could not be bound again: nothing comes then, until another attempt succeeds.
fallible follower_socket_reopen(follower_socket_t *self);

// For zmq_poll; NULL while it is not bound.
void *follower_socket_handle(const follower_socket_t *self);

// Takes a request that is there: false if there is none. Its bytes are in `ret_request`, none if it
// is no request by its form.
bool follower_socket_receive(follower_socket_t *self, struct follower_identity *ret_from,
                             struct buffer *request);

// Sends an answer; it is dropped where the peer is gone, or did not read the last ones.
void follower_socket_send(follower_socket_t *self, const struct follower_identity *to,
                          const struct buffer *head, const struct buffer *bytes);

#endif
