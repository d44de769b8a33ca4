// record_set.c - ordered sets of frozen records (record_set.h).

#include "actors/runtime/record_set.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT_LEAST = 64 };

// Index of the first of `count` items whose key is not less than `key`.
static size_t
lower_bound(const struct sorted_records *self, size_t count, const struct text *key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text_compare(frozen_key(self->items[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
sorted_has(const struct sorted_records *self, const struct text *key, size_t *ret_index)
{
    *ret_index = lower_bound(self, self->count, key);
    return *ret_index < self->count && text_equal(frozen_key(self->items[*ret_index]), key);
}

static void
sorted_reserve(struct sorted_records *self, size_t capacity)
{
    if (capacity <= self->capacity)
        return;
    // The large array doubles; a set that holds one record stays small.
    size_t doubled = self->capacity ? self->capacity * 2 : 4;
    self->capacity = capacity > doubled ? capacity : doubled;
    self->items = realloc(self->items, self->capacity * sizeof(const frozen_t *));
    if (!self->items)
        abort();
}

static void
sorted_insert(struct sorted_records *self, size_t index, const frozen_t *record)
{
    sorted_reserve(self, self->count + 1);
    memmove(self->items + index + 1, self->items + index,
            (self->count - index) * sizeof(const frozen_t *));
    self->items[index] = record;
    self->count++;
}

static void
sorted_erase(struct sorted_records *self, size_t index)
{
    record_unref(&self->items[index]);
    self->count--;
    memmove(self->items + index, self->items + index + 1,
            (self->count - index) * sizeof(const frozen_t *));
}

static void
sorted_finish(struct sorted_records *self)
{
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i]);
    free(self->items);
    *self = (struct sorted_records){0};
}

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
        size_t place = lower_bound(main, left, frozen_key(last));
        memmove(main->items + place + recent->count, main->items + place,
                (left - place) * sizeof(const frozen_t *));
        recent->count--;
        main->items[place + recent->count] = last;
        left = place;
    }
}

void
record_set_finish(struct record_set *self)
{
    sorted_finish(&self->main);
    sorted_finish(&self->recent);
}

const frozen_t *
record_set_find(const struct record_set *self, const struct text *key)
{
    size_t index;
    if (sorted_has(&self->main, key, &index))
        return self->main.items[index];
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
record_set_put(struct record_set *self, const frozen_t *record)
{
    const struct text *key = frozen_key(record);
    struct sorted_records *sides[] = {&self->main, &self->recent};
    record_ref(record);
    if (is_last(self, key)) { // as when they are read from the store
        sorted_insert(&self->main, self->main.count, record);
        return;
    }
    size_t index = 0;
    for (size_t i = 0; i < 2; i++)
        if (sorted_has(sides[i], key, &index)) {
            record_unref(&sides[i]->items[index]);
            sides[i]->items[index] = record;
            return;
        }
    sorted_insert(&self->recent, index, record);
    size_t many = self->recent.count > RECENT_LEAST ? self->recent.count : 0;
    if (many * many > self->main.count * 4)
        merge_recent(self);
}

void
record_set_remove(struct record_set *self, const struct text *key)
{
    size_t index;
    if (sorted_has(&self->main, key, &index))
        sorted_erase(&self->main, index);
    else if (sorted_has(&self->recent, key, &index))
        sorted_erase(&self->recent, index);
}

const frozen_t *
record_set_take_last(struct record_set *self)
{
    if (self->recent.count)
        merge_recent(self);
    return self->main.count ? self->main.items[--self->main.count] : NULL;
}

const frozen_t *const *
record_set_items(struct record_set *self, size_t *ret_count)
{
    if (self->recent.count)
        merge_recent(self);
    *ret_count = self->main.count;
    return self->main.items;
}

size_t
record_set_place_after(struct record_set *self, const struct text *key)
{
    if (self->recent.count)
        merge_recent(self);
    size_t place = lower_bound(&self->main, self->main.count, key);
    bool is_there =
        place < self->main.count && text_equal(frozen_key(self->main.items[place]), key);
    return place + is_there;
}
