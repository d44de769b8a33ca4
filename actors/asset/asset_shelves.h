// asset_shelves.h - what the asset actor keeps, and its state; shared by the files that do its
// work.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_SHELVES_H
#define DIORAMA_ACTORS_ASSET_ASSET_SHELVES_H

#include "actors/asset/asset_actor.h"
#include "actors/asset/scene_lookup.h"
#include "actors/repository/resource.h"
#include "actors/asset/assets_by_time.h"
#include "proto/message/partition.h"
#include "proto/records/relationship.h"

// The places of its kinds in the ledger.
enum library_kind { PROJECTS, COLLECTIONS, RELATIONSHIPS, ASSETS, HISTORIES, LIBRARY_KINDS };

struct asset_actor {
    struct ledger ledger;
    blobs_t *blobs;                               // borrowed: the bytes of assets
    struct timeline assets;                       // as they are durable
    struct inquiries inquiries;                   // of scene actors
    struct record_set to_things[PARTITION_COUNT]; // relationships to generated keys (gone.c)
};

static inline struct asset_actor *
asset_actor_of(struct ledger *ledger)
{
    return (struct asset_actor *)(void *)ledger;
}

extern const struct resource project_resource;
extern const struct resource collection_resource;
extern const struct resource relationship_resource;
extern const struct resource asset_resource;

// A change of an asset is durable: its bytes are counted for, its place in time is kept.
void assets_landed(struct ledger *self, const struct record *before, const struct record *after);

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
// an object, anything. The last thing in a handler that may fail before its own writes, for at most
// `others` of which there is room then. Where they do not all fit into one commit they end in
// several: PARKED, and the handler runs again from the start until none is left.
fallible links_end(struct ledger *self, struct message *message, const struct text *key,
                   size_t others);

// Whether an asset can have `more` relationships, at either end; what is no asset can. Fails with
// ERR_CONFLICT.
fallible links_check_room(const struct ledger *self, const struct text *key, size_t more);

// Stages `to` in the place of `from` at both ends of all relationships; the same rules, but all of
// it is one commit, with the caller's `others` writes: ERR_CONFLICT where it would not fit.
fallible links_repoint(struct ledger *self, struct message *message, const struct text *from,
                       const struct text *to, size_t others);

// --- what is gone from the scenes (gone.c) ---

actor_handler related_gone;
// Keeps in mind which relationships lead to things in scenes (ledger_kind.landed).
void gone_follow(struct ledger *ledger, const struct record *before, const struct record *after);
void gone_finish(struct asset_actor *self);

// --- who may see what (ends.c) ---

// Which of these relationships the caller of `message` may see: those both of whose ends they may
// read. ret_seen[i] is of items[i]; in the message's arena. May park the message: the handler runs
// again from the start.
fallible ends_find_seen(struct ledger *self, struct message *message,
                        const struct record *const *items, size_t count, bool **ret_seen);

// Whether neither end of what will be written is on its way out: its relationships have ended, and
// a new one would lead nowhere. Fails with ERR_NOT_FOUND.
fallible ends_check_stay(const struct ledger *self, const struct record *link);

// Whether the caller may change a relationship that they see: who made it, whose the asset is,
// administrators. Fails with ERR_FORBIDDEN.
fallible ends_check_change(const struct ledger *self, const struct message *message,
                           const struct record *link);

#endif
