// charge_take.h - takes charge of a shared store, or stands by until it can: while another process
// is in charge and says so. Main's thread, before anything is read that only its owner may change.
#ifndef DIORAMA_ACTORS_STANDBY_CHARGE_TAKE_H
#define DIORAMA_ACTORS_STANDBY_CHARGE_TAKE_H

#include "actors/standby/charge_record.h"
#include "proto/config/config.h"

struct charge_taking {
    store_t *store;
    const struct config *config;
    // Asked again and again while it stands by, with the name of who is in charge: an error ends
    // the wait.
    fallible (*stands_by)(void *context, const char *name);
    void *context;
};

// Takes the place at once where nobody ever had it, or whoever had it has left, or had the same
// data.dir and is gone; else when its holder has said nothing for LEASE_SILENT_MS, also where its
// record was removed. The lease begins then, and what this process writes is fenced (fence.h);
// *ret_seen is for charge_keeper_create.
// Fails with the error of `stands_by`, or with ERR_UNAVAILABLE where a newer version is in charge.
fallible charge_take(const struct charge_taking *taking, struct seen_charge *ret_seen);

#endif
