// charge_hold.h - takes charge of a shared store and keeps it: from then on nobody else writes to
// it. Main's thread, before anything is read that only its owner may change.
#ifndef DIORAMA_ACTORS_STANDBY_CHARGE_HOLD_H
#define DIORAMA_ACTORS_STANDBY_CHARGE_HOLD_H

#include "actors/standby/charge_keeper.h"
#include "actors/standby/charge_take.h"

// Takes charge as charge_take does, begins to beat (`replaced` as in charge_keeper.h), and fences
// the committers of whoever was in charge before. Of a store that is this process's alone it does
// nothing. `*ret_keeper` is to be destroyed also where that failed later on.
fallible charge_hold(const struct charge_taking *taking, void (*replaced)(void),
                     charge_keeper_t **ret_keeper);

// The same for a tool, which does not wait for a server that lives: ERR_UNAVAILABLE then.
fallible charge_hold_soon(store_t *store, const struct config *config, void (*replaced)(void),
                          charge_keeper_t **ret_keeper);

#endif
