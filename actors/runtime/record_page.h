// record_page.h - a page of stored records: those of a kind in the order of their keys, or those
// that index records lead to, in the order of their values. It is a question and its answer, so it
// can travel to a thread that reads (page_reader.h). Any thread.
#ifndef DIORAMA_ACTORS_RUNTIME_RECORD_PAGE_H
#define DIORAMA_ACTORS_RUNTIME_RECORD_PAGE_H

#include "actors/runtime/index_records.h"

enum { RECORD_PAGE_MOST = 200 };

// The parcel of READ_PAGE and PAGE_READ.
struct record_page {
    struct parcel base;
    // asked:
    const struct index_family *family; // borrowed, for ever
    const struct index_kind *kind;     // of the family: which records
    uint16_t part;
    bool is_by_index;      // `low` and `high` are of index records; else of the records themselves
    bool is_backward;      // from `high` to `low`
    size_t limit;          // 1 to RECORD_PAGE_MOST: keys that are looked at
    size_t most_bytes;     // of their values, and one more; 0 = no bound
    struct key low;        // first key to read; moves behind what was read
    struct key high;       // first key not to read; backward this one moves
    struct message *asker; // a request that waits for the page; owned, or NULL
    // found:
    size_t bytes; // of the values that were looked at
    enum store_result result;
    enum store_result scanned; // how the scan ended: where it is not OK, others may stand behind
    bool is_more; // the limit was reached: the same page, asked again, goes on behind this one
    size_t count;
    const frozen_t **records; // a reference each; NULL = it cannot be read
    struct key *keys;         // where each was found: of the index, or of itself
    size_t room;              // of these arrays
};

// A page of all records of the kind in a part, from the first; at most RECORD_PAGE_MOST.
struct record_page *record_page_of_kind(const struct index_family *family,
                                        const struct index_kind *kind, uint16_t part);
// A page of the records that index records with this prefix lead to (index_prefix and the like).
struct record_page *record_page_by_index(const struct index_family *family,
                                         const struct index_kind *kind, uint16_t part,
                                         const struct key *prefix);
void record_page_destroy(struct record_page **self);

// Forgets what was found; what was asked stays.
void record_page_clear(struct record_page *self);

// Reads it. A record that an index record leads to may be gone or changed a moment later, as it may
// after any reading: one that is gone is left out. `result` is BAD where a record is damaged, which
// is logged; the others are there all the same.
void record_page_read(struct record_page *self, store_t *store, uint64_t deadline_ms);

static inline struct record_page *
record_page_of(struct message *message)
{
    return (struct record_page *)(void *)message->parcel;
}

#endif
