// standby.h - the part of a start in which another server may be in charge of the database: the
// process waits, answers that it does, and takes charge. Main's thread.
#ifndef DIORAMA_TOOLS_STANDBY_H
#define DIORAMA_TOOLS_STANDBY_H

#include "actors/standby/charge_hold.h"
#include "gateway/gateway.h"
#include "proto/config/config.h"
#include "store/store.h"

struct standby {
    struct config *config;   // as started; the port that the system chose is noted in it
    bool (*must_end)(void);  // whether the process is told to end
    void (*replaced)(void);  // another server took the place (charge_keeper.h)
    budget_book_t *book;     // NULL: none is needed before there are actors
    struct config quiet;     // of the gateway below
    gateway_t *gateway;      // while it stands by, and until the other one is made
    charge_keeper_t *keeper; // NULL: nobody else reaches the store
    bool has_listened;       // it has stood by
    store_t *store;          // borrowed, while it waits
    uint64_t looked_ms;      // when it last looked for the bytes of assets
};

// Takes charge of a store that others reach, or waits until it can; of another one it does nothing.
// Fails with ERR_UNAVAILABLE when it must end.
fallible standby_take_charge(struct standby *self, store_t *store);

// Frees the port for the gateway that serves.
void standby_stop_listening(struct standby *self);

// Gives the charge up, before the store is closed.
void standby_finish(struct standby *self);

#endif
