// geo_index.c - a two-level sorted array over Morton codes (geo_index.h).

#include "actors/scene/geo_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/geo_blocks.h"
#include "proto/base/memory.h"

enum {
    BLOCK_JOINED = GEO_BLOCK_ENTRIES * 3 / 4, // what two neighbours may hold to become one
    BLOCK_FILLED = GEO_BLOCK_ENTRIES * 7 / 8, // what each gets of many at once: more may come
};

// --- blocks ---

static void
block_move(struct geo_index_block *self, size_t to, const struct geo_index_block *source,
           size_t from)
{
    memmove(&self->entries[to], &source->entries[from],
            (source->count - from) * sizeof(struct geo_entry));
}

static void
rows_insert(struct geo_index *self, size_t index, struct geo_index_block *block)
{
    if (self->row_count == self->row_capacity) {
        self->row_capacity = self->row_capacity ? self->row_capacity * 2 : 4;
        self->rows = memory_resize(self->rows, self->row_capacity * sizeof self->rows[0]);
    }
    memmove(&self->rows[index + 1], &self->rows[index],
            (self->row_count - index) * sizeof self->rows[0]);
    self->rows[index] = (struct geo_index_row){geo_order_of(&block->entries[0]).code, block};
    self->row_count++;
}

static void
rows_erase(struct geo_index *self, size_t index)
{
    free(self->rows[index].block);
    self->row_count--;
    memmove(&self->rows[index], &self->rows[index + 1],
            (self->row_count - index) * sizeof self->rows[0]);
}

// Moves the upper half of a full block into a new one behind it.
static void
split(struct geo_index *self, size_t index)
{
    struct geo_index_block *full = self->rows[index].block;
    struct geo_index_block *upper = memory_take(sizeof *upper);
    block_move(upper, 0, full, GEO_BLOCK_ENTRIES / 2);
    upper->count = full->count - GEO_BLOCK_ENTRIES / 2;
    full->count = GEO_BLOCK_ENTRIES / 2;
    rows_insert(self, index + 1, upper);
}

// Joins the block with the one behind it where both hold little: neighbours are 3/8 full on the
// average, whatever was removed.
static bool
join(struct geo_index *self, size_t index)
{
    if (index + 1 >= self->row_count)
        return false;
    struct geo_index_block *block = self->rows[index].block, *next = self->rows[index + 1].block;
    if (block->count + next->count > BLOCK_JOINED)
        return false;
    block_move(block, block->count, next, 0);
    block->count += next->count;
    rows_erase(self, index + 1);
    return true;
}

void
geo_index_finish(struct geo_index *self)
{
    for (size_t i = 0; i < self->row_count; i++)
        free(self->rows[i].block);
    free(self->rows);
    *self = (struct geo_index){0};
}

// --- many at once ---

void
geo_load_add(struct geo_load *self, double latitude, double longitude, const void *value)
{
    enum { FIRST_CAPACITY = 64 };
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_CAPACITY;
        self->orders = memory_resize(self->orders, self->capacity * sizeof self->orders[0]);
    }
    self->orders[self->count++] =
        (struct geo_order){geo_code_at(latitude, longitude), (uintptr_t)value};
}

// Puts what `from` has into `to` in the order of one byte of the codes; what is equal in it stays
// as it was. (A sort by all bytes, the lowest first, takes a fifth of the time of qsort.)
static void
sort_by_byte(const struct geo_order *from, struct geo_order *to, size_t count, unsigned shift)
{
    enum { VALUES = 256 };
    size_t places[VALUES] = {0}, place = 0;
    for (size_t i = 0; i < count; i++)
        places[from[i].code >> shift & (VALUES - 1)]++;
    for (size_t i = 0; i < VALUES; i++) {
        size_t many = places[i];
        places[i] = place;
        place += many;
    }
    for (size_t i = 0; i < count; i++)
        to[places[from[i].code >> shift & (VALUES - 1)]++] = from[i];
}

static int
compare_values(const void *a, const void *b)
{
    const struct geo_order *one = a, *other = b;
    return (one->value > other->value) - (one->value < other->value);
}

// What lies at one place stands in the order of its values.
static void
sort_equals(struct geo_order *orders, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && orders[end].code == orders[i].code; end++) {
        }
        if (end - i > 1)
            qsort(&orders[i], end - i, sizeof orders[0], compare_values);
    }
}

static void
load_sort(struct geo_load *self)
{
    struct geo_order *spare = memory_take((self->count + 1) * sizeof spare[0]);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        struct geo_order *sorted = spare;
        sort_by_byte(self->orders, sorted, self->count, shift);
        spare = self->orders;
        self->orders = sorted;
    }
    free(spare);
    sort_equals(self->orders, self->count);
}

static struct geo_index_block *
block_of_load(const struct geo_load *self, size_t from, geo_placer *place)
{
    enum { FETCHED_AHEAD = 16 };
    size_t left = self->count - from;
    struct geo_index_block *block = memory_take(sizeof *block);
    block->count = left < BLOCK_FILLED ? left : BLOCK_FILLED;
    for (size_t i = 0; i < block->count; i++) {
        struct geo_entry *entry = &block->entries[i];
        if (i + FETCHED_AHEAD < left)
            __builtin_prefetch((const void *)self->orders[from + i + FETCHED_AHEAD].value);
        entry->value = (const void *)self->orders[from + i].value;
        place(entry->value, &entry->latitude, &entry->longitude);
    }
    return block;
}

void
geo_index_fill(struct geo_index *self, struct geo_load *load, geo_placer *place)
{
    if (load->count)
        load_sort(load);
    for (size_t done = 0; done < load->count;) {
        struct geo_index_block *block = block_of_load(load, done, place);
        rows_insert(self, self->row_count, block);
        done += block->count;
    }
    self->count = load->count;
    free(load->orders);
    *load = (struct geo_load){0};
}

// --- one ---

static void
row_note_first(struct geo_index_row *self)
{
    self->first = geo_order_of(&self->block->entries[0]).code;
}

void
geo_index_add(struct geo_index *self, double latitude, double longitude, const void *value)
{
    const struct geo_entry entry = {latitude, longitude, value};
    const struct geo_order order = geo_order_of(&entry);
    if (self->row_count == 0) {
        struct geo_index_block *first = memory_take(sizeof *first);
        first->count = 0;
        first->entries[0] = entry; // what rows_insert() reads
        rows_insert(self, 0, first);
    }
    size_t row = geo_row_of(self, &order);
    if (self->rows[row].block->count == GEO_BLOCK_ENTRIES) {
        split(self, row);
        row = geo_row_of(self, &order);
    }
    struct geo_index_block *block = self->rows[row].block;
    size_t place = geo_block_lower_bound(block, &order);
    block_move(block, place + 1, block, place);
    block->entries[place] = entry;
    block->count++;
    row_note_first(&self->rows[row]);
    self->count++;
}

void
geo_index_remove(struct geo_index *self, double latitude, double longitude, const void *value)
{
    const struct geo_order order = {geo_code_at(latitude, longitude), (uintptr_t)value};
    if (self->row_count == 0)
        return;
    size_t row = geo_row_of(self, &order);
    struct geo_index_block *block = self->rows[row].block;
    size_t place = geo_block_lower_bound(block, &order);
    if (place == block->count || block->entries[place].value != value)
        return;
    block_move(block, place, block, place + 1);
    block->count--;
    self->count--;
    if (block->count == 0) {
        rows_erase(self, row);
        return;
    }
    row_note_first(&self->rows[row]);
    if (!join(self, row) && row > 0)
        join(self, row - 1);
}

size_t
geo_index_size(const struct geo_index *self)
{
    return self->row_count * sizeof(struct geo_index_block) +
           self->row_capacity * sizeof self->rows[0];
}
