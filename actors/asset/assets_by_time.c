// assets_by_time.c - assets in the order of their creation. Almost all are appended.
#include "actors/asset/assets_by_time.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/records/asset.h"

static int
compare(const frozen_t *one, const frozen_t *other)
{
    const struct asset *a = asset_of(frozen_record(one)), *b = asset_of(frozen_record(other));
    if (a->created_us != b->created_us)
        return a->created_us < b->created_us ? -1 : 1;
    return text_compare(a->key, b->key);
}

// Where `asset` is, or would be.
static size_t
place_of(const struct assets_by_time *self, const frozen_t *asset)
{
    size_t low = 0, high = self->count;
    if (high > 0 && compare(self->items[high - 1], asset) < 0)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(self->items[middle], asset) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
is_at(const struct assets_by_time *self, size_t place, const frozen_t *asset)
{
    return place < self->count && compare(self->items[place], asset) == 0;
}

static void
remove_at(struct assets_by_time *self, size_t place)
{
    self->count--;
    memmove(self->items + place, self->items + place + 1,
            (self->count - place) * sizeof *self->items);
}

static void
insert_at(struct assets_by_time *self, size_t place, const frozen_t *asset)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 64;
        self->items = memory_resize(self->items, self->capacity * sizeof *self->items);
    }
    memmove(self->items + place + 1, self->items + place,
            (self->count - place) * sizeof *self->items);
    self->items[place] = asset;
    self->count++;
}

void
assets_by_time_replace(struct assets_by_time *self, const frozen_t *before, const frozen_t *after)
{
    size_t place = before ? place_of(self, before) : 0;
    if (before && is_at(self, place, before)) {
        if (after && compare(before, after) == 0) {
            self->items[place] = after;
            return;
        }
        remove_at(self, place);
    }
    if (after)
        insert_at(self, place_of(self, after), after);
}

size_t
assets_by_time_place_after(const struct assets_by_time *self, const frozen_t *asset)
{
    size_t place = place_of(self, asset);
    return place + is_at(self, place, asset);
}

void
assets_by_time_finish(struct assets_by_time *self)
{
    free(self->items);
    *self = (struct assets_by_time){0};
}
