// dense_table.h - a hash table of pointers that takes 10 bytes a value, where table.h takes 16 to
// 20: for what there are millions of. Its parts grow one by one, so no addition takes long. It owns
// neither keys nor values. One thread.
#ifndef DIORAMA_PROTO_BASE_DENSE_TABLE_H
#define DIORAMA_PROTO_BASE_DENSE_TABLE_H

#include "proto/base/table.h"

struct dense_part;

// Embedded; all zero is a valid empty table. Hashes are those of table.h.
struct dense_table {
    struct dense_part *parts; // NULL = none yet
    size_t count;
};

void dense_table_finish(struct dense_table *self);

void *dense_table_find(const struct dense_table *self, uint64_t hash, table_match *matches,
                       const void *key);

// Adds a value that is not in the table yet.
void dense_table_add(struct dense_table *self, uint64_t hash, void *value);

// Replaces `old` by `value`, which has the same hash; does nothing if `old` is not in the table.
void dense_table_replace(struct dense_table *self, uint64_t hash, const void *old, void *value);

// Removes `value`; does nothing if it is not in the table.
void dense_table_remove(struct dense_table *self, uint64_t hash, const void *value);

// Walks all values: start with *cursor = 0; the end is NULL. The table must not change meanwhile.
void *dense_table_next(const struct dense_table *self, size_t *cursor);

// Bytes of memory that it takes.
size_t dense_table_size(const struct dense_table *self);

#endif
