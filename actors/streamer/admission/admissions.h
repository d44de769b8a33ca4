// admissions.h - decides at which address a registered device gets its feed: it takes
// registrations, resolves names, challenges addresses and gives subscribers their endpoints. Used
// by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_ADMISSIONS_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_ADMISSIONS_H

#include "actors/streamer/fanout/subscribers.h"
#include "actors/udp/feed_controls.h"
#include "proto/config/config.h"
#include "proto/feed/event.h"
#include "proto/feed/feed_report.h"

typedef struct admissions admissions_t;

// Challenges are sent through `udp_socket`; sessions of sealed datagrams are admitted to `intake`.
// All arguments are borrowed. Fails with ERR_UNAVAILABLE
// if the resolver's thread cannot be started.
fallible admissions_create(const struct config *config, int udp_socket, subscribers_t *subscribers,
                           sealed_intake_t *intake, admissions_t **ret_admissions);
// The subscribers have ended, as they have devices of these registrations. Accepts NULL.
void admissions_destroy(admissions_t **self);

// Takes an event about registrations: a device registered, is known from an earlier start, or
// deregistered; a scene was deleted. Ignores other events.
void admissions_take(admissions_t *self, const struct event *event);

// Does what a control datagram asks for, or counts the reason why not.
void admissions_control(admissions_t *self, const struct feed_control *control);

// Writes how the feed of a device fares.
void admissions_report(const admissions_t *self, struct feed_item *item);

// Takes the answers of the resolver and sends the challenges that are due.
void admissions_turn(admissions_t *self);

// The time until admissions_turn has something to do.
int admissions_timeout_ms(admissions_t *self);

#endif
