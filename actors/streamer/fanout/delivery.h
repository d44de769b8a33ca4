// delivery.h - sends datagrams: it encodes each lane whose batch is due, once for all its devices,
// and sends the result to each device within its budget. Used by the streamer's thread alone.
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

// Takes an event that devices are not sent.
void delivery_note(delivery_t *self, const struct event *event);

// Sends what is due, for about 4 ms. `backlog`: more events wait in the mailbox.
void delivery_turn(delivery_t *self, bool backlog);

// In place of a turn while nothing is to be sent: of what comes the newest state waits.
void delivery_rest(delivery_t *self);

// The time until delivery_turn has something to do, at most `most_ms`.
int delivery_timeout_ms(const delivery_t *self, int most_ms);

// Whether events wait to be sent, except to devices that are behind.
bool delivery_has_events(const delivery_t *self);

#endif
