// followed_place.h - how far a store has copied a leader, and whether it still does. It is written
// in the commit of what was copied, so it is right whenever the process ends.
#ifndef DIORAMA_ACTORS_REPLICA_FOLLOWED_PLACE_H
#define DIORAMA_ACTORS_REPLICA_FOLLOWED_PLACE_H

#include "actors/replica/replica_wire.h"
#include "store/key.h"

enum followed_state {
    FOLLOWED_NOT, // a store that never followed
    FOLLOWED_NOW,
    FOLLOWED_ONCE, // it was promoted: it leads
};

struct followed_place {
    enum followed_state state;
    struct replica_place leader; // all commits up to there are in it
};

// Fails where the store cannot be read, or a newer version wrote it.
fallible followed_place_read(store_t *store, struct followed_place *ret_place);

enum { FOLLOWED_VALUE_SIZE = 17 }; // state (1), epoch (8), position (8)

// The write that notes the place; `key` and `value` are its bytes.
struct store_operation followed_place_operation(const struct followed_place *place, struct key *key,
                                                unsigned char value[FOLLOWED_VALUE_SIZE]);

// Notes it alone.
fallible followed_place_write(store_t *store, const struct followed_place *place);

#endif
