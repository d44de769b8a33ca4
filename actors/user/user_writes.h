// user_writes.h - records of the user actor that are written to the store while no actor runs (a
// start, another format), with their index records.
#ifndef DIORAMA_ACTORS_USER_USER_WRITES_H
#define DIORAMA_ACTORS_USER_USER_WRITES_H

#include "actors/runtime/record_page.h"
#include "proto/base/buffer.h"

enum { USER_WRITES_DEADLINE_MS = 30000 }; // of each commit and read of a start

// A few records that are written together. Embedded; all zero is empty.
struct user_writes {
    struct buffer values;
    size_t count, room;
    struct user_write *items;
};

void user_writes_finish(struct user_writes *self);

// `after` takes the place of `before`; NULL = nothing. Both are of the kind under this tag.
void user_writes_add(struct user_writes *self, key_tag_t tag, const struct record *before,
                     const struct record *after);

// Writes all in one commit, and is empty then.
fallible user_writes_commit(struct user_writes *self, store_t *store);

// A page of all records under the tag, or of those that the row of its index has under `value`
// (record_page.h).
struct record_page *user_page(key_tag_t tag, unsigned row, const struct text *value);
// The one record with this key.
struct record_page *user_page_of_key(key_tag_t tag, const struct text *key);

// Reads it. OK where records are damaged too: they are NULL.
fallible user_page_read(struct record_page *self, store_t *store);

#endif
