// charge_record.h - who is in charge of a store that several processes reach: one record. Its
// holder writes it again and again, which is the beat that others see; who writes it in another's
// place guards the version that it saw, so only one can.
#ifndef DIORAMA_ACTORS_STANDBY_CHARGE_RECORD_H
#define DIORAMA_ACTORS_STANDBY_CHARGE_RECORD_H

#include "store/fence.h"

// Under KEY_CHARGE (fence.h): layout (1), state (1), process (8), place, NUL, name, NUL.

enum { CHARGE_TEXT_SIZE = 96 }; // with its NUL

enum charge_state {
    CHARGE_FREE = 1, // whoever held it has left
    CHARGE_HELD = 2,
};

struct charge {
    enum charge_state state;
    uint64_t process;             // random, drawn at each start
    char place[CHARGE_TEXT_SIZE]; // of its data.dir (charge_place.h); "" = not known
    char name[CHARGE_TEXT_SIZE];  // for people: its HTTP address
};

// A charge as it was read or written. Version 0: nobody ever had it; it is free.
struct seen_charge {
    struct charge charge;
    store_version_t version;
};

// Reads it. STORE_BAD where it is not understood: a newer version of the program wrote it.
enum store_result charge_read(store_t *store, uint64_t deadline_ms, struct seen_charge *ret_seen);

// Puts `charge` where the record still is as `seen`, and notes in `seen` what is there now.
enum store_result charge_write(store_t *store, const struct charge *charge, uint64_t deadline_ms,
                               struct seen_charge *seen);

// The same for who takes another's place, who writes the fence besides (fence.h).
enum store_result charge_seize(store_t *store, const struct charge *charge, uint64_t deadline_ms,
                               struct seen_charge *seen);

#endif
