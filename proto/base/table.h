// table.h - an open-addressing hash table of pointers: 12 bytes a slot, at most 3/4 full, and a
// large one at least 3/5 as long as nothing leaves it. It owns neither keys nor values. One thread.
// No addition takes long: a large table that grows moves its values a few at a time.
#ifndef DIORAMA_PROTO_BASE_TABLE_H
#define DIORAMA_PROTO_BASE_TABLE_H

#include <stdbool.h>

#include "proto/base/text.h"

struct table_slot {
    uint32_t hash; // half of it, folded
    void *value;   // NULL = free
} __attribute__((packed, aligned(4)));

struct table_slots {
    struct table_slot *items;
    size_t capacity;
};

// The slots that a table had before it grew, while some of its values are in them.
struct table_move;

// Embedded; all zero is a valid empty table.
struct table {
    struct table_slots slots;
    size_t count;
    struct table_move *move; // NULL = all values are in `slots`
};

// Whether `value` has this key.
typedef bool table_match(const void *value, const void *key);

// Keyed with a secret of the process: nobody outside can choose keys that collide, and no hash may
// be stored.
uint64_t table_hash_text(const struct text *text);
uint64_t table_hash_chars(const char *chars);
uint64_t table_hash_u64(uint64_t number);

void table_finish(struct table *self);

// Empties it; the memory stays for the next use.
void table_clear(struct table *self);

void *table_find(const struct table *self, uint64_t hash, table_match *matches, const void *key);

// Adds a value that is not in the table yet.
void table_add(struct table *self, uint64_t hash, void *value);

// Replaces `old`, which is in the table under the same hash, by `value`.
void table_replace(struct table *self, uint64_t hash, const void *old, void *value);

// Removes `value`; does nothing if it is not in the table.
void table_remove(struct table *self, uint64_t hash, const void *value);

// Walks all values: start with *cursor = 0; the end is NULL. The table must not change meanwhile.
void *table_next(const struct table *self, size_t *cursor);

#endif
