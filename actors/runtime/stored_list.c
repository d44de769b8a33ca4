// stored_list.c - the work of a list that is read (stored_list.h). It walks in the order of the
// list first. Where that finds little, it counts by keys alone how many records shorter ways have,
// and gathers along the shortest, or walks four times as far before it counts again: so it looks at
// a few times as many as the best way has, whichever that is, and nobody estimates.
#include "actors/runtime/stored_list.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"

enum {
    FIRST_KEYS = 256,        // so few are gathered before anything is walked
    FIRST_LOOKS = 256,       // of a walk, before shorter ways are counted, a page twice besides;
    LOOKS_MORE = 4,          // times as many after each count
    KEYS_A_LOOK = 8,         // to read a record costs as much as to count so many keys
    KEYS_OF_A_TOTAL = 20000, // are counted of each way to find the shortest for a total
    GATHERED_MOST = LIMIT_RECORDS + LIST_LIMIT_MOST, // what would hold more of them is walked
};

enum phase {
    LIST_BEGINS,
    LIST_FINDS_ONE,
    LIST_SKIPS,
    LIST_WALKS,
    LIST_MEASURES,
    LIST_GATHERS,
    LIST_COUNTS_KEYS,
    LIST_COUNTS_RECORDS,
    LIST_ENDS
};

static void
release(struct parcel *parcel)
{
    struct stored_list *self = stored_list_of(parcel);
    message_destroy(&self->asker);
    stored_walk_finish(&self->walk);
    stored_walk_finish(&self->other);
    list_ways_finish(&self->ways);
    key_count_finish(&self->keys);
    list_gather_finish(&self->gather);
    free(self);
}

struct stored_list *
stored_list_create(const struct index_family *family, const struct listed_kind *kind,
                   enum stored_list_form form)
{
    struct stored_list *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = release;
    self->family = family;
    self->kind = *kind;
    self->form = form;
    return self;
}

void
stored_list_destroy(struct stored_list **self)
{
    if (*self)
        release(&(*self)->base);
    *self = NULL;
}

static fallible
read_on(struct stored_list *self, struct stored_walk *walk, store_t *store, size_t limit,
        bool *ret_is_over)
{
    return stored_walk_next(walk, self->family, self->kind.kind, store, limit, ret_is_over);
}

// Whether the record `index` of the page of a walk is in the list, and is found there first.
static bool
is_found(const struct stored_list *self, const struct stored_walk *walk, size_t index)
{
    struct words words;
    struct list_known known = {0};
    const struct record *record = frozen_record(walk->page->records[index]);
    const struct list_filter *filter = walk->way.filter;
    if (!record)
        return false; // it is damaged
    if (filter && filter->order == LIST_WORD) {
        list_words(self->query.kind, record, &words);
        if (!stored_walk_is_first(walk, &words, index))
            return false;
        known = (struct list_known){.words = words.bytes, .words_size = words.size};
    }
    return list_query_finds(&self->query, record, &known) &&
           (!self->viewer.sees || self->viewer.sees(self->viewer.viewer, record));
}

// Whether the record still stands where its index record was found: another place was passed, or
// comes.
static bool
stands_here(const struct stored_list *self, size_t index)
{
    struct list_place place;
    const struct stored_walk *walk = &self->walk;
    const frozen_t *record = walk->page->records[index];
    bool is_of_sort = !walk->way.filter || walk->way.filter->order == self->query.sort;
    if (!record || !walk->way.row || !is_of_sort)
        return true;
    list_place_of(&self->query, frozen_record(record), &place);
    const struct key key = list_key_of_place(&self->kind, &self->query, &place);
    return key_compare(&key, &walk->page->keys[index]) == 0;
}

// --- counts ---

// So many are enough.
static uint64_t
count_most(const struct stored_list *self)
{
    return self->form == LIST_OF_NUMBER ? UINT64_MAX : LIST_TOTAL_EXACT + 1;
}

static void
end_with(struct stored_list *self, uint64_t total)
{
    bool is_more = self->form == LIST_OF_PAGE && total > LIST_TOTAL_EXACT;
    self->total = is_more ? -1 : (int64_t)total;
    self->phase = LIST_ENDS;
}

static void
count_keys(struct stored_list *self, const struct list_way *way, enum phase phase)
{
    key_count_finish(&self->keys);
    self->counted_way = *way;
    self->phase = (int)phase;
}

static void
measure(struct stored_list *self, uint64_t bound)
{
    list_ways_measure(&self->ways, bound);
    self->phase = LIST_MEASURES;
}

// Counts how many there are: by keys alone where these say who is in the list.
static void
begin_total(struct stored_list *self)
{
    const struct list_query *query = &self->query;
    bool sees_all = !self->viewer.sees;
    const struct list_way all = list_way_of_all(&self->kind);
    self->has_page = true;
    if (query->filter_count == 0 && !query->rest && sees_all)
        count_keys(self, &all, LIST_COUNTS_KEYS);
    else if (query->filter_count + !sees_all == 1 && self->ways.count == 1 && !query->rest &&
             self->ways.items[0].is_exact)
        count_keys(self, &self->ways.items[0], LIST_COUNTS_KEYS);
    else
        measure(self, KEYS_OF_A_TOTAL);
}

static fallible
count_by_keys(struct stored_list *self, store_t *store)
{
    TRY(key_count_go_on(&self->keys, store, self->family, &self->counted_way, count_most(self)));
    if (self->keys.is_over)
        end_with(self, self->keys.count);
    return OK;
}

static fallible
count_by_records(struct stored_list *self, store_t *store)
{
    bool is_over;
    TRY(read_on(self, &self->other, store, RECORD_PAGE_MOST, &is_over));
    for (size_t i = 0; !is_over && i < self->other.page->count; i++)
        self->counted += is_found(self, &self->other, i);
    if (is_over || self->counted >= count_most(self))
        end_with(self, self->counted);
    return OK;
}

// --- the page ---

// The page is found. `total`: how many there are, where the walk has seen all.
static void
page_is_found(struct stored_list *self, bool has_seen_all)
{
    if (self->form == LIST_OF_SLICE)
        self->phase = LIST_ENDS;
    else if (self->query.has_place) { // the page before counted them
        self->total = self->query.total;
        self->phase = LIST_ENDS;
    } else if (has_seen_all)
        end_with(self, self->asker->reply.count);
    else
        begin_total(self);
}

static fallible
find_one(struct stored_list *self, store_t *store)
{
    bool is_over;
    struct list_place place;
    struct stored_walk *walk = &self->walk;
    const struct key key = key_of_text(self->kind.kind->tag, self->query.key);
    walk->way = (struct list_way){.range_count = 1, .ranges = {{key, key_next(&key)}}};
    TRY(read_on(self, walk, store, 1, &is_over));
    bool is_there = walk->page->count == 1 && is_found(self, walk, 0);
    end_with(self, is_there);
    if (is_there && self->query.has_place) {
        list_place_of(&self->query, frozen_record(walk->page->records[0]), &place);
        is_there = list_place_compare(&self->query, &self->query.place, &place) < 0;
    }
    if (is_there && self->form != LIST_OF_NUMBER && self->skip == 0)
        reply_add(self->asker, walk->page->records[0]);
    return OK;
}

// What is passed over where all are in the list is not read.
static fallible
skip(struct stored_list *self, store_t *store)
{
    TRY(key_count_go_on(&self->keys, store, self->family, &self->walk.way, self->skip));
    self->skipped = self->keys.count;
    if (self->keys.is_over && self->skipped == self->skip)
        self->walk.way.ranges[0].low = key_next(&self->keys.passed);
    if (self->keys.is_over)
        self->phase = self->skipped == self->skip ? LIST_WALKS : LIST_ENDS;
    return OK;
}

// Takes a record of the walk into the page; true: the page is found.
static bool
take(struct stored_list *self, const frozen_t *record)
{
    struct reply *reply = &self->asker->reply;
    if (self->skipped < self->skip) {
        self->skipped++;
        return false;
    }
    self->has_more = reply->count == self->query.limit;
    if (!self->has_more)
        reply_add(self->asker, record);
    return self->has_more || (self->form == LIST_OF_SLICE && reply->count == self->query.limit);
}

// How many records are read at once: at first what a page has where all are in the list.
static size_t
at_once(const struct stored_list *self)
{
    uint64_t wanted = self->skip - self->skipped + self->query.limit + (self->form == LIST_OF_PAGE);
    return self->walk.looked > 0 || wanted > RECORD_PAGE_MOST ? RECORD_PAGE_MOST : (size_t)wanted;
}

// Whether there may be a shorter way than that of the walk.
static bool
can_gather(const struct stored_list *self)
{
    return self->ways.count > (self->walk.way.filter != NULL) &&
           self->skip + self->query.limit <= GATHERED_MOST;
}

static fallible
walk_page(struct stored_list *self, store_t *store)
{
    bool is_over;
    struct stored_walk *walk = &self->walk;
    TRY(read_on(self, walk, store, at_once(self), &is_over));
    if (is_over) {
        page_is_found(self, true);
        return OK;
    }
    for (size_t i = 0; i < walk->page->count; i++) {
        if (stands_here(self, i) && is_found(self, walk, i) && take(self, walk->page->records[i])) {
            page_is_found(self, false);
            return OK;
        }
    }
    if (can_gather(self) && walk->looked >= self->looks)
        measure(self, walk->looked * KEYS_A_LOOK);
    return OK;
}

static void
begin_other(struct stored_list *self, const struct list_way *way, enum phase phase)
{
    stored_walk_finish(&self->other);
    self->other = (struct stored_walk){.way = *way};
    self->counted = 0;
    self->phase = (int)phase;
}

static bool
is_walked(const struct stored_list *self, const struct list_way *way)
{
    return way->row == self->walk.way.row && way->filter == self->walk.way.filter;
}

static void
choose(struct stored_list *self)
{
    bool is_exact;
    const struct list_way *way = list_ways_narrowest(&self->ways, &is_exact);
    const struct list_way all = list_way_of_sort(&self->kind, &self->query);
    if (self->has_page) {
        begin_other(self, way ? way : &all, LIST_COUNTS_RECORDS);
    } else if (is_exact && !is_walked(self, way)) {
        reply_truncate(self->asker, 0);
        self->gather.skip = self->skip;
        begin_other(self, way, LIST_GATHERS);
    } else {
        self->looks *= LOOKS_MORE;
        self->phase = LIST_WALKS;
    }
}

static fallible
measure_ways(struct stored_list *self, store_t *store)
{
    bool is_over;
    TRY(list_ways_go_on(&self->ways, store, self->family, &is_over));
    if (is_over)
        choose(self);
    return OK;
}

static fallible
gather_page(struct stored_list *self, store_t *store)
{
    bool is_over;
    TRY(read_on(self, &self->other, store, RECORD_PAGE_MOST, &is_over));
    for (size_t i = 0; !is_over && i < self->other.page->count; i++) {
        if (!is_found(self, &self->other, i))
            continue;
        self->counted++;
        list_gather_add(&self->gather, &self->query, self->other.page->records[i]);
    }
    if (!is_over)
        return OK;
    self->has_more = list_gather_answer(&self->gather, &self->query, self->asker);
    end_with(self, self->counted);
    if (self->query.has_place)
        self->total = self->query.total;
    return OK;
}

// --- the way ---

// Where what is sought stands in the order of the list: all records, or those that pass a filter.
static struct list_way
way_of_page(const struct stored_list *self)
{
    for (size_t i = 0; i < self->ways.count; i++)
        if (self->ways.items[i].is_in_order)
            return self->ways.items[i];
    return list_way_of_sort(&self->kind, &self->query);
}

static fallible
begin(struct stored_list *self, store_t *store)
{
    const struct list_query *query = &self->query;
    (void)store;
    if (query->key) {
        self->phase = LIST_FINDS_ONE;
        return OK;
    }
    list_ways_add(&self->ways, &self->kind, query, self->viewer.sees ? self->viewer.user : NULL);
    self->walk.way = way_of_page(self);
    self->walk.is_backward = query->descending;
    self->looks = FIRST_LOOKS + (self->skip + query->limit) / 2;
    list_way_go_to_page(&self->walk.way, &self->kind, query);
    bool is_all = query->filter_count == 0 && !query->rest && !self->viewer.sees;
    if (self->form == LIST_OF_NUMBER)
        begin_total(self);
    else if (can_gather(self))
        measure(self, FIRST_KEYS);
    else
        self->phase = is_all && self->skip > 0 ? LIST_SKIPS : LIST_WALKS;
    return OK;
}

typedef fallible list_step(struct stored_list *self, store_t *store);

static list_step *const phases[] = {
    [LIST_BEGINS] = begin,
    [LIST_FINDS_ONE] = find_one,
    [LIST_SKIPS] = skip,
    [LIST_WALKS] = walk_page,
    [LIST_MEASURES] = measure_ways,
    [LIST_GATHERS] = gather_page,
    [LIST_COUNTS_KEYS] = count_by_keys,
    [LIST_COUNTS_RECORDS] = count_by_records,
};

// Whether nobody waits for the answer any more.
static bool
is_too_late(const struct stored_list *self)
{
    return self->asker->deadline_ms && self->asker->deadline_ms <= clock_now_ms();
}

bool
stored_list_go_on(struct stored_list *self, store_t *store)
{
    self->result = is_too_late(self) ? ERR_UNAVAILABLE : phases[self->phase](self, store);
    return self->result != OK || self->phase == LIST_ENDS;
}
