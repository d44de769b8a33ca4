// index_records.h - records that lead to other records: by a name, an owner, a time. They are
// written in the commit of the record that they lead to, so they never disagree with it. A kind of
// records has a table of rows; a row says which member (or what made of it) is indexed, and in
// which form it stands in keys, so that a scan is in the order of the values. Pure; any thread.
//
// The key of an index record is KEY_INDEX, the id of its row, the value, and then the key of the
// record without its tag; it has no value. It is in the part of the record (store/README.md).
#ifndef DIORAMA_ACTORS_RUNTIME_INDEX_RECORDS_H
#define DIORAMA_ACTORS_RUNTIME_INDEX_RECORDS_H

#include "actors/runtime/batch.h"
#include "proto/record/record.h"

enum {
    INDEX_VALUE_BYTES = 96, // of a text; what is longer is cut: who looks for it compares records
    INDEX_KINDS_MOST = 8,   // of one family
};

enum index_form {
    INDEX_TEXT,   // a text member; the empty one is not entered
    INDEX_ORDER,  // a text member, the empty one too: for lists in its order
    INDEX_TEXTS,  // each item of a list of texts
    INDEX_NUMBER, // an integer member, 8 bytes that sort as numbers
    INDEX_MADE,   // each of the texts that `make` makes of the record
};

// The texts that a record is found by; NULL = none. They may be in the arena.
typedef const struct texts *index_maker(struct arena *arena, const struct record *record);

// Rows of a kind end with one whose id is 0.
struct index_row {
    uint8_t id; // 1 to 255, of one row of the family, append-only: stored keys have it
    uint8_t form;
    uint8_t member;    // its id in the record; of INDEX_MADE 0
    index_maker *make; // of INDEX_MADE
};

// The row of a table (NULL = empty) with this id; NULL where it has none, and for 0.
const struct index_row *index_row_with_id(const struct index_row *rows, unsigned id);

// A kind of records that is indexed.
struct index_kind {
    key_tag_t tag;
    const struct schema *schema;
    const struct index_row *rows;
};

// All kinds of a family that are indexed, in parts 0 to `parts` - 1.
struct index_family {
    enum family family;
    uint16_t parts;
    size_t count;
    struct index_kind kinds[INDEX_KINDS_MOST];
};

// Called with the key of an index record that is to be put, or deleted.
typedef void index_writer(void *context, const struct key *key, bool is_delete);

// Calls `write` for each index record that must come or go where `after` (NULL = nothing) takes the
// place of `before` (NULL = nothing). `name` is the record's key without its tag.
void index_records_change(const struct index_row *rows, struct bytes name,
                          const struct record *before, const struct record *after,
                          index_writer *write, void *context);

// Puts them into a batch. They are no operations of its room (batch.h). Rows may be NULL.
void index_records_stage(const struct index_row *rows, struct batch *batch, uint16_t part,
                         struct bytes name, const struct record *before,
                         const struct record *after);

// The prefix of all index records of a row; then those with a text, or with a number.
struct key index_prefix(const struct index_row *row);
struct key index_prefix_of_text(const struct index_row *row, const struct text *value);
// The key of the index record of one text and one record.
struct key index_key_of_text(const struct index_row *row, const struct text *value,
                             struct bytes name);
struct key index_prefix_of_number(const struct index_row *row, int64_t value);
// The key of the index record of one record under the prefix of its text or number.
struct key index_key_under(const struct key *prefix, struct bytes name);
// The beginning of all keys whose text begins with this one: for searches by a prefix.
struct key index_prefix_of_beginning(const struct index_row *row, const struct text *beginning);

// Takes such a key apart: the row that wrote it, its kind, and the name of the record. False where
// no row of the family has written it.
bool index_key_read(const struct index_family *family, struct bytes key,
                    const struct index_kind **ret_kind, const struct index_row **ret_row,
                    struct bytes *ret_name);

#endif
