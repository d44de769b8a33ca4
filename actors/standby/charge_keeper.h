// charge_keeper.h - keeps the charge of a shared store: a thread that beats, and so extends the
// lease; that finds out when another process has taken the place; and that leaves it in order.
#ifndef DIORAMA_ACTORS_STANDBY_CHARGE_KEEPER_H
#define DIORAMA_ACTORS_STANDBY_CHARGE_KEEPER_H

#include "actors/standby/charge_record.h"

typedef struct charge_keeper charge_keeper_t;

// `seen` is what charge_take has written. `replaced` is called once, on the keeper's thread, when
// the place was taken, by its record or by the fence of a committer (lane.h); the lease is lost
// then. The store is borrowed.
fallible charge_keeper_create(store_t *store, const struct seen_charge *seen,
                              void (*replaced)(void), charge_keeper_t **ret_keeper);

// Ends the beat. Where the place is still this process's it is given up, so that who stands by need
// not wait; after everything else of the process was written. Accepts NULL.
void charge_keeper_destroy(charge_keeper_t **self);

#endif
