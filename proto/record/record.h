// record.h - what can be done to any record by walking its schema.
// Two lives: *loose* records are mutable and live in an arena; *frozen* ones are immutable, one
// block of memory each, reference-counted, and may be read by any thread that holds a reference.
#ifndef DIORAMA_PROTO_RECORD_RECORD_H
#define DIORAMA_PROTO_RECORD_RECORD_H

#include "proto/base/error.h"
#include "proto/record/schema.h"

// How list members of an update combine with what is stored (decisions 1, `operation`).
enum list_mode { LIST_OVERWRITE, LIST_APPEND, LIST_REMOVE };

// A loose record of `schema` with nothing present.
struct record *record_new(struct arena *arena, const struct schema *schema);

// A loose deep copy. `schema` is the record's own or that of a struct that it begins with (an
// object edit begins with an object): what the larger one adds is left out.
struct record *record_copy(struct arena *arena, const struct schema *schema,
                           const struct record *record);

// A frozen deep copy in one block with one reference, yours. `schema` as in record_copy.
const struct record *record_freeze(const struct schema *schema, const struct record *record);

// Bytes that record_freeze would take for it.
size_t record_frozen_size(const struct schema *schema, const struct record *record);

// A frozen copy with room to change members of fixed size (numbers, bools) before it is published.
struct record *record_thaw_numbers(const struct record *frozen);

// The same of `count` records, at least 1, in one piece of memory that goes with the last of the
// copies: for answers of many, which another thread frees.
void record_thaw_many(const struct record *const *frozen, size_t count, struct record **ret_thawed);

// How every record with a key begins.
struct keyed {
    struct record base;
    const struct text *key;
};

static inline const struct text *
record_key(const struct record *record)
{
    return ((const struct keyed *)(const void *)record)->key;
}

const struct record *record_ref(const struct record *frozen);
// Takes the reference: *record becomes NULL. Accepts NULL.
void record_unref(const struct record **record);

// Bytes of the block of a frozen record, as allocated.
size_t record_size(const struct record *frozen);

// The bytes that record_freeze would take for any record.
size_t record_size_frozen(const struct schema *schema, const struct record *record);

// A loose record: `base` (NULL = nothing) with the members present in `edit` put over it; lists
// combine by `mode` (append leaves duplicates out). FIELD_INPUT, FIELD_DERIVED, FIELD_FIXED and
// FIELD_TRANSIENT members of `edit` do not travel. Fails with ERR_INVALID where an appended list
// passes its limit.
fallible record_merge(struct arena *arena, const struct schema *schema, const struct record *base,
                      const struct record *edit, enum list_mode mode, struct record **ret_merged);

// Whether `record` has every FIELD_FILTER member present in `filter`: equal, lists contain all.
bool record_matches(const struct record *record, const struct record *filter);

// Same present members with the same values.
bool record_equal(const struct record *a, const struct record *b);

// The bits of the fields in which two records of one schema differ.
uint64_t record_differences(const struct record *a, const struct record *b);

// The text member with this id; NULL where it is absent, or no field has the id.
const struct text *record_text(const struct record *self, unsigned id);

// Typed setters for loose records; they mark the field present.
void record_set_text(struct record *self, unsigned id, const struct text *value);
void record_set_integer(struct record *self, unsigned id, int64_t value);

// A list in the arena with room for `capacity` items, count 0.
struct records *records_new(struct arena *arena, size_t capacity);

#endif
