// list_ways.h - the ways of a list that may be shorter than all records (list_rows.h), and which of
// them is the shortest: by their keys, up to a bound, in slices. Any thread.
#ifndef DIORAMA_ACTORS_RUNTIME_LIST_WAYS_H
#define DIORAMA_ACTORS_RUNTIME_LIST_WAYS_H

#include "actors/runtime/key_count.h"

enum { LIST_WAYS_MOST = LIST_FILTERS_MOST + 1 };

// Embedded; all zero has none.
struct list_ways {
    size_t count;
    struct list_way items[LIST_WAYS_MOST];
    uint64_t counts[LIST_WAYS_MOST]; // of keys that stand there, up to `bound`
    uint64_t bound;
    size_t measured; // so many have their counts
    struct key_count keys;
};

void list_ways_finish(struct list_ways *self);

// Those of the filters of a query, and, where `user` is not NULL, of what the user may see.
void list_ways_add(struct list_ways *self, const struct listed_kind *kind,
                   const struct list_query *query, const char *user);

// Begins to count up to `bound`.
void list_ways_measure(struct list_ways *self, uint64_t bound);
// Counts some; *ret_is_over: all are counted. Fails as store_error.
fallible list_ways_go_on(struct list_ways *self, store_t *store, const struct index_family *family,
                         bool *ret_is_over);

// The one with the fewest keys, or NULL; *ret_is_exact: they are fewer than the bound.
const struct list_way *list_ways_narrowest(const struct list_ways *self, bool *ret_is_exact);

#endif
