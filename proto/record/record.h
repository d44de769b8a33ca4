// record.h - what can be done to any record by walking its schema.
// Two lives: *loose* records (struct record) are mutable and live in an arena; *frozen* ones
// (frozen_t) are immutable, one block of memory each, reference-counted, and may be read by any
// thread that holds a reference. The two types differ so that the compiler refuses a loose record
// where a reference would be counted in memory that the record does not have.
#ifndef DIORAMA_PROTO_RECORD_RECORD_H
#define DIORAMA_PROTO_RECORD_RECORD_H

#include <assert.h>

#include "proto/base/error.h"
#include "proto/record/schema.h"

// A frozen record; it is read through frozen_record.
typedef struct frozen frozen_t;

// How list members of an update combine with what is stored (`operation`).
enum list_mode { LIST_OVERWRITE, LIST_APPEND, LIST_REMOVE };

// A loose record of `schema` with nothing present.
struct record *record_new(struct arena *arena, const struct schema *schema);

// A loose deep copy. `schema` is the record's own or that of a struct that it begins with (an
// object edit begins with an object): what the larger one adds is left out.
struct record *record_copy(struct arena *arena, const struct schema *schema,
                           const struct record *record);

// A loose copy of the record alone, with all that its struct and its rare part hold: its texts,
// lists and nested records are those of the original.
struct record *record_copy_flat(struct arena *arena, const struct schema *schema,
                                const struct record *record);

// A frozen deep copy in one block with one reference, yours. `schema` as in record_copy.
const frozen_t *record_freeze(const struct schema *schema, const struct record *record);

// Bytes that record_freeze would take for it.
size_t record_frozen_size(const struct schema *schema, const struct record *record);
// The same as record_freeze, where that size is known.
const frozen_t *record_freeze_sized(const struct schema *schema, const struct record *record,
                                    size_t size);

// A copy whose members of fixed size (numbers, bools) may be changed through frozen_edit before
// others see it. One reference, yours.
frozen_t *record_thaw_numbers(const frozen_t *frozen);

// The bits of the number before a frozen record that say that it is packed, and that it is lent
// (record_packed.h).
#define FROZEN_PACKED (UINT32_C(1) << 31)
#define FROZEN_LENT (UINT32_C(1) << 30)
// The bit that says that a packed record has a key, which stands behind a head of 4 bytes: that is
// so of most, and frozen_key needs no form then.
#define FROZEN_KEYED (UINT32_C(1) << 29)

// These bits, and the size of its block.
static inline uint32_t
frozen_word(const frozen_t *self)
{
    return ((const uint32_t *)(const void *)self)[-1];
}

// Whether it is read through frozen_open, not frozen_record.
static inline bool
frozen_is_packed(const frozen_t *self)
{
    return (frozen_word(self) & FROZEN_PACKED) != 0;
}

// What a frozen record that is not packed says, borrowed; NULL of NULL.
static inline const struct record *
frozen_record(const frozen_t *self)
{
    assert(!self || !frozen_is_packed(self));
    return (const struct record *)(const void *)self;
}

static inline struct record *
frozen_edit(frozen_t *self)
{
    return (struct record *)(void *)self;
}

// How every record with a key begins.
struct keyed {
    struct record base;
    const struct text *key;
};

// The field of its key.
const struct field *schema_key_field(const struct schema *self);

static inline const struct text *
record_key(const struct record *record)
{
    return ((const struct keyed *)(const void *)record)->key;
}

// The key of a record that is packed; NULL where it has none.
const struct text *packed_key_text(const frozen_t *self);

// The key of any frozen record.
static inline const struct text *
frozen_key(const frozen_t *self)
{
    uint32_t word = frozen_word(self);
    if (!(word & FROZEN_PACKED))
        return record_key(frozen_record(self));
    const char *behind_head = (const char *)self + sizeof(uint32_t);
    return word & FROZEN_KEYED ? (const struct text *)(const void *)behind_head
                               : packed_key_text(self);
}

// Accepts NULL. Of a lent one it returns a copy that is not.
const frozen_t *record_ref(const frozen_t *frozen);
// Takes the reference: *frozen becomes NULL. Accepts NULL.
void record_unref(const frozen_t **frozen);

// Bytes of the block of a frozen record, as allocated.
size_t record_size(const frozen_t *frozen);

// A loose record: `base` (NULL = nothing) with the members present in `edit` put over it; lists
// combine by `mode` (append leaves duplicates out). FIELD_INPUT, FIELD_DERIVED, FIELD_FIXED and
// FIELD_TRANSIENT members of `edit` do not travel. Fails with ERR_INVALID where an appended list
// passes its limit.
fallible record_merge(struct arena *arena, const struct schema *schema, const struct record *base,
                      const struct record *edit, enum list_mode mode, struct record **ret_merged);

// The same for a record that is frozen, or merged with others, before `base` and `edit` end: its
// texts, lists and nested records are theirs, so it takes the memory of the struct alone.
fallible record_merge_flat(struct arena *arena, const struct schema *schema,
                           const struct record *base, const struct record *edit,
                           enum list_mode mode, struct record **ret_merged);

// Whether `record` has every FIELD_FILTER member present in `filter`: equal, lists contain all.
bool record_matches(const struct record *record, const struct record *filter);
// The same of at least one of the filters.
bool record_matches_any(const struct record *record, const struct records *filters);

// Same present members with the same values.
bool record_equal(const struct record *a, const struct record *b);

// Whether an answer would show the same for this member of two records: an absent one is "", 0,
// false or [].
bool record_shows_equal(const struct field *field, const struct record *a, const struct record *b);

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
