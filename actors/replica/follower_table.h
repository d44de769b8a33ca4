// follower_table.h - the followers that a leader knows, by the identities that ZeroMQ gave their
// connections, and what each of them waits for: one request at most. One thread.
#ifndef DIORAMA_ACTORS_REPLICA_FOLLOWER_TABLE_H
#define DIORAMA_ACTORS_REPLICA_FOLLOWER_TABLE_H

#include "actors/replica/replica_wire.h"

enum {
    FOLLOWERS = 8, // at the same time
    FOLLOWER_IDENTITY_SIZE = 255,
    FOLLOWER_IDLE_MS = 10000, // after that it is forgotten
};

struct follower_identity {
    unsigned char bytes[FOLLOWER_IDENTITY_SIZE];
    size_t size;
};

struct follower {
    struct follower_identity identity; // size 0 = the place is free
    uint64_t heard_ms;                 // when it asked last
    bool is_waiting;
    struct replica_request request; // that it waits for
    uint64_t until_ms;              // LOG: it is answered then at the latest
};

// Embedded; all zero is one without followers.
struct follower_table {
    struct follower rows[FOLLOWERS];
    uint64_t told; // to the gauge
};

// The follower with this identity, which has just asked, or a place for it; NULL where there is
// none.
struct follower *follower_table_take(struct follower_table *self,
                                     const struct follower_identity *identity, uint64_t now_ms);

// Forgets who has not asked for FOLLOWER_IDLE_MS and waits for nothing, and tells the metrics.
void follower_table_forget(struct follower_table *self, uint64_t now_ms);

// Whether anybody waits.
bool follower_table_is_waiting(const struct follower_table *self);

// Nobody is there any more.
void follower_table_finish(struct follower_table *self);

#endif
