// record_set.h - frozen records in the order of their keys: what queries page through. There are
// two sorted arrays: a large one, and a small one that takes insertions. When the small one is
// larger than about the square root of the large one, it is merged into it. So neither many
// creations nor a query pay for a whole sort. What is removed from a very large array is noted in a
// third one first, and leaves with others: closing each gap alone would move megabytes for each of
// thousands. Holds one reference to each record; a few that were removed may live on for a while.
#ifndef DIORAMA_ACTORS_RUNTIME_RECORD_SET_H
#define DIORAMA_ACTORS_RUNTIME_RECORD_SET_H

#include "actors/runtime/sorted_records.h"

// Embedded; all zero is a valid empty set.
struct record_set {
    struct sorted_records main;
    struct sorted_records recent;
    struct sorted_records removed; // they still stand in `main`, which has their references
    size_t removed_bytes;
    size_t bytes; // of the records that are in it
};

// Drops every reference.
void record_set_finish(struct record_set *self);

static inline size_t
record_set_count(const struct record_set *self)
{
    return self->main.count - self->removed.count + self->recent.count;
}

// Bytes of memory that it takes beside its records (`bytes`, and removed ones that live on).
size_t record_set_room(const struct record_set *self);

// The record with this key, borrowed, or NULL.
const frozen_t *record_set_find(const struct record_set *self, const struct text *key);

// Makes room for so many records in all, and no more.
void record_set_reserve(struct record_set *self, size_t count);

// Takes a reference of its own; a record with the same key is replaced and its reference dropped.
void record_set_put(struct record_set *self, const frozen_t *record);

// Drops the record with this key; nothing happens where there is none.
void record_set_remove(struct record_set *self, const struct text *key);

// Takes the last record out: its reference is yours. NULL: the set is empty.
const frozen_t *record_set_take_last(struct record_set *self);

// All records in the order of their keys; *ret_count of them. Valid until the next change.
const frozen_t *const *record_set_items(struct record_set *self, size_t *ret_count);

// Where the first record behind `key` stands among the items.
size_t record_set_place_after(struct record_set *self, const struct text *key);

#endif
