// partition_reader.h - reads partitions of the family "scene" at the start, several at once, on
// threads of its own that decode what they read. What is in scenes (entities and their look-ups) is
// passed over. A reader belongs to one scene actor, which takes partition after partition.
#ifndef DIORAMA_ACTORS_SCENE_PARTITION_READER_H
#define DIORAMA_ACTORS_SCENE_PARTITION_READER_H

#include "actors/scene/scene_family.h"
#include "proto/record/record.h"

typedef struct partition_reader partition_reader_t;

// One record: of the fields behind `tag` those are set that the tag has.
struct partition_row {
    key_tag_t tag;
    uint64_t scene_id;       // of the scene, or of the one that it is in
    const struct text *text; // behind the id, in the arena of the partition; NULL = there is none
    const frozen_t *record;  // one reference, where the tag has a schema; packed of scene, device
    uint64_t number;         // the value, where it is a number
    bool has_number;
    struct bytes key, value; // of KEY_OUTBOX and KEY_REPEAT as they are stored, in the arena
};

struct partition_found {
    uint16_t part;
    struct partition_row *rows; // by tag and key
    size_t count, capacity;
    struct arena arena;
    enum store_result result;
    key_tag_t failed; // under this tag, where the result is not STORE_OK
    struct partition_found *next;
};

// Begins to read the partitions of a scene actor: those whose number modulo `shards` is `shard`.
partition_reader_t *partition_reader_create(store_t *store, unsigned shard, unsigned shards);

// Waits for the next partition, in any order; NULL: all have been taken. It is yours.
struct partition_found *partition_reader_take(partition_reader_t *self);

void partition_found_destroy(struct partition_found **self);
// Ends its threads. Accepts NULL.
void partition_reader_destroy(partition_reader_t **self);

#endif
