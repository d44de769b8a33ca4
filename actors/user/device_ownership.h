// device_ownership.h - which user a device key belongs to.
#ifndef DIORAMA_ACTORS_USER_DEVICE_OWNERSHIP_H
#define DIORAMA_ACTORS_USER_DEVICE_OWNERSHIP_H

#include "actors/runtime/actor.h"

actor_handler device_claim;
actor_handler device_check;

#endif
