// list_walk.c - one interface to a set in the order of its keys and to its indexes (list_walk.h).
#include "actors/runtime/list_walk.h"

#include <stdlib.h>

#include "proto/base/words.h"

static const struct ordered_index *
index_of(const struct list_source *source, enum list_order order)
{
    return order == LIST_KEY ? NULL : record_orders_index(source->orders, order);
}

// Where what passes the filter begins, and where it ends.
static struct index_place
low_end(const struct ordered_index *index, const struct list_filter *filter)
{
    if (!filter)
        return (struct index_place){0};
    return ordered_index_seek(index, BOUND_LOW, filter->low, filter->low_size, NULL);
}

static struct index_place
high_end(const struct ordered_index *index, const struct list_filter *filter)
{
    if (!filter)
        return (struct index_place){.slot = index->slot_count};
    if (filter->order == LIST_WORD)
        return ordered_index_seek(index, BOUND_PREFIX, filter->low, filter->low_size, NULL);
    return ordered_index_seek(index, BOUND_HIGH, filter->high, filter->high_size, NULL);
}

static size_t
distance(const struct ordered_index *index, struct index_place from, struct index_place to)
{
    size_t low = ordered_index_rank(index, from), high = ordered_index_rank(index, to);
    return high > low ? high - low : 0;
}

size_t
list_walk_count(const struct list_source *source, enum list_order order,
                const struct list_filter *filter)
{
    const struct ordered_index *index = index_of(source, order);
    if (!index)
        return record_set_count(source->set);
    return distance(index, low_end(index, filter), high_end(index, filter));
}

// --- places ---

void
list_walk_finish(struct list_walk *self)
{
    free(self->passed_key);
    self->passed_key = NULL;
    self->has_passed = false;
}

void
list_walk_begin_at(struct list_walk *self, const char *value, size_t size, const struct text *key)
{
    struct text *passed_key = text_duplicate(key); // it may be the one that is forgotten
    list_walk_finish(self);
    self->passed_size = (uint8_t)size;
    memmove(self->passed, value, size);
    self->passed_key = passed_key;
    self->has_passed = true;
}

void
list_walk_pause(struct list_walk *self)
{
    char room[LIST_VALUE_BYTES];
    const char *value = "";
    size_t size = self->entry ? index_entry_value(self->index, self->entry, room, &value) : 0;
    if (self->record)
        list_walk_begin_at(self, value, size, frozen_key(self->record));
}

static void
resume_in_set(struct list_walk *self, struct record_set *set)
{
    size_t count, place;
    self->records = record_set_items(set, &count);
    place = self->backward ? count : 0;
    if (self->has_passed) {
        place = record_set_place_after(set, self->passed_key);
        if (self->backward && place > 0 &&
            text_equal(frozen_key(self->records[place - 1]), self->passed_key))
            place--;
    }
    self->at = place;
    self->left = self->backward ? place : count - place;
}

static void
resume_in_index(struct list_walk *self)
{
    struct index_place low = low_end(self->index, self->filter);
    struct index_place high = high_end(self->index, self->filter);
    struct index_place *moved = self->backward ? &high : &low;
    if (self->has_passed)
        *moved = ordered_index_seek(self->index, self->backward ? BOUND_AT : BOUND_BEHIND,
                                    self->passed, self->passed_size, self->passed_key);
    self->place = *moved;
    self->left = distance(self->index, low, high);
}

void
list_walk_resume(struct list_walk *self, const struct list_source *source)
{
    self->index = index_of(source, self->order);
    self->entry = NULL;
    self->record = NULL;
    if (self->index)
        resume_in_index(self);
    else
        resume_in_set(self, source->set);
}

// Records lie anywhere in memory: those that come soon are fetched, so that reading them does not
// wait. First what leads to them, then they.
static void
fetch_ahead(const struct list_walk *self)
{
    enum { SOON = 8, SOONER = 4, LINE = 64, LINES = 6 };
    const struct index_slot *slot = &self->index->slots[self->place.slot];
    uint32_t at = self->place.entry;
    uint32_t soon = self->backward ? at - SOON : at + SOON; // below 0: too large
    uint32_t sooner = self->backward ? at - SOONER : at + SOONER;
    if (self->place.slot >= self->index->slot_count || soon >= slot->count)
        return;
    __builtin_prefetch(index_chunk_entry(slot, soon)->listed);
    const char *record = (const void *)index_chunk_entry(slot, sooner)->listed->record;
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch(record + (ptrdiff_t)i * LINE);
}

const frozen_t *
list_walk_next(struct list_walk *self)
{
    enum { SOON = 8 };
    if (self->left == 0)
        return NULL;
    self->left--;
    if (!self->index) {
        self->record = self->records[self->backward ? --self->at : self->at++];
        if (self->left > SOON)
            packed_fetch(self->records[self->backward ? self->at - SOON : self->at + SOON]);
        return self->record;
    }
    self->entry = self->backward ? ordered_index_previous(self->index, &self->place)
                                 : ordered_index_next(self->index, &self->place);
    self->record = self->entry->listed->record;
    fetch_ahead(self);
    return self->record;
}

bool
list_walk_is_first(const struct list_walk *self)
{
    const char *word;
    size_t size, here = 0;
    const struct list_filter *filter = self->filter;
    if (self->order != LIST_WORD || !filter)
        return true;
    const struct listed *listed = self->entry->listed;
    for (size_t at = 0; here < self->entry->which &&
                        words_next(listed->words, listed->words_size, &at, &word, &size);
         here = at)
        if (size >= filter->low_size && memcmp(word, filter->low, filter->low_size) == 0)
            return false;
    return true;
}
