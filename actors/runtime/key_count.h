// key_count.h - how many records a way of a list (list_rows.h) has, by its keys alone, up to a
// bound. It is counted in slices. Any thread.
#ifndef DIORAMA_ACTORS_RUNTIME_KEY_COUNT_H
#define DIORAMA_ACTORS_RUNTIME_KEY_COUNT_H

#include "actors/runtime/list_rows.h"
#include "proto/base/table.h"

// Embedded; all zero stands before the first key.
struct key_count {
    uint64_t count; // so far
    bool is_over;   // all were counted, or `most`
    size_t range;   // the one that it is in
    bool has_begun; // and in that range, behind `passed`
    struct key passed;
    struct table names; // of the records, where one may stand there several times
    struct arena arena; // of the names
};

void key_count_finish(struct key_count *self);

// Counts some, up to `most` in all. A record counts once. Fails as store_error.
fallible key_count_go_on(struct key_count *self, store_t *store, const struct index_family *family,
                         const struct list_way *way, uint64_t most);

#endif
