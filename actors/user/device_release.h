// device_release.h - gives up the device keys of a user who is gone, page by page, in commits of
// their own: there may be a hundred thousand. A record says that it is to be done, from the commit
// that removes the user until all are given up, also over a kill. The keys are free all that time
// (device_ownership.c). The user actor's thread.
#ifndef DIORAMA_ACTORS_USER_DEVICE_RELEASE_H
#define DIORAMA_ACTORS_USER_DEVICE_RELEASE_H

#include "actors/runtime/actor.h"

struct repository;
struct user_actor;

// Stages that the keys of the user are given up: one operation, for which there is room.
void device_release_stage(struct repository *repository, struct message *message,
                          const struct text *user);

// Begins with the next of those who are gone. At the end of each turn.
void device_release_turn(struct user_actor *self);
// When a turn is due for that though no message arrives; -1 = never.
int device_release_timeout_ms(struct user_actor *self);

// For the actor's row of DEVICES_RELEASE.
actor_handler device_release;
bool device_release_goes_on(struct message *message);

#endif
