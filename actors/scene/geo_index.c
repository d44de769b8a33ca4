// geo_index.c - a two-level sorted array over Morton codes (geo_index.h).

#include "actors/scene/geo_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/geo_blocks.h"
#include "proto/base/memory.h"

enum {
    BLOCK_JOINED = GEO_BLOCK_ENTRIES * 3 / 4, // what two neighbours may hold to become one
    BLOCK_FILLED = GEO_BLOCK_ENTRIES * 3 / 4, // what each gets of many at once: more may come
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
    self->rows[index] = (struct geo_index_row){block->entries[0].code, block};
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
        self->entries = memory_resize(self->entries, self->capacity * sizeof self->entries[0]);
    }
    self->entries[self->count++] = geo_entry_at(latitude, longitude, value);
}

static int
compare_entries(const void *a, const void *b)
{
    return geo_entry_before(b, a) - geo_entry_before(a, b);
}

void
geo_index_fill(struct geo_index *self, struct geo_load *load)
{
    if (load->count)
        qsort(load->entries, load->count, sizeof load->entries[0], compare_entries);
    for (size_t done = 0; done < load->count;) {
        size_t left = load->count - done;
        struct geo_index_block *block = memory_take(sizeof *block);
        block->count = left < BLOCK_FILLED ? left : BLOCK_FILLED;
        memcpy(block->entries, &load->entries[done], block->count * sizeof load->entries[0]);
        rows_insert(self, self->row_count, block);
        done += block->count;
    }
    self->count = load->count;
    free(load->entries);
    *load = (struct geo_load){0};
}

// --- one ---

void
geo_index_add(struct geo_index *self, double latitude, double longitude, const void *value)
{
    struct geo_entry entry = geo_entry_at(latitude, longitude, value);
    if (self->row_count == 0) {
        struct geo_index_block *first = memory_take(sizeof *first);
        first->count = 0;
        first->entries[0] = entry; // what rows_insert() reads
        rows_insert(self, 0, first);
    }
    size_t row = geo_row_of(self, &entry);
    if (self->rows[row].block->count == GEO_BLOCK_ENTRIES) {
        split(self, row);
        row = geo_row_of(self, &entry);
    }
    struct geo_index_block *block = self->rows[row].block;
    size_t place = geo_block_lower_bound(block, &entry);
    block_move(block, place + 1, block, place);
    block->entries[place] = entry;
    block->count++;
    self->rows[row].first = block->entries[0].code;
    self->count++;
}

void
geo_index_remove(struct geo_index *self, double latitude, double longitude, const void *value)
{
    struct geo_entry entry = geo_entry_at(latitude, longitude, value);
    if (self->row_count == 0)
        return;
    size_t row = geo_row_of(self, &entry);
    struct geo_index_block *block = self->rows[row].block;
    size_t place = geo_block_lower_bound(block, &entry);
    if (place == block->count || geo_entry_before(&entry, &block->entries[place]))
        return;
    block_move(block, place, block, place + 1);
    block->count--;
    self->count--;
    if (block->count == 0) {
        rows_erase(self, row);
        return;
    }
    self->rows[row].first = block->entries[0].code;
    if (!join(self, row) && row > 0)
        join(self, row - 1);
}

size_t
geo_index_size(const struct geo_index *self)
{
    return self->row_count * sizeof(struct geo_index_block) +
           self->row_capacity * sizeof self->rows[0];
}
