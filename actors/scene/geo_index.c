// geo_index.c - a two-level sorted array over Morton codes, searched cell by cell (geo_index.h).

#include "actors/scene/geo_index.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/geodesy.h"
#include "proto/base/memory.h"

enum {
    BLOCK_ENTRIES = 64,
    BLOCK_JOINED = BLOCK_ENTRIES * 3 / 4, // what two neighbours may hold to become one
    SCANNED_BLOCKS = 2,                   // a cell in as few blocks is not divided further
};

struct entry {
    uint64_t code; // then by value: no two entries are equal
    double latitude, longitude;
    const void *value;
};

struct geo_index_block {
    size_t count;
    struct entry entries[BLOCK_ENTRIES];
};

// --- codes: 32 bits of longitude and latitude each, the bits in turn ---

// 0 to 2^32 - 1 over the range from -limit to limit; grows with the angle.
static uint32_t
quantised(double angle, double limit)
{
    double steps = floor((angle + limit) * (0x1p32 / (2 * limit)));
    return steps <= 0 ? 0 : steps >= UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
}

// Each bit of `number` followed by a free one.
static uint64_t
spread(uint32_t number)
{
    uint64_t bits = number;
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

static uint64_t
code_of(uint32_t x, uint32_t y)
{
    return spread(x) | spread(y) << 1;
}

static struct entry
entry_at(double latitude, double longitude, const void *value)
{
    return (struct entry){.code = code_of(quantised(longitude, 180), quantised(latitude, 90)),
                          .latitude = latitude,
                          .longitude = longitude,
                          .value = value};
}

static bool
entry_before(const struct entry *a, const struct entry *b)
{
    return a->code != b->code ? a->code < b->code : (uintptr_t)a->value < (uintptr_t)b->value;
}

// --- blocks ---

// Index of the first entry of the block that does not stand before `entry`.
static size_t
block_lower_bound(const struct geo_index_block *self, const struct entry *entry)
{
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (entry_before(&self->entries[middle], entry))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
block_move(struct geo_index_block *self, size_t to, const struct geo_index_block *source,
           size_t from)
{
    memmove(&self->entries[to], &source->entries[from],
            (source->count - from) * sizeof(struct entry));
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
    block_move(upper, 0, full, BLOCK_ENTRIES / 2);
    upper->count = full->count - BLOCK_ENTRIES / 2;
    full->count = BLOCK_ENTRIES / 2;
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

static bool
begins_behind(const struct geo_index_row *row, const struct entry *entry)
{
    return row->first != entry->code ? row->first > entry->code
                                     : entry_before(entry, &row->block->entries[0]);
}

// The row that holds the entry or should: the last one that does not begin behind it.
static size_t
row_of(const struct geo_index *self, const struct entry *entry)
{
    size_t low = 0, high = self->row_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (begins_behind(&self->rows[middle], entry))
            high = middle;
        else
            low = middle + 1;
    }
    return low ? low - 1 : 0;
}

void
geo_index_finish(struct geo_index *self)
{
    for (size_t i = 0; i < self->row_count; i++)
        free(self->rows[i].block);
    free(self->rows);
    *self = (struct geo_index){0};
}

void
geo_index_add(struct geo_index *self, double latitude, double longitude, const void *value)
{
    struct entry entry = entry_at(latitude, longitude, value);
    if (self->row_count == 0) {
        struct geo_index_block *first = memory_take(sizeof *first);
        first->count = 0;
        first->entries[0] = entry; // what rows_insert() reads
        rows_insert(self, 0, first);
    }
    size_t row = row_of(self, &entry);
    if (self->rows[row].block->count == BLOCK_ENTRIES) {
        split(self, row);
        row = row_of(self, &entry);
    }
    struct geo_index_block *block = self->rows[row].block;
    size_t place = block_lower_bound(block, &entry);
    block_move(block, place + 1, block, place);
    block->entries[place] = entry;
    block->count++;
    self->rows[row].first = block->entries[0].code;
    self->count++;
}

void
geo_index_remove(struct geo_index *self, double latitude, double longitude, const void *value)
{
    struct entry entry = entry_at(latitude, longitude, value);
    if (self->row_count == 0)
        return;
    size_t row = row_of(self, &entry);
    struct geo_index_block *block = self->rows[row].block;
    size_t place = block_lower_bound(block, &entry);
    if (place == block->count || entry_before(&entry, &block->entries[place]))
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

// --- search ---

// A rectangle of the map in quantised degrees, its edges included.
struct box {
    uint32_t west, east, south, north;
};

// A square of the map whose entries stand together: side 2^shift, its corner a multiple of that.
struct cell {
    uint32_t x, y;
    unsigned shift;
};

struct search {
    const struct geo_index *index;
    double latitude, longitude; // of the point
    double radius_km;           // narrowed by the visitor
    double reach;               // degrees of latitude that the radius spans, and a little more
    struct box box;
    geo_index_visitor *visit;
    void *context;
};

// What computed distances may be off by, and then some: of the whole circle near the antipode.
#define SLACK_DEGREES 1e-5

static double
reach_of(double radius_km)
{
    return radius_km / GEODESY_KM_PER_DEGREE + SLACK_DEGREES;
}

static void
narrow(struct search *self, double radius_km)
{
    if (radius_km < self->radius_km) {
        self->radius_km = radius_km;
        self->reach = reach_of(radius_km);
    }
}

static void
check(struct search *self, const struct entry *entry)
{
    if (fabs(entry->latitude - self->latitude) > self->reach)
        return;
    double away_km =
        geodesy_distance_km(entry->latitude, entry->longitude, self->latitude, self->longitude);
    if (away_km <= self->radius_km)
        narrow(self, self->visit(self->context, entry->value, away_km));
}

// Checks the entries of the rows from `row` to `end` - 1 whose code is from `low` to `high`.
static void
scan(struct search *self, size_t row, size_t end, uint64_t low, uint64_t high)
{
    struct entry first = {.code = low};
    for (; row < end; row++) {
        const struct geo_index_block *block = self->index->rows[row].block;
        size_t i = self->index->rows[row].first < low ? block_lower_bound(block, &first) : 0;
        for (; i < block->count && block->entries[i].code <= high; i++)
            check(self, &block->entries[i]);
    }
}

// Index of the first of the rows from `low` to `high` - 1 that begins with `code` or behind it.
static size_t
rows_lower_bound(const struct geo_index *self, size_t low, size_t high, uint64_t code)
{
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->rows[middle].first < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The coordinate of a cell's far edge.
static uint32_t
far_side(uint32_t corner, unsigned shift)
{
    return corner + (uint32_t)((UINT64_C(1) << shift) - 1);
}

static bool
cell_misses(const struct cell *cell, const struct box *box)
{
    return cell->x > box->east || far_side(cell->x, cell->shift) < box->west ||
           cell->y > box->north || far_side(cell->y, cell->shift) < box->south;
}

static bool
cell_is_within(const struct cell *cell, const struct box *box)
{
    return cell->x >= box->west && far_side(cell->x, cell->shift) <= box->east &&
           cell->y >= box->south && far_side(cell->y, cell->shift) <= box->north;
}

// Searches what of the cell lies in the box. Its entries stand in the rows from `row` to `end` - 1.
static void
search_cell(struct search *self, struct cell cell, size_t row, size_t end)
{
    if (cell_misses(&cell, &self->box))
        return;
    uint64_t low = code_of(cell.x, cell.y);
    uint64_t high = code_of(far_side(cell.x, cell.shift), far_side(cell.y, cell.shift));
    size_t begin = rows_lower_bound(self->index, row, end, low);
    if (begin > row)
        begin--; // the row before may end in the cell
    end = high == UINT64_MAX ? end : rows_lower_bound(self->index, begin, end, high + 1);
    if (end - begin <= SCANNED_BLOCKS || cell_is_within(&cell, &self->box)) {
        scan(self, begin, end, low, high);
        return;
    }
    unsigned shift = cell.shift - 1; // a cell of one point is within the box or misses it
    uint32_t half = UINT32_C(1) << shift;
    for (unsigned i = 0; i < 4; i++) {
        struct cell quarter = {cell.x + (i & 1 ? half : 0), cell.y + (i & 2 ? half : 0), shift};
        search_cell(self, quarter, begin, end);
    }
}

// Begins with the at most four cells that are as large as the box.
static void
search_box(struct search *self, double west, double east)
{
    struct box *box = &self->box;
    box->west = quantised(west, 180);
    box->east = quantised(east, 180);
    unsigned shift = 0;
    while ((box->east >> shift) - (box->west >> shift) > 1 ||
           (box->north >> shift) - (box->south >> shift) > 1)
        shift++;
    for (uint64_t y = box->south >> shift; y <= box->north >> shift; y++)
        for (uint64_t x = box->west >> shift; x <= box->east >> shift; x++) {
            struct cell cell = {(uint32_t)(x << shift), (uint32_t)(y << shift), shift};
            search_cell(self, cell, 0, self->index->row_count);
        }
}

// Degrees of longitude on either side of the point that hold all within its reach; 180 where a pole
// is.
static double
span(const struct search *self)
{
    if (fabs(self->latitude) + self->reach >= 90)
        return 180;
    double ratio = sin(self->reach * (M_PI / 180)) / cos(self->latitude * (M_PI / 180));
    return asin(fmin(1, ratio)) * (180 / M_PI) + SLACK_DEGREES;
}

// The same point as it is on the map.
static void
put_on_map(double *latitude, double *longitude)
{
    if (geodesy_is_on_map(*latitude, *longitude))
        return;
    *latitude = remainder(*latitude, 360);
    if (fabs(*latitude) > 90) { // beyond a pole: down the other side
        *latitude = copysign(180, *latitude) - *latitude;
        *longitude += 180;
    }
    *longitude = remainder(*longitude, 360);
}

void
geo_index_find(const struct geo_index *self, double latitude, double longitude, double radius_km,
               geo_index_visitor *visit, void *context)
{
    if (!(radius_km >= 0))
        return;
    put_on_map(&latitude, &longitude);
    struct search search = {.index = self,
                            .latitude = latitude,
                            .longitude = longitude,
                            .radius_km = radius_km,
                            .reach = reach_of(radius_km),
                            .visit = visit,
                            .context = context};
    double around = span(&search), west = longitude - around, east = longitude + around;
    search.box.south = quantised(latitude - search.reach, 90);
    search.box.north = quantised(latitude + search.reach, 90);
    if (around > 179) {
        search_box(&search, -180, 180);
        return;
    }
    search_box(&search, fmax(west, -180), fmin(east, 180)); // and what lies beyond the date line
    if (west < -180)
        search_box(&search, west + 360, 180);
    if (east > 180)
        search_box(&search, -180, east - 360);
}
