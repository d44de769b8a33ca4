// scene_shard.h - the state of one scene actor: the only writer of its partitions. Only files
// in actors/scene and below include it.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_SHARD_H
#define DIORAMA_ACTORS_SCENE_SCENE_SHARD_H

#include "actors/alignment/scene_relations.h"
#include "actors/runtime/commit_pipeline.h"
#include "actors/runtime/outbox.h"
#include "actors/runtime/record_orders.h"
#include "actors/runtime/record_set.h"
#include "actors/runtime/staging.h"
#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/event_history.h"
#include "actors/scene/geo_index.h"
#include "actors/scene/lease_index.h"
#include "actors/scene/scene_actor.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/store_health.h"
#include "proto/base/table.h"
#include "proto/feed/event.h"

struct cascade;
struct correction_changes;
struct scene_keeper;
struct scene_state;
struct sweep;

struct shard {
    actor_t base;
    store_t *store; // read at the start only; later through committer and loader
    char loader_name[MAILBOX_NAME_SIZE], sweeper_name[MAILBOX_NAME_SIZE];
    loader_t *loader;  // reads for requests
    loader_t *sweeper; // for sweeps and for lists of uses, which hold no other request up
    struct shard_settings settings;
    uint64_t next_id;  // of messages to the loader
    uint64_t begun_us; // of clock.h
    uint64_t stop_deadline_ms;

    struct table scenes;              // struct scene_state of durable scenes that are awake, by key
    struct table waking;              // struct scene_state by id, of those that are being read
    struct table copied_scenes;       // records by id, where the server follows (scene_copy.h)
    bool knows_copied;                // those that were read at the start are there
    struct table rested;              // newest events of scenes at rest, by id (scene_rest.h)
    uint64_t risen;                   // how many have woken
    struct record_set catalogue;      // their records
    struct record_orders orders;      // the same by name, region and so on, for lists
    struct geo_index map;             // those of scenes that have a place on it
    struct scene_keeper *keepers;     // of the queries that pause
    struct table entities;            // cached entities with a generated key, by it
    struct table tokens;              // devices by the hash of their tokens, one reference
    struct table heard;               // those of them that were heard (token_index.c)
    uint64_t heard_us;                // calendar: when the datagrams came that are being applied
    struct table users;               // who have devices in scenes (user_index.h)
    size_t counts[ENTITY_KIND_COUNT]; // of all cached entities
    size_t leaving_scenes;            // whose entities are being freed (entity_cache.h)
    struct table loading;             // struct scene_state by id, cache_state SCENE_LOADING
    struct table lookups;             // struct lookup by id
    struct table apart;               // entities that are read apart, by key (entity_apart.h)
    uint64_t seq_floor;    // newest seq of a deleted scene: a new one counts on from here
    uint64_t commits;      // how many have ended
    size_t scenes_on_disk; // how many scenes are not cached
    struct scene_state *oldest, *newest; // scenes that are awake, by last use
    size_t in_use;                       // how many are in this order
    size_t bytes;                        // of all cached entities

    struct staging staging;
    struct commit_pipeline pipeline;
    struct outbox outbox;
    struct repeats repeats;
    struct correction_changes *changes; // of corrections, to the solver
    struct scene_relations relations;   // how scenes relate, for answers
    size_t corrections;                 // of all scenes
    size_t devices;                     // registrations in all scenes
    struct store_health health;
    struct message *applying;          // updates by UDP of which some are applied, or NULL
    struct message_queue applied_next; // those that came behind them (udp_updates.h)
    struct table waiting_edits;        // newest ones by the key of their entity (waiting_edits.h)
    size_t waiting_edit_count, waiting_edit_bytes; // of all that wait
    struct table dirty;                            // struct dirty by key
    uint64_t dirty_deadline_ms;        // when the oldest dirty entity must be on its way; 0 = none
    struct events *events;             // of this turn, in order
    struct event_histories histories;  // of the scenes that somebody watches
    struct cascade *cascades;          // of deleted scenes, under way
    struct sweep *sweeps, *last_sweep; // of deleted scenes, the first one under way
    uint64_t sweep_retry_ms;           // after a failure; 0 = none
    struct scene_state *release_queue; // scenes with locks of devices that left (held_locks.h)
    struct scene_state **release_queue_end; // where the next one goes
    struct scene_state *releasing;          // the one whose slice is under way
    uint64_t release_ms;                    // when the next one is due; 0 = at once
    struct lease_index leases;
    bool is_ending_leases; // a slice of those that have ended is under way
    int64_t fence_floor;   // newest fence of the deleted scenes

    struct {
        uint64_t scenes, scenes_loaded, entities[ENTITY_KIND_COUNT], bytes, records, corrections,
            devices, shown;
    } told; // to the metrics, of what this shard holds
};

static inline struct shard *
shard_of(actor_t *actor)
{
    return (struct shard *)(void *)actor;
}

#endif
