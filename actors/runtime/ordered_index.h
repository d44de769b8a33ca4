// ordered_index.h - records in the order of a value (list_kind.h), and of their keys where that is
// the same: what lists page through. Entries stand in chunks, so that none of them moves far; the
// first 16 bytes of each value stand beside it. It knows records by `struct listed`, which stays
// while records are replaced by others with the same value: that costs the index nothing.
#ifndef DIORAMA_ACTORS_RUNTIME_ORDERED_INDEX_H
#define DIORAMA_ACTORS_RUNTIME_ORDERED_INDEX_H

#include "proto/records/list_kind.h"

// A record of the set that is indexed.
struct listed {
    const frozen_t *record; // as it is now, borrowed
    char *words;            // words_size bytes of words (words.h), owned; NULL: not made
    uint16_t words_size;
};

struct index_entry {
    uint64_t beginning[2]; // the first 16 bytes of the value, as numbers that compare like it
    struct listed *listed;
    uint32_t which; // of tags: which one; of words: where in `words` it stands
};

enum { CHUNK_ENTRIES = 256 };

struct index_chunk {
    struct index_entry entries[CHUNK_ENTRIES];
};

struct index_slot {
    struct index_chunk *chunk;
    uint32_t count;
};

static inline const struct index_entry *
index_chunk_entry(const struct index_slot *slot, uint32_t entry)
{
    return &slot->chunk->entries[entry];
}

// Embedded; ordered_index_init makes an empty one.
struct ordered_index {
    const struct field *field; // the member whose value it is; NULL: words
    enum list_order order;
    struct index_slot *slots;
    size_t slot_count, slot_capacity;
    size_t count;
};

// A place between entries: before entry `entry` of chunk `slot`.
struct index_place {
    size_t slot;
    uint32_t entry;
};

void ordered_index_init(struct ordered_index *self, const struct list_kind *kind,
                        enum list_order order);
void ordered_index_finish(struct ordered_index *self);
// Frees some of it, from the end; false: nothing is left.
bool ordered_index_finish_some(struct ordered_index *self);

// Enters all values of a record, or takes them out: its record is the one that was entered.
void ordered_index_add(struct ordered_index *self, struct listed *listed);
void ordered_index_remove(struct ordered_index *self, struct listed *listed);

// Which entries a place is behind.
enum index_bound {
    BOUND_LOW,    // those with smaller values
    BOUND_HIGH,   // those with this value too
    BOUND_PREFIX, // those whose value begins with this too
    BOUND_AT,     // those with smaller values, or this one and smaller keys
    BOUND_BEHIND, // the same, and the one with this key
};

struct index_place ordered_index_seek(const struct ordered_index *self, enum index_bound bound,
                                      const char *value, size_t size, const struct text *key);
// How many entries are before the place.
size_t ordered_index_rank(const struct ordered_index *self, struct index_place place);
// The entry behind the place, which moves behind it; NULL at the end.
const struct index_entry *ordered_index_next(const struct ordered_index *self,
                                             struct index_place *place);
// The entry before the place, which moves before it; NULL at the beginning.
const struct index_entry *ordered_index_previous(const struct ordered_index *self,
                                                 struct index_place *place);

// The value of an entry: borrowed, or written into `room`. Returns its size.
size_t index_entry_value(const struct ordered_index *self, const struct index_entry *entry,
                         char room[LIST_VALUE_BYTES], const char **ret_value);

#endif
