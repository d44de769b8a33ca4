// asset_shelves.h - what the asset actor keeps, and its state; shared by the files that do its
// work.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_SHELVES_H
#define DIORAMA_ACTORS_ASSET_ASSET_SHELVES_H

#include "actors/asset/asset_actor.h"
#include "actors/asset/asset_family.h"
#include "actors/asset/assets_by_time.h"
#include "actors/asset/scene_lookup.h"
#include "actors/repository/resource.h"
#include "proto/message/partition.h"
#include "proto/records/relationship.h"

// The places of its kinds in the repository.
enum asset_kind { PROJECTS, COLLECTIONS, RELATIONSHIPS, ASSETS, HISTORIES, ASSET_KINDS };

struct asset_actor {
    struct repository repository;
    blobs_t *blobs;                                 // borrowed: the bytes of assets
    struct assets_by_time assets;                   // as they are durable
    struct scene_lookups lookups;                   // of scene actors
    struct record_set to_entities[PARTITION_COUNT]; // relationships to generated keys (gone.c)
};

static inline struct asset_actor *
asset_actor_of(struct repository *repository)
{
    return (struct asset_actor *)(void *)repository;
}

extern const struct resource project_resource;
extern const struct resource collection_resource;
extern const struct resource relationship_resource;
extern const struct resource asset_resource;

// A change of an asset is durable: its bytes are counted for, its place in time is kept.
void assets_committed(struct repository *self, const frozen_t *before, const frozen_t *after);

// --- handlers beside those of resource.h ---

actor_handler group_create;
actor_handler group_update;
actor_handler group_delete;
actor_handler group_add_scene;
actor_handler group_drop_scene;
actor_handler relationship_put;
actor_handler relationship_list;
actor_handler relationship_delete;
actor_handler relationship_bulk;
actor_handler asset_update;
actor_handler asset_list; // params.num_records from params.start_record, by time of creation
actor_handler asset_count;
actor_handler history_get;

// --- relationships, for whoever changes or ends what they relate (links.c) ---

// Stages the end of every relationship that has this key at either end: of an asset, or to a scene,
// an object, anything. The last entity in a handler that may fail before its own writes, for at
// most `others` of which there is room then. Where they do not all fit into one commit they end in
// several: PARKED, and the handler runs again from the start until none is left.
fallible relationship_cascade_end(struct repository *self, struct message *message,
                                  const struct text *key, size_t others);

// Whether an asset can have `more` relationships, at either end; what is no asset can. Fails with
// ERR_CONFLICT.
fallible relationship_cascade_check_room(const struct repository *self, const struct text *key,
                                         size_t more);

// Stages `to` in the place of `from` at both ends of all relationships; the same rules, but all of
// it is one commit, with the caller's `others` writes: ERR_CONFLICT where it would not fit.
fallible relationship_cascade_repoint(struct repository *self, struct message *message,
                                      const struct text *from, const struct text *to,
                                      size_t others);

// --- what is gone from the scenes (gone.c) ---

actor_handler related_gone;
// Keeps in mind which relationships lead to entities in scenes (repository_kind.committed).
void relationship_cleanup_follow(struct repository *repository, const frozen_t *before,
                                 const frozen_t *after);
void relationship_cleanup_finish(struct asset_actor *self);

// --- who may see what (ends.c) ---

// Which of these relationships the caller of `message` may see: those both of whose ends they may
// read. ret_seen[i] is of items[i]; in the message's arena. May park the message: the handler runs
// again from the start.
fallible relationship_access_find_seen(struct repository *self, struct message *message,
                                       const struct record *const *items, size_t count,
                                       bool **ret_seen);

// Whether neither end of what will be written is on its way out: its relationships have ended, and
// a new one would lead nowhere. Fails with ERR_NOT_FOUND.
fallible relationship_access_check_stay(const struct repository *self, const struct record *link);

// Whether the caller may change a relationship that they see: who made it, whose the asset is,
// administrators. Fails with ERR_FORBIDDEN.
fallible relationship_access_check_change(const struct repository *self,
                                          const struct message *message, const struct record *link);

#endif
