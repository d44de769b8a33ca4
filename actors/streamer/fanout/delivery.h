// delivery.h - datagrams out: lanes whose batches are due are encoded, once for all of their
// devices, and sent to each within its budget (live-feed, "UDP out"). Used by the streamer's thread
// alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_DELIVERY_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_DELIVERY_H

#include "actors/streamer/fanout/subscribers.h"
#include "proto/config/config.h"

typedef struct delivery delivery_t;

// `config`, `udp_socket` and `subscribers` are borrowed; `epoch` numbers this start of the server.
delivery_t *delivery_create(const struct config *config, int udp_socket, uint64_t epoch,
                            subscribers_t *subscribers);
// Accepts NULL.
void delivery_destroy(delivery_t **self);

// Takes an event for the devices of its scene.
void delivery_take(delivery_t *self, const struct event *event);

// Sends what is due, for about a slice. `backlog`: more events wait already.
void delivery_turn(delivery_t *self, bool backlog);

// How long until delivery_turn has something to do, at most `most_ms`.
int delivery_timeout_ms(const delivery_t *self, int most_ms);

// Whether anything waits to be sent, except to devices beyond their budgets.
bool delivery_has_events(const delivery_t *self);

#endif
