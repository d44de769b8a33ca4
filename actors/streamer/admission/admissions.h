// admissions.h - who is admitted to which stream at which address (live-feed, "Who may be sent
// to"): registrations come in, names are resolved, addresses are challenged, subscribers get
// endpoints. Used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_ADMISSIONS_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_ADMISSIONS_H

#include "actors/streamer/fanout/subscribers.h"
#include "actors/udp/feed_controls.h"
#include "proto/config/config.h"
#include "proto/feed/event.h"

typedef struct admissions admissions_t;

// Challenges leave by the UDP socket; it, `config` and `subscribers` are borrowed. Fails with
// ERR_UNAVAILABLE where there is no thread for the resolver.
fallible admissions_create(const struct config *config, int udp_socket, subscribers_t *subscribers,
                           admissions_t **ret_admissions);
// Accepts NULL.
void admissions_destroy(admissions_t **self);

// Takes an event that says who listens to which scene: devices that are registered, are so since an
// earlier start, leave; scenes that are deleted. Others mean nothing to it.
void admissions_take(admissions_t *self, const struct event *event);

// Does what a device says about its feed; what it may not say is counted by reason.
void admissions_control(admissions_t *self, const struct feed_control *control);

// Takes what became known of addresses meanwhile, and sends the challenges that are due.
void admissions_turn(admissions_t *self);

// How long admissions_turn may wait at most.
int admissions_timeout_ms(admissions_t *self);

#endif
