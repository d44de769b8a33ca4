// list_gather.h - the first records of a page out of many that come in no order.
#ifndef DIORAMA_ACTORS_RUNTIME_LIST_GATHER_H
#define DIORAMA_ACTORS_RUNTIME_LIST_GATHER_H

#include "proto/message/list_query.h"

struct gathered_record;

// Embedded; all zero is an empty one.
struct list_gather {
    struct gathered_record *items;
    size_t count, capacity;
    size_t skip; // so many of the first are left out of the page
};

void list_gather_finish(struct list_gather *self);

// Takes the record, unless it stands before the page, or enough others stand before it.
void list_gather_add(struct list_gather *self, const struct list_query *query,
                     const frozen_t *record);

// Adds the page to the reply, in order. Returns whether there are records behind it.
bool list_gather_answer(struct list_gather *self, const struct list_query *query,
                        struct message *message);

#endif
