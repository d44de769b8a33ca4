// list_ways.c - counts one way after the other (list_ways.h).
#include "actors/runtime/list_ways.h"

void
list_ways_finish(struct list_ways *self)
{
    key_count_finish(&self->keys);
}

void
list_ways_add(struct list_ways *self, const struct listed_kind *kind,
              const struct list_query *query, const char *user)
{
    for (unsigned i = 0; i < query->filter_count; i++)
        self->items[self->count++] = list_way_of_filter(kind, query, &query->filters[i]);
    if (user && kind->rows->seen)
        self->items[self->count++] = list_way_of_user(kind, user);
}

void
list_ways_measure(struct list_ways *self, uint64_t bound)
{
    key_count_finish(&self->keys);
    self->bound = bound;
    self->measured = 0;
}

fallible
list_ways_go_on(struct list_ways *self, store_t *store, const struct index_family *family,
                bool *ret_is_over)
{
    *ret_is_over = self->measured == self->count;
    if (*ret_is_over)
        return OK;
    TRY(key_count_go_on(&self->keys, store, family, &self->items[self->measured], self->bound));
    if (!self->keys.is_over)
        return OK;
    self->counts[self->measured++] = self->keys.count;
    key_count_finish(&self->keys);
    return OK;
}

const struct list_way *
list_ways_narrowest(const struct list_ways *self, bool *ret_is_exact)
{
    const struct list_way *found = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < self->count; i++)
        if (self->counts[i] < least) {
            found = &self->items[i];
            least = self->counts[i];
        }
    *ret_is_exact = found && least < self->bound;
    return found;
}
