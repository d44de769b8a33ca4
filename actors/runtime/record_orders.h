// record_orders.h - the orders (list_kind.h) of a set of records that somebody has asked for. The
// first list by an order makes its index, in slices; from then on each change of the set is told to
// it. An order that nobody asks for any more goes again, at a change that would cost it something.
#ifndef DIORAMA_ACTORS_RUNTIME_RECORD_ORDERS_H
#define DIORAMA_ACTORS_RUNTIME_RECORD_ORDERS_H

#include "actors/runtime/actor.h"
#include "actors/runtime/ordered_index.h"
#include "actors/runtime/record_set.h"
#include "proto/base/table.h"

struct record_order {
    struct ordered_index index;
    bool is_ready;       // it has all records
    struct text *passed; // of one that is being made: the key up to which it has them; owned
    uint64_t used_ms;    // of clock.h
};

// Embedded; all zero is one without orders.
struct record_orders {
    const struct list_kind *kind;
    struct record_order *orders[LIST_ORDER_COUNT]; // NULL = not asked for
    struct table listed;                           // struct listed by key
    unsigned count;                                // of orders
    size_t bytes;                                  // that all of it takes, about
    size_t freed;                                  // slots of the table that hold nothing any more
    bool is_ending;                                // it is being freed
};

void record_orders_finish(struct record_orders *self);
// Frees some of it; false: nothing is left.
bool record_orders_finish_some(struct record_orders *self);

// Whether the index of an order (not of keys: the set has that) is ready; where it is not, some of
// it is made. The set has the records of `kind`, the same at each call.
bool record_orders_make(struct record_orders *self, const struct list_kind *kind,
                        enum list_order order, struct record_set *set, const actor_t *actor);

// One of an order that is ready.
static inline const struct ordered_index *
record_orders_index(const struct record_orders *self, enum list_order order)
{
    return &self->orders[order]->index;
}

// What is known of a record, or NULL.
const struct listed *record_orders_find(const struct record_orders *self, const struct text *key);

// A record of the set was `old` (NULL = there was none) and is `now` (NULL = there is none).
void record_orders_replace(struct record_orders *self, const frozen_t *old, const frozen_t *now);

#endif
