// list_gather.c - gathers twice as many as a page has, sorts them, and forgets those behind it.
#include "actors/runtime/list_gather.h"

#include <stdlib.h>

#include "proto/base/memory.h"

struct gathered_record {
    const frozen_t *record; // one reference
    struct list_place place;
};

void
list_gather_finish(struct list_gather *self)
{
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i].record);
    free(self->items);
    *self = (struct list_gather){0};
}

static int
compare(const void *a, const void *b, void *query)
{
    return list_place_compare(query, &((const struct gathered_record *)a)->place,
                              &((const struct gathered_record *)b)->place);
}

// Keeps the first `most`, in order.
static void
keep_first(struct list_gather *self, const struct list_query *query, size_t most)
{
    if (self->count > 1)
        qsort_r(self->items, self->count, sizeof *self->items, compare, (void *)(uintptr_t)query);
    while (self->count > most)
        record_unref(&self->items[--self->count].record);
}

void
list_gather_add(struct list_gather *self, const struct list_query *query, const frozen_t *record)
{
    struct opened room;
    struct list_place place;
    list_place_of(query, frozen_open(record, &room), &place);
    if (query->has_place && list_place_compare(query, &query->place, &place) >= 0)
        return;
    size_t page = self->skip + query->limit + 1;
    if (self->count == self->capacity) {
        if (self->capacity >= 2 * page)
            keep_first(self, query, page);
        else
            self->capacity = self->capacity ? 2 * self->capacity : 64;
        self->items = memory_resize(self->items, self->capacity * sizeof *self->items);
    }
    self->items[self->count++] = (struct gathered_record){record_ref(record), place};
}

bool
list_gather_answer(struct list_gather *self, const struct list_query *query,
                   struct message *message)
{
    size_t end = self->skip + query->limit;
    keep_first(self, query, end + 1);
    for (size_t i = self->skip; i < self->count && i < end; i++)
        reply_add(message, self->items[i].record);
    return self->count > end;
}
