// stored_walk.h - goes along a way of a list (list_rows.h) and reads its records, a page at a time.
// Any thread.
#ifndef DIORAMA_ACTORS_RUNTIME_STORED_WALK_H
#define DIORAMA_ACTORS_RUNTIME_STORED_WALK_H

#include "actors/runtime/list_rows.h"
#include "actors/runtime/record_page.h"

// Embedded. With `way` and nothing else it stands before the first record.
struct stored_walk {
    struct list_way way;
    bool is_backward;
    size_t range;             // of the way: where it is
    struct record_page *page; // what was read last, or NULL
    uint64_t looked;          // records so far
};

void stored_walk_finish(struct stored_walk *self);

// Reads the next records, `limit` at most, into `page`; one that is damaged is NULL there. The page
// may be empty. *ret_is_over: there are no more, and no page. Fails as store_error.
fallible stored_walk_next(struct stored_walk *self, const struct index_family *family,
                          const struct index_kind *kind, store_t *store, size_t limit,
                          bool *ret_is_over);

// Whether record `index` of the page stands there for the first time: a record has several words
// that pass a filter, and is found under each.
bool stored_walk_is_first(const struct stored_walk *self, const struct words *words, size_t index);

#endif
