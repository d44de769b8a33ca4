// shown.h - published records: what an actor has answered to a read, any thread may answer to the
// next one without asking. One table for each actor that publishes: it is the only writer; all
// workers of the gateway read. A record that stands for itself (a scene, an asset) says who may
// read it; its *parts* (the objects of a scene) are read by its rule, and are found while it is
// shown. What is not found here is asked of the actor: nobody is refused by this table. Memory is
// bounded in bytes; who was not read lately makes room.
#ifndef DIORAMA_PROTO_MESSAGE_SHOWN_H
#define DIORAMA_PROTO_MESSAGE_SHOWN_H

#include "proto/message/access_item.h"

typedef struct shown shown_t;
typedef struct shown_item shown_item_t;

// The place of a record that is not answered from here, because its answer has more than the
// record. Its parts are.
#define SHOWN_IN_PART UINT64_MAX

// The tables of all actors that publish, borrowed.
struct shown_tables {
    uint64_t epoch;   // of this start: places count from it
    unsigned shards;  // scene actors
    shown_t **scenes; // one of each: scenes, objects, properties
    shown_t *library; // of the asset actor: assets, projects, collections
};

// An empty table of at most `memory` bytes; with 0 nothing is shown.
shown_t *shown_create(size_t memory);
// When nobody reads it any more. Accepts NULL.
void shown_destroy(shown_t **self);

// --- any thread ---

struct shown_reading {
    const frozen_t *record; // one reference, yours
    uint64_t place;         // of its newest event, or SHOWN_IN_PART; 0 of a part
};

// Finds what the actor would answer now to this message, which asks for the record of `schema` with
// this key. False: it is not there, its caller may not see it, or it is being changed; the actor
// knows. `self` may be NULL.
bool shown_read(const shown_t *self, const struct message *message, const struct schema *schema,
                const struct text *key, struct shown_reading *ret_reading);

// --- the actor alone; each accepts NULL as `self` ---

// Shows a record that stands for itself, which has no item yet. `access` borrows from the record.
// The item is kept in *holder until it goes; NULL: there was no room.
void shown_put(shown_t *self, const frozen_t *record, const struct access_item *access,
               uint64_t place, shown_item_t **holder);
// The same where nobody keeps the item.
void shown_put_loose(shown_t *self, const frozen_t *record, const struct access_item *access);
// Shows a part of `whole`.
void shown_put_part(shown_t *self, shown_item_t *whole, const frozen_t *record);

// From here on `record` is what everybody sees under its key.
void shown_change(shown_t *self, shown_item_t *item, const frozen_t *record,
                  const struct access_item *access);
// The same of a part; nothing where it is not shown.
void shown_change_part(shown_t *self, const shown_item_t *whole, const frozen_t *record);
// The newest event of an item that is kept. What it tells of is shown before.
void shown_move(shown_item_t *item, uint64_t place);

// From here on nobody finds the record that has this schema and key.
void shown_remove_key(shown_t *self, const struct schema *schema, const struct text *key);
// The same of exactly this record: one that took its place stays.
void shown_remove_record(shown_t *self, const frozen_t *record);
// The item goes, and nobody finds its parts any more. Takes the same time however many there are:
// their memory goes when they are forgotten, or others need it. Accepts NULL as *holder.
void shown_remove_whole(shown_t *self, shown_item_t **holder);

// Whether somebody has read the item or a part of it since the last such question.
bool shown_was_read(shown_item_t *item);

// Between the two nobody reads: several changes become visible at once. Between turns of the actor
// nothing is begun. Beginning what has begun, and ending what has not, do nothing.
void shown_begin(shown_t *self);
void shown_end(shown_t *self);

// Bytes that it takes, records included.
size_t shown_bytes(const shown_t *self);

#endif
