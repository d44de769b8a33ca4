// scene_state.h - one scene of a scene actor that is awake (scene_rest.h): its record, devices and
// corrections are in memory, its entities while it is cached (scene_cache.h).
#ifndef DIORAMA_ACTORS_SCENE_SCENE_STATE_H
#define DIORAMA_ACTORS_SCENE_SCENE_STATE_H

#include "actors/runtime/record_orders.h"
#include "actors/runtime/record_set.h"
#include "actors/scene/device/device_evidence.h"
#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/lock_index.h"
#include "proto/base/table.h"
#include "proto/message/message.h"
#include "proto/message/shown.h"
#include "proto/records/scene.h"

struct entity_walk;
struct event_history;
struct lease_list;

// What one user pays for in a scene (scene_holdings.h).
struct holding {
    const struct text *payer; // owned
    int64_t bytes;            // of the newest states, staged ones too
    int64_t counted;          // of the entities that were read so far
    size_t place;             // of its write in the filling batch, or in an older one
};

enum cache_state { SCENE_ON_DISK, SCENE_LOADING, SCENE_IN_MEMORY };

// Where the streaming of a scene's objects is (scene_restream.h).
struct restream {
    const frozen_t *passed; // the object that was streamed last, one reference; NULL = none
    const frozen_t *last;   // of this round, one reference; NULL = the last one that there is
    bool has_next_round;    // another one follows
    const frozen_t *next;   // and this is its last one, one reference
};

struct scene_state {
    unsigned holds;         // the index, each change and each dirty entity hold it
    const struct text *key; // owned
    uint64_t id;            // internal, chosen at creation
    uint16_t part;
    enum cache_state cache_state;
    bool is_indexed;        // its creation is durable, its deletion is not
    bool wakes_whole;       // what is in it is read as soon as it is awake
    bool is_vast;           // what is in it did not fit into memory when it was read last
    bool is_large;          // one read did not bring all that is in it
    bool is_needed_whole;   // whoever waits for that needs all of it, however large it is
    bool is_needed_to_read; // the same, if memory can hold it
    bool is_deleting;       // its delete is staged: ask scene_is_deleting
    bool was_aligned;       // since it woke it has had corrections: the solver may speak of it
    uint64_t seq;           // of its newest event
    const frozen_t *record; // struct scene; NULL until its creation is durable
    uint64_t revision;      // grows when a change of the record or of a device is staged or dropped
    struct record_set devices;
    struct record_set leaving;              // devices that left, some of whose locks are to end
    struct record_set evidence;             // frozen struct correction_record
    struct device_evidence device_evidence; // the same by their devices
    struct record_set entities[ENTITY_KIND_COUNT];
    struct lock_index locks;           // of the objects among them
    struct record_orders orders;       // the same by name, type and so on, for lists
    struct lease_list *leases;         // of all its objects (lease_index.h); NULL: there are none
    int64_t fence, first_fence;        // of this start: newest and first one; 0 = none
    int64_t stored_fence;              // newest one of earlier starts
    size_t fence_place;                // of its write in the filling batch, or in an older one
    struct table holdings;             // struct holding, by its payer
    bool is_count_behind;              // not all of them are in the store, or in a batch
    struct entity_walk *walks;         // through the entities, under way
    struct restream *restream;         // of the objects, under way: they stay in memory
    size_t bytes;                      // of the cached entities
    uint64_t kept_until;               // so many commits have ended: a request waits for room
    struct message_queue waiting;      // for the entities
    unsigned read_apart;               // how often one was read alone since it was large
    unsigned unread;                   // staged while those are on disk, and not durable yet
    struct scene_state *older, *newer; // scenes that are awake, by last use
    struct event_history *history;     // while somebody watches it
    shown_item_t *shown;               // while others may read it (scene_shown.h), or NULL
    bool is_release_queued;            // it is in the release queue (held_locks.h), which holds it
    struct scene_state *next_release;
    uint64_t release_ms; // its turn there, after a failure; 0 = at once
};

// The state of a scene whose record is not applied yet, with one hold, yours.
struct scene_state *scene_state_create(const struct scene *scene);
void scene_hold(struct scene_state *scene);
// Forgets what is left to be streamed. Accepts NULL.
void restream_destroy(struct restream **self);
// Forgets who pays for what.
void holdings_finish(struct table *holdings);
// Frees it with the last hold.
void scene_release(struct scene_state **scene);

#endif
