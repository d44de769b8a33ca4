// list_walk.h - goes through the records of a set in one of its orders, from one value to another,
// in either direction, in slices.
#ifndef DIORAMA_ACTORS_RUNTIME_LIST_WALK_H
#define DIORAMA_ACTORS_RUNTIME_LIST_WALK_H

#include "actors/runtime/record_orders.h"
#include "proto/message/list_query.h"

// Takes a record that was found; returns whether more are wanted.
typedef bool list_finder(void *context, const frozen_t *record);

// What a list is made of. Whoever owns the set tells the orders of every change.
struct list_source {
    struct record_set *set;
    struct record_orders *orders;
    // Finds the records that lie in an area, in no order and each once, until no more are wanted.
    // False: the slice is over, and there is more to do. NULL: there is no map.
    bool (*search)(void *map, const struct list_area *area, list_finder *find, void *context);
    void *map;
    // Whether the one who asks may see the record; NULL = they may see all.
    bool (*sees)(const void *viewer, const struct record *record);
    const void *viewer;
};

struct list_walk {
    enum list_order order;
    const struct list_filter *filter; // of the order: only what passes it; NULL = all
    bool backward;
    // Where it goes on in the next slice: behind this value and key.
    bool has_passed;
    uint8_t passed_size;
    char passed[LIST_VALUE_BYTES];
    struct text *passed_key; // owned
    // Of the slice under way:
    const struct ordered_index *index; // NULL: the set itself, by key
    const frozen_t *const *records;
    struct index_place place;
    size_t at, left;
    const struct index_entry *entry;
    const frozen_t *record;
};

// Forgets where it was.
void list_walk_finish(struct list_walk *self);

// Sets where it begins: behind (or, backward, before) this place of its order.
void list_walk_begin_at(struct list_walk *self, const char *value, size_t size,
                        const struct text *key);

// Begins a slice. The order is ready.
void list_walk_resume(struct list_walk *self, const struct list_source *source);
// The next record, borrowed for this slice; NULL at the end.
const frozen_t *list_walk_next(struct list_walk *self);
// Whether the entry under way is the first of its record that passes the filter: a record has
// several words.
bool list_walk_is_first(const struct list_walk *self);
// Ends a slice.
void list_walk_pause(struct list_walk *self);

// How many entries pass the filter (NULL = all).
size_t list_walk_count(const struct list_source *source, enum list_order order,
                       const struct list_filter *filter);

#endif
