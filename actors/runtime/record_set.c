// record_set.c - ordered sets of frozen records (record_set.h).

#include "actors/runtime/record_set.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECENT_LEAST = 64,
    MOVED_AT_ONCE = 4096,    // pointers, to close a gap
    REMOVED_BYTES = 1 << 20, // of records that have been removed, and live
};

static void
erase(struct record_set *set, struct sorted_records *self, size_t index)
{
    set->bytes -= record_size(self->items[index]);
    record_unref(&self->items[index]);
    sorted_close_gap(self, index);
}

static bool
is_many(const struct record_set *self, const struct sorted_records *few)
{
    size_t many = few->count > RECENT_LEAST ? few->count : 0;
    return many * many > self->main.count * 4;
}

// --- what was removed ---

static bool
is_removed(const struct record_set *self, const struct text *key, size_t *ret_index)
{
    return self->removed.count > 0 && sorted_has(&self->removed, key, ret_index);
}

// Closes all gaps; every pointer moves once.
static void
drop_removed(struct record_set *self)
{
    struct sorted_records *main = &self->main, *removed = &self->removed;
    size_t from = 0, to = 0;
    for (size_t i = 0; i <= removed->count; i++) {
        size_t gap = i < removed->count
                         ? sorted_place(main, main->count, frozen_key(removed->items[i]))
                         : main->count;
        sorted_move(main, to, from, gap - from);
        to += gap - from;
        from = gap + 1;
    }
    main->count = to;
    sorted_finish(removed); // with the references that stood in `main`
    self->removed_bytes = 0;
}

static void
remove_from_main(struct record_set *self, size_t index, const struct text *key)
{
    struct sorted_records *main = &self->main;
    size_t place = 0;
    if (is_removed(self, key, &place))
        return;
    if (main->count - index <= MOVED_AT_ONCE) {
        erase(self, main, index);
        return;
    }
    self->bytes -= record_size(main->items[index]);
    self->removed_bytes += record_size(main->items[index]);
    sorted_insert(&self->removed, place, main->items[index]);
    if (is_many(self, &self->removed) || self->removed_bytes > REMOVED_BYTES)
        drop_removed(self);
}

// A record with the key of one that was removed comes into its place.
static void
take_back(struct record_set *self, size_t place, size_t index)
{
    self->bytes += record_size(self->main.items[index]);
    self->removed_bytes -= record_size(self->main.items[index]);
    sorted_close_gap(&self->removed, place);
}

// --- what came ---

// Merges from the back, so that every pointer moves once. Records lie anywhere in memory: only
// those that a binary search meets are looked at.
static void
merge_recent(struct record_set *self)
{
    struct sorted_records *main = &self->main, *recent = &self->recent;
    sorted_reserve(main, main->count + recent->count);
    size_t left = main->count;
    main->count += recent->count;
    while (recent->count > 0) {
        const frozen_t *last = recent->items[recent->count - 1];
        size_t place = sorted_place(main, left, frozen_key(last));
        sorted_move(main, place + recent->count, place, left - place);
        recent->count--;
        sorted_set(main, place + recent->count, last);
        left = place;
    }
}

// All stand in `main` then, and nothing else.
static void
tidy(struct record_set *self)
{
    if (self->removed.count > 0)
        drop_removed(self);
    if (self->recent.count > 0)
        merge_recent(self);
}

// --- the set ---

void
record_set_finish(struct record_set *self)
{
    free(self->removed.items);
    self->removed = (struct sorted_records){0};
    self->removed_bytes = self->bytes = 0;
    sorted_finish(&self->main);
    sorted_finish(&self->recent);
}

size_t
record_set_room(const struct record_set *self)
{
    return sorted_room(&self->main) + sorted_room(&self->recent) + sorted_room(&self->removed);
}

const frozen_t *
record_set_find(const struct record_set *self, const struct text *key)
{
    size_t index, place;
    if (sorted_has(&self->main, key, &index))
        return is_removed(self, key, &place) ? NULL : self->main.items[index];
    if (sorted_has(&self->recent, key, &index))
        return self->recent.items[index];
    return NULL;
}

static bool
is_last(const struct record_set *self, const struct text *key)
{
    const struct sorted_records *main = &self->main;
    return self->recent.count == 0 &&
           (main->count == 0 || text_compare(frozen_key(main->items[main->count - 1]), key) < 0);
}

void
record_set_reserve(struct record_set *self, size_t count)
{
    sorted_reserve_exactly(&self->main, count);
}

void
record_set_put(struct record_set *self, const frozen_t *record)
{
    const struct text *key = frozen_key(record);
    struct sorted_records *sides[] = {&self->main, &self->recent};
    record_ref(record);
    self->bytes += record_size(record);
    if (is_last(self, key)) { // as when they are read from the store
        sorted_insert(&self->main, self->main.count, record);
        return;
    }
    size_t index = 0, place;
    for (size_t i = 0; i < 2; i++)
        if (sorted_has(sides[i], key, &index)) {
            if (i == 0 && is_removed(self, key, &place))
                take_back(self, place, index);
            self->bytes -= record_size(sides[i]->items[index]);
            record_unref(&sides[i]->items[index]);
            sides[i]->items[index] = record; // its key begins as before
            return;
        }
    sorted_insert(&self->recent, index, record);
    if (is_many(self, &self->recent))
        merge_recent(self);
}

void
record_set_remove(struct record_set *self, const struct text *key)
{
    size_t index;
    if (sorted_has(&self->main, key, &index))
        remove_from_main(self, index, key);
    else if (sorted_has(&self->recent, key, &index))
        erase(self, &self->recent, index);
}

const frozen_t *
record_set_take_last(struct record_set *self)
{
    tidy(self);
    if (self->main.count == 0)
        return NULL;
    const frozen_t *last = self->main.items[--self->main.count];
    self->bytes -= record_size(last);
    return last;
}

const frozen_t *const *
record_set_items(struct record_set *self, size_t *ret_count)
{
    tidy(self);
    *ret_count = self->main.count;
    return self->main.items;
}

size_t
record_set_place_after(struct record_set *self, const struct text *key)
{
    tidy(self);
    size_t place;
    bool is_there = sorted_has(&self->main, key, &place);
    return place + is_there;
}
