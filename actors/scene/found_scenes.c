// found_scenes.c - a merge sort that can pause, and a set of keys for what was found several times.
// Its runs are spread by distance first, so that little is left to compare: merging alone was an
// eighth of a large answer, and qsort() takes three times as long as that.

#include "actors/scene/found_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    LEAST_ROOM = 64,
    BLOCK = 64,        // what a search of the map adds between two looks at the room
    RUN = 2304,        // items that are put in order at once: all that a page of a thousand needs
    BUCKETS = 1024,    // in which they are spread by their distance before
    SPREAD_LEAST = 64, // fewer are not spread
    AT_ONCE = 512,     // items of another step: their records may lie anywhere in memory
    WATCHED_STEPS = 2, // between two looks at the clock: few scenes are put in order in one piece
    DROPPED_AT_ONCE = 64, // of many: each may be the first to touch its page of a table that grew
};

void
found_scenes_finish(struct found_scenes *self)
{
    table_finish(&self->sorting.seen);
    free(self->sorting.spare);
    free(self->items);
}

static size_t
smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

// --- room ---

bool
found_scenes_is_full(const struct found_scenes *self)
{
    return self->count >= self->wanted * 2 + LEAST_ROOM;
}

static size_t
most(const struct found_scenes *self)
{
    return self->wanted * 2 + LEAST_ROOM + BLOCK;
}

void
found_scenes_add(struct found_scenes *self, const packed_t *record, double distance_km)
{
    if (self->count == self->capacity) {
        size_t doubled = self->capacity ? self->capacity * 2 : LEAST_ROOM;
        self->capacity = self->capacity < most(self) ? smaller(doubled, most(self)) : doubled;
        self->items = memory_resize(self->items, self->capacity * sizeof self->items[0]);
    }
    self->items[self->count++] = (struct found){distance_km, record};
}

// --- order ---

// Nearest first, then in the order of keys what filters without a point found.
static bool
comes_before(const struct found *one, const struct found *other)
{
    if (one->distance_km != other->distance_km)
        return one->distance_km < other->distance_km;
    return text_compare(packed_key(one->record), packed_key(other->record)) < 0;
}

static void
sort_few(struct found *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct found moved = items[i];
        size_t place = i;
        for (; place > 0 && comes_before(&moved, &items[place - 1]); place--)
            items[place] = items[place - 1];
        items[place] = moved;
    }
}

// `spare` has room for half of the items.
static void
sort_by_merging(struct found *items, size_t count, struct found *spare)
{
    enum { FEW = 8 };
    if (count <= FEW) {
        sort_few(items, count);
        return;
    }
    size_t half = count / 2, left = 0, right = half, to = 0;
    sort_by_merging(items, half, spare);
    sort_by_merging(items + half, count - half, spare);
    memcpy(spare, items, half * sizeof items[0]);
    while (left < half && right < count) { // without a branch that the processor mispredicts
        size_t is_right = comes_before(&items[right], &spare[left]);
        items[to++] = *(is_right ? &items[right] : &spare[left]);
        right += is_right;
        left += 1 - is_right;
    }
    memcpy(items + to, spare + left, (half - left) * sizeof items[0]);
}

// How distances become buckets: from the nearest to the furthest that is not infinite.
struct spread {
    double least_km, per_km;
};

static struct spread
spread_of(const struct found *items, size_t count)
{
    double least_km = INFINITY, most_km = 0;
    for (size_t i = 0; i < count; i++) {
        double away_km = items[i].distance_km;
        least_km = away_km < least_km ? away_km : least_km;
        most_km = away_km > most_km && away_km < INFINITY ? away_km : most_km;
    }
    return (struct spread){least_km, (BUCKETS - 1) / (most_km - least_km)};
}

// Never smaller for what is further; where all are as far, the place is no number.
static unsigned
bucket_of(const struct spread *self, const struct found *item)
{
    double place = (item->distance_km - self->least_km) * self->per_km;
    return place < BUCKETS - 1 ? (unsigned)place : BUCKETS - 1;
}

// `spare` has room for all items.
static void
sort_run(struct found *items, size_t count, struct found *spare)
{
    uint16_t ends[BUCKETS] = {0};
    if (count < SPREAD_LEAST) {
        sort_by_merging(items, count, spare);
        return;
    }
    const struct spread spread = spread_of(items, count);
    memcpy(spare, items, count * sizeof items[0]);
    for (size_t i = 0; i < count; i++)
        ends[bucket_of(&spread, &spare[i])]++;
    for (unsigned bucket = 0, begin = 0; bucket < BUCKETS; bucket++) {
        unsigned many = ends[bucket];
        ends[bucket] = (uint16_t)begin;
        begin += many;
    }
    for (size_t i = 0; i < count; i++)
        items[ends[bucket_of(&spread, &spare[i])]++] = spare[i];
    for (unsigned bucket = 0, begin = 0; bucket < BUCKETS; begin = ends[bucket++])
        sort_by_merging(items + begin, ends[bucket] - begin, spare);
}

// --- the steps: each does some, and begins the next step when nothing of its own is left ---

static void
begin_pair(struct found_scenes *self, size_t begin)
{
    struct found_sorting *sorting = &self->sorting;
    sorting->begin = sorting->left = sorting->to = begin;
    sorting->right = smaller(begin + sorting->width, self->count);
}

static void
begin_merging(struct found_scenes *self, size_t width)
{
    struct found_sorting *sorting = &self->sorting;
    sorting->width = width;
    begin_pair(self, 0);
    sorting->step = FOUND_MERGES;
    if (width < self->count)
        return;
    sorting->step = self->has_doubles ? FOUND_DROPS : FOUND_IS_IDLE;
    sorting->to = 0;
}

static void
sort_some_runs(struct found_scenes *self)
{
    struct found_sorting *sorting = &self->sorting;
    size_t count = smaller(self->count - sorting->begin, RUN);
    sort_run(self->items + sorting->begin, count, sorting->spare);
    sorting->begin += count;
    if (sorting->begin == self->count)
        begin_merging(self, RUN);
}

static void
swap_items(struct found_scenes *self)
{
    struct found *merged = self->sorting.spare;
    self->sorting.spare = self->items;
    self->items = merged;
}

static void
copy(struct found *to, const struct found *from, size_t count)
{
    memcpy(to, from, count * sizeof to[0]);
}

static void
merge_some(struct found_scenes *self)
{
    struct found_sorting *sorting = &self->sorting;
    const struct found *items = self->items;
    struct found *spare = sorting->spare;
    size_t middle = smaller(sorting->begin + sorting->width, self->count);
    size_t end = smaller(middle + sorting->width, self->count);
    size_t stop = smaller(sorting->to + AT_ONCE, end);
    size_t left = sorting->left, right = sorting->right, to = sorting->to;
    while (left < middle && right < end && to < stop) {
        size_t is_right = comes_before(&items[right], &items[left]);
        spare[to++] = items[is_right ? right : left];
        right += is_right;
        left += 1 - is_right;
    }
    size_t rest = left == middle || right == end ? stop - to : 0;
    copy(spare + to, items + (left < middle ? left : right), rest);
    sorting->left = left < middle ? left + rest : left;
    sorting->right = left < middle ? right : right + rest;
    sorting->to = to + rest;
    if (sorting->to < end)
        return;
    if (end < self->count) {
        begin_pair(self, end);
        return;
    }
    swap_items(self);
    begin_merging(self, sorting->width * 2);
}

static bool
has_key(const void *record, const void *key)
{
    return text_equal(packed_key(record), key);
}

// What stands behind the same scene goes: that is nearer, or as near.
static void
drop_some_doubles(struct found_scenes *self)
{
    struct found_sorting *sorting = &self->sorting;
    size_t some = self->count > AT_ONCE ? DROPPED_AT_ONCE : AT_ONCE;
    size_t stop = smaller(sorting->begin + some, self->count);
    for (; sorting->begin < stop; sorting->begin++) {
        const struct found *found = &self->items[sorting->begin];
        const struct text *key = packed_key(found->record);
        uint64_t hash = table_hash_text(key);
        if (table_find(&sorting->seen, hash, has_key, key))
            continue;
        table_add(&sorting->seen, hash, (void *)(uintptr_t)found->record);
        self->items[sorting->to++] = *found;
    }
    if (stop < self->count)
        return;
    self->count = sorting->to;
    table_clear(&sorting->seen);
    sorting->step = FOUND_IS_IDLE;
}

// --- all of it ---

static void
begin_sorting(struct found_scenes *self)
{
    struct found_sorting *sorting = &self->sorting;
    size_t size = self->count > RUN ? self->capacity : self->count; // they may swap
    free(sorting->spare);
    sorting->spare = memory_take(size * sizeof sorting->spare[0]);
    sorting->begin = 0;
    sorting->step = FOUND_SORTS_RUNS;
}

static void
cut(struct found_scenes *self)
{
    if (self->count < self->wanted)
        return;
    self->count = self->wanted;
    self->limit_km = self->items[self->count - 1].distance_km;
}

bool
found_scenes_settle(struct found_scenes *self, const actor_t *actor)
{
    static void (*const steps[])(struct found_scenes *) = {
        [FOUND_SORTS_RUNS] = sort_some_runs,
        [FOUND_MERGES] = merge_some,
        [FOUND_DROPS] = drop_some_doubles,
    };
    if (self->count == 0)
        return true;
    if (self->sorting.step == FOUND_IS_IDLE)
        begin_sorting(self);
    for (unsigned done = 1;; done++) {
        steps[self->sorting.step](self);
        if (self->sorting.step == FOUND_IS_IDLE)
            break;
        if (done % WATCHED_STEPS == 0 && actor_must_pause(actor))
            return false;
    }
    cut(self);
    return true;
}
