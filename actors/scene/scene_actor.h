// scene_actor.h - the actor that owns scenes, objects, locks and registrations of its partitions.
// Its mailbox is called "scene.<shard>"; "streamer", "solver", "relation_actor", "asset" and
// its committer must be there first. Its loader is its own.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_ACTOR_H
#define DIORAMA_ACTORS_SCENE_SCENE_ACTOR_H

#include "actors/alignment/atlas.h"
#include "actors/runtime/actor.h"
#include "actors/runtime/index_records.h"
#include "actors/runtime/request_settings.h"
#include "proto/budget/budget_book.h"
#include "proto/feed/sealed_intake.h"
#include "proto/message/shown.h"
#include "store/store.h"

typedef struct shard shard_t;

struct shard_settings {
    unsigned shard;     // which one it is
    unsigned shards;    // of how many
    uint64_t epoch;     // of this start of the server
    size_t memory;      // bytes of cached objects
    bool needs_token;   // updates by UDP must say who sends them
    bool locks_enforce; // updates must come from the lock's holder
    struct request_settings requests;
    uint32_t history;     // events that are kept of a scene that is watched
    bool events_cascade;  // a scene's delete emits one event per object too
    const char *udp_host; // where devices send their updates
    uint16_t udp_port;
    bool require_sealed;          // a device with another form of feed may not register
    sealed_intake_t *intake;      // borrowed, or NULL: registrations whose datagrams are sealed
    const char *trusted_networks; // where datagrams may go without proof
    budget_book_t *book;          // borrowed, or NULL
    atlas_t *atlas;               // borrowed: what all scene actors know together
    shown_t *shown;               // borrowed, or NULL: what others may read of this one
    uint16_t own_ports[2];        // UDP ports of the server: no device's datagrams may go there
};

// Reads its index from the store and starts.
fallible scene_actor_create(store_t *store, const struct shard_settings *settings,
                            const char *committer, shard_t **ret_shard);
// Lets it finish what is staged (2 s at most), then ends it.
void scene_actor_destroy(shard_t **self, mailbox_t *from);

// What the records of all scene actors are found by in the store.
struct index_family scene_actor_indexes(void);

#endif
