// sorted_records.h - an array of frozen records in the order of their keys. The first eight bytes
// of each key stand beside it: records lie anywhere in memory, and a search looks at those few
// alone whose keys begin alike.
#ifndef DIORAMA_ACTORS_RUNTIME_SORTED_RECORDS_H
#define DIORAMA_ACTORS_RUNTIME_SORTED_RECORDS_H

#include "proto/record/record.h"

// Embedded; all zero is a valid empty array. Whose the references are is its owner's business.
struct sorted_records {
    const frozen_t **items; // behind them stand the beginnings of their keys, in the same block
    size_t count;
    size_t capacity;
};

// Drops every reference.
void sorted_finish(struct sorted_records *self);

// Bytes of its arrays, without the records.
size_t sorted_room(const struct sorted_records *self);

// Index of the first of the first `count` items whose key is not less than `key`.
size_t sorted_place(const struct sorted_records *self, size_t count, const struct text *key);

// Whether it has a record with this key, which stands at *ret_index, or would stand there.
bool sorted_has(const struct sorted_records *self, const struct text *key, size_t *ret_index);

// Makes room for so many, at least.
void sorted_reserve(struct sorted_records *self, size_t capacity);

// The same, and no more.
void sorted_reserve_exactly(struct sorted_records *self, size_t capacity);

// Puts a record into a place within the capacity; what stood there is forgotten.
void sorted_set(struct sorted_records *self, size_t index, const frozen_t *record);

// Moves `count` items from one place to another within the capacity.
void sorted_move(struct sorted_records *self, size_t to, size_t from, size_t count);

void sorted_insert(struct sorted_records *self, size_t index, const frozen_t *record);

// Takes an item out, with its reference.
void sorted_close_gap(struct sorted_records *self, size_t index);

#endif
