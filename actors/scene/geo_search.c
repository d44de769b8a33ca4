// geo_search.c - goes through the entries of a geo_index in the order of their codes, and passes
// over the cells of the map that the area does not touch. So one entry, the last that was looked
// at, says where it is.

#include "actors/scene/geo_search.h"

#include <math.h>

#include "actors/scene/geo_blocks.h"

enum {
    SCANNED_BLOCKS = 2, // a cell in as few blocks is not divided further
    WORLD_SHIFT = 32,   // of the cell that is the whole map
    BOXES = 3,          // of an area: what lies beyond the date line, and on its other name
};

// A rectangle of the map in quantised degrees, its edges included.
struct box {
    uint32_t west, east, south, north;
};

// A square of the map whose entries stand together: side 2^shift, its corner a multiple of that.
struct cell {
    uint32_t x, y;
    unsigned shift;
};

// What one call works with.
struct walk {
    const struct geo_index *index;
    struct geo_search *search;
    struct geodesy_point point; // on the map
    double reach;               // degrees of latitude that the radius spans, and a little more
    double span;                // the same of longitude, to either side
    struct box boxes[BOXES];
    unsigned box_count;
    bool has_moved; // it has looked at entries in this call
    bool is_paused;
};

// What computed distances may be off by, and then some: of the whole circle near the antipode.
#define SLACK_DEGREES 1e-5

static double
reach_of(double radius_km)
{
    return radius_km / GEODESY_KM_PER_DEGREE + SLACK_DEGREES;
}

// --- entries ---

static void
visit(struct geo_search *self, const void *value, double away_km)
{
    double radius_km = self->visit(self->context, value, away_km);
    if (radius_km < self->radius_km)
        self->radius_km = radius_km;
}

// Whether a meridian is further from the point than any in its reach; cheaper than a distance.
static bool
is_aside(const struct walk *self, double longitude)
{
    double away = fabs(longitude - self->point.longitude);
    return away > self->span && away < 360 - self->span;
}

// Whether the entry is in the box, or not too far from the point in latitude and longitude.
static bool
may_be_found(const struct walk *self, const struct geo_entry *entry)
{
    if (self->search->box)
        return geodesy_is_in_box(self->search->box, entry->latitude, entry->longitude);
    return fabs(entry->latitude - self->point.latitude) <= self->reach &&
           !is_aside(self, entry->longitude);
}

static void
check(struct walk *self, const struct geo_entry *entry)
{
    struct geo_search *search = self->search;
    if (!may_be_found(self, entry))
        return;
    if (search->box) {
        visit(search, entry->value, 0);
        return;
    }
    double away_km = geodesy_distance_from_km(&self->point, entry->latitude, entry->longitude);
    if (away_km > search->radius_km)
        return;
    double before_km = search->radius_km;
    visit(search, entry->value, away_km);
    if (search->radius_km < before_km)
        self->reach = reach_of(search->radius_km);
}

static bool
must_stop(struct walk *self)
{
    struct geo_search *search = self->search;
    if (!self->is_paused && self->has_moved && search->must_pause)
        self->is_paused = search->must_pause(search->context);
    return self->is_paused;
}

// Values lie anywhere in memory: those that are read soon are fetched, so that nobody waits.
static void
fetch_ahead(const struct walk *self, const struct geo_index_block *block, size_t index)
{
    enum { SOON = 8, LINE = 64 };
    if (!self->search->reads_values || index + SOON >= block->count ||
        !may_be_found(self, &block->entries[index + SOON]))
        return;
    __builtin_prefetch(block->entries[index + SOON].value);
    __builtin_prefetch((const char *)block->entries[index + SOON].value + LINE);
}

// Looks at the entries of the block from the place `from` on.
static void
scan_block(struct walk *self, const struct geo_index_block *block, size_t from)
{
    struct geo_search *search = self->search;
    if (from == block->count)
        return;
    for (size_t i = from; i < block->count; i++) {
        fetch_ahead(self, block, i);
        check(self, &block->entries[i]);
    }
    const struct geo_order last = geo_order_of(&block->entries[block->count - 1]);
    search->code = last.code;
    search->value = last.value;
    search->has_looked = self->has_moved = true;
}

// Looks at the entries of the rows from `row` to `end` - 1, but not again at those that the search
// has passed. Whole blocks: what stands behind a cell is looked at early, and to look at what
// stands before it costs less than to find where it begins.
static void
scan(struct walk *self, size_t row, size_t end)
{
    const struct geo_search *search = self->search;
    const struct geo_index_row *rows = self->index->rows;
    struct geo_order first = {0};
    if (search->has_looked) {
        first = (struct geo_order){search->code, search->value + 1};
        row = geo_row_among(self->index, row, end, &first);
    }
    for (; row < end && !must_stop(self); row++) {
        bool is_whole = geo_row_begins_behind(&rows[row], &first);
        scan_block(self, rows[row].block,
                   is_whole ? 0 : geo_block_lower_bound(rows[row].block, &first));
    }
}

// --- cells ---

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

static bool
misses_all(const struct walk *self, const struct cell *cell)
{
    for (unsigned i = 0; i < self->box_count; i++)
        if (!cell_misses(cell, &self->boxes[i]))
            return false;
    return true;
}

static bool
is_within_one(const struct walk *self, const struct cell *cell)
{
    for (unsigned i = 0; i < self->box_count; i++)
        if (cell_is_within(cell, &self->boxes[i]))
            return true;
    return false;
}

// Searches what of the cell lies in the boxes. Its entries stand in the rows from `row` to `end`
// - 1.
static void
search_cell(struct walk *self, struct cell cell, size_t row, size_t end)
{
    uint64_t low = geo_code_of(cell.x, cell.y);
    uint64_t high = geo_code_of(far_side(cell.x, cell.shift), far_side(cell.y, cell.shift));
    bool is_passed = self->search->has_looked && high < self->search->code;
    if (is_passed || self->is_paused || misses_all(self, &cell))
        return;
    size_t begin = rows_lower_bound(self->index, row, end, low);
    if (begin > row)
        begin--; // the row before may end in the cell
    end = high == UINT64_MAX ? end : rows_lower_bound(self->index, begin, end, high + 1);
    if (cell.shift == 0 || end - begin <= SCANNED_BLOCKS || is_within_one(self, &cell)) {
        scan(self, begin, end);
        return;
    }
    unsigned shift = cell.shift - 1;
    uint32_t half = UINT32_C(1) << shift;
    for (unsigned i = 0; i < 4; i++) { // in the order of their codes
        struct cell quarter = {cell.x + (i & 1 ? half : 0), cell.y + (i & 2 ? half : 0), shift};
        search_cell(self, quarter, begin, end);
    }
}

// --- the area ---

// Degrees of longitude on either side of the point that hold all within its reach; 180 where a pole
// is.
static double
span(const struct walk *self)
{
    if (fabs(self->point.latitude) + self->reach >= 90)
        return 180;
    double ratio = sin(self->reach * (M_PI / 180)) / cos(self->point.latitude * (M_PI / 180));
    return asin(fmin(1, ratio)) * (180 / M_PI) + SLACK_DEGREES;
}

static void
add_box(struct walk *self, const struct geodesy_box *box, double west, double east)
{
    self->boxes[self->box_count++] = (struct box){.west = geo_quantised(west, 180),
                                                  .east = geo_quantised(east, 180),
                                                  .south = geo_quantised(box->south, 90),
                                                  .north = geo_quantised(box->north, 90)};
}

// The boxes that hold all of the circle.
static void
add_circle(struct walk *self)
{
    struct geodesy_box box = {.south = self->point.latitude - self->reach,
                              .north = self->point.latitude + self->reach};
    double around = self->span = span(self), west = self->point.longitude - around,
           east = self->point.longitude + around;
    if (around > 179) {
        add_box(self, &box, -180, 180);
        return;
    }
    add_box(self, &box, fmax(west, -180), fmin(east, 180)); // and what lies beyond the date line
    if (west < -180)
        add_box(self, &box, west + 360, 180);
    if (east > 180)
        add_box(self, &box, -180, east - 360);
}

static void
add_area(struct walk *self)
{
    const struct geodesy_box *box = self->search->box;
    if (!box) {
        add_circle(self);
    } else if (box->west > box->east) {
        add_box(self, box, box->west, 180);
        add_box(self, box, -180, box->east);
    } else {
        add_box(self, box, box->west, box->east);
        if (box->west <= -180) // the same meridian
            add_box(self, box, 180, 180);
        if (box->east >= 180)
            add_box(self, box, -180, -180);
    }
}

// The smallest cell that holds all boxes.
static struct cell
cell_of_area(const struct walk *self)
{
    const struct box *first = &self->boxes[0];
    uint32_t differing = 0;
    for (unsigned i = 0; i < self->box_count; i++) {
        const struct box *box = &self->boxes[i];
        differing |= (box->west ^ first->west) | (box->east ^ first->west);
        differing |= (box->south ^ first->south) | (box->north ^ first->south);
    }
    unsigned shift = differing ? WORLD_SHIFT - (unsigned)__builtin_clz(differing) : 0;
    uint64_t corner = UINT64_MAX << shift;
    return (struct cell){first->west & (uint32_t)corner, first->south & (uint32_t)corner, shift};
}

// The point as it is on the map.
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

bool
geo_search_go_on(struct geo_search *self, const struct geo_index *index)
{
    double latitude = self->latitude, longitude = self->longitude;
    struct walk walk = {.index = index, .search = self, .reach = reach_of(self->radius_km)};
    if (!self->box && !(self->radius_km >= 0))
        return true;
    put_on_map(&latitude, &longitude);
    walk.point = geodesy_point_at(latitude, longitude);
    add_area(&walk);
    search_cell(&walk, cell_of_area(&walk), 0, index->row_count);
    return !walk.is_paused;
}

void
geo_search_look_back(struct geo_search *self, double latitude, double longitude, const void *value)
{
    const struct geo_order order = {geo_code_at(latitude, longitude), (uintptr_t)value};
    const struct geo_order last = {self->code, self->value};
    double at_latitude = self->latitude, at_longitude = self->longitude;
    if (self->has_looked && !geo_order_before(&last, &order))
        return;
    if (self->box) {
        if (geodesy_is_in_box(self->box, latitude, longitude))
            visit(self, value, 0);
        return;
    }
    put_on_map(&at_latitude, &at_longitude);
    double away_km = geodesy_distance_km(latitude, longitude, at_latitude, at_longitude);
    if (away_km <= self->radius_km)
        visit(self, value, away_km);
}

void
geo_search_all(const struct geo_index *index, double latitude, double longitude, double radius_km,
               geo_visitor *visitor, void *context)
{
    struct geo_search search = {.latitude = latitude,
                                .longitude = longitude,
                                .radius_km = radius_km,
                                .visit = visitor,
                                .context = context};
    geo_search_go_on(&search, index);
}
