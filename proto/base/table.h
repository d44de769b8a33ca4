// table.h - an open-addressing hash table of pointers: 16 bytes a slot, at most 3/4 full.
// It owns neither keys nor values. One thread.
#ifndef DIORAMA_PROTO_BASE_TABLE_H
#define DIORAMA_PROTO_BASE_TABLE_H

#include <stdbool.h>
#include "proto/base/text.h"

struct table_slot {
    uint64_t hash;
    void *value; // NULL = free
};

// Embedded; all zero is a valid empty table.
struct table {
    struct table_slot *slots;
    size_t capacity; // a power of two, or 0
    size_t count;
};

// Whether `value` is the one that `key` means.
typedef bool table_match(const void *value, const void *key);

uint64_t table_hash_text(const struct text *text);
uint64_t table_hash_u64(uint64_t number);

void table_finish(struct table *self);

// Empties it; the memory stays for the next use.
void table_clear(struct table *self);

void *table_find(const struct table *self, uint64_t hash, table_match *matches, const void *key);

// Puts a value that is not there yet.
void table_add(struct table *self, uint64_t hash, void *value);

// Puts `value` in the place of `old`, which is there under the same hash.
void table_replace(struct table *self, uint64_t hash, const void *old, void *value);

// Takes `value` out; nothing happens where it is not there.
void table_remove(struct table *self, uint64_t hash, const void *value);

// Walks all values: start with *cursor = 0, ends with NULL. The table must not change meanwhile.
void *table_next(const struct table *self, size_t *cursor);

#endif
