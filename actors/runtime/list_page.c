// list_page.c - the work of a list: its orders are made, the page is found, the rest is counted.
#include "actors/runtime/list_page.h"

#include <stdlib.h>

#include "actors/runtime/list_gather.h"
#include "proto/base/memory.h"

enum {
    WATCHED = 32,                         // so many records cost more than a look at the clock
    WHOLE_ORDER = LIST_FILTERS_MOST,      // no filter leads, all of the order is walked
    GATHER_COST = 4,                      // to gather and sort a record costs so many looks at one
    SEARCHED_MOST = 2 * LIST_TOTAL_EXACT, // of the records of an area; of more, orders are walked
};

enum phase { LIST_MAKES, LIST_SEARCHES, LIST_WALKS, LIST_GATHERS, LIST_COUNTS, LIST_ENDS };

struct list_work {
    struct parcel base;
    struct list_query query;
    struct list_hold hold;
    enum phase phase;
    unsigned narrowest;               // the filter that fewest records pass, or WHOLE_ORDER
    double least;                     // that many
    const struct list_source *source; // of the slice of a search
    size_t searched;                  // records of the area
    size_t searched_most;             // after so many it is given up
    struct list_walk walk;
    struct list_gather gather;
    int64_t total; // -1 = more than are counted
    int64_t counted;
    bool is_counted;
    bool has_more; // there is a record behind the page
};

static void
work_release(struct parcel *parcel)
{
    struct list_work *self = (struct list_work *)(void *)parcel;
    list_walk_finish(&self->walk);
    list_gather_finish(&self->gather);
    if (self->hold.release)
        self->hold.release(self->hold.held);
    free(self);
}

static struct list_work *
work_of(const struct message *message)
{
    return (struct list_work *)(void *)message->work;
}

void *
list_page_held(const struct message *message)
{
    return message->work ? work_of(message)->hold.held : NULL;
}

static bool
has_area(const struct list_query *query)
{
    return query->area.form != LIST_EVERYWHERE;
}

static bool
has_word_filter(const struct list_query *query)
{
    for (unsigned i = 0; i < query->filter_count; i++)
        if (query->filters[i].order == LIST_WORD)
            return true;
    return false;
}

// Whether the record that the walk is at (or another one, NULL = no walk) is in the list.
static bool
is_found(const struct list_work *self, const struct list_source *source,
         const struct list_walk *walk, const frozen_t *frozen)
{
    struct opened room;
    const struct record *record = frozen_open(frozen, &room);
    struct list_known known = {.passed = walk ? walk->filter : NULL};
    const struct listed *listed = walk && walk->entry ? walk->entry->listed : NULL;
    if (has_word_filter(&self->query) && !self->query.key) {
        listed = listed ? listed : record_orders_find(source->orders, record_key(record));
        known.words = listed ? listed->words : NULL;
        known.words_size = listed ? listed->words_size : 0;
    }
    return list_query_finds(&self->query, record, &known) &&
           (!source->sees || source->sees(source->viewer, record));
}

// --- the way ---

static bool
is_order_made(struct list_work *self, const struct list_source *source, enum list_order order,
              const actor_t *actor)
{
    return order == LIST_KEY ||
           record_orders_make(source->orders, self->query.kind, order, source->set, actor);
}

// Whether all orders that the query may need are there.
static bool
are_orders_made(struct list_work *self, const struct list_source *source, const actor_t *actor)
{
    const struct list_query *query = &self->query;
    for (unsigned i = 0; i < query->filter_count; i++)
        if (!is_order_made(self, source, query->filters[i].order, actor))
            return false;
    return is_order_made(self, source, query->sort, actor);
}

// Whether what passes the filter stands in the order of the answer: its order is that, or all of it
// has one value, and so stands by key.
static bool
is_in_order(const struct list_query *query, const struct list_filter *filter)
{
    return filter->order == query->sort ||
           (query->sort == LIST_KEY && filter->order != LIST_WORD &&
            filter->order != LIST_CREATED && filter->order != LIST_CHANGED);
}

// About how many records a walk looks at to fill a page, when `passing` of `walked` pass.
static double
walk_cost(const struct list_query *query, double walked, double passing)
{
    double looks = passing < 1 ? walked : query->limit * walked / passing;
    return looks < walked ? looks : walked;
}

static void
walk_along(struct list_work *self, unsigned filter)
{
    const struct list_query *query = &self->query;
    bool is_whole = filter == WHOLE_ORDER;
    self->walk = (struct list_walk){
        .order = is_whole ? query->sort : query->filters[filter].order,
        .filter = is_whole ? NULL : &query->filters[filter],
        .backward = query->descending,
    };
    self->phase = LIST_WALKS;
    if (!query->has_place)
        return;
    if (is_whole || query->filters[filter].order == query->sort)
        list_walk_begin_at(&self->walk, query->place.value, query->place.size, query->place.key);
    else
        list_walk_begin_at(&self->walk, query->filters[filter].low, query->filters[filter].low_size,
                           query->place.key);
}

static void
walk_narrowest(struct list_work *self, enum phase phase)
{
    const struct list_query *query = &self->query;
    bool is_whole = self->narrowest == WHOLE_ORDER;
    list_walk_finish(&self->walk);
    self->walk = (struct list_walk){
        .order = is_whole ? LIST_KEY : query->filters[self->narrowest].order,
        .filter = is_whole ? NULL : &query->filters[self->narrowest],
    };
    self->phase = phase;
}

// How many records of the set are likely to pass all filters; notes the narrowest of them.
static double
estimate(struct list_work *self, const struct list_source *source, double counts[])
{
    double all = (double)record_set_count(source->set), passing = all, least = all;
    self->narrowest = WHOLE_ORDER;
    for (unsigned i = 0; i < self->query.filter_count; i++) {
        const struct list_filter *filter = &self->query.filters[i];
        counts[i] = (double)list_walk_count(source, filter->order, filter);
        passing *= all > 0 ? counts[i] / all : 0;
        if (counts[i] < least || self->narrowest == WHOLE_ORDER) {
            least = counts[i];
            self->narrowest = i;
        }
    }
    self->least = least;
    // An area with fewer than that would have been searched.
    return has_area(&self->query) && all > LIST_TOTAL_EXACT ? passing * (LIST_TOTAL_EXACT / all)
                                                            : passing;
}

// Whether the map is the way: it finds what lies in an area that is not too large.
static bool
begin_search(struct list_work *self, const struct list_source *source)
{
    double counts[LIST_FILTERS_MOST];
    bool is_large = self->is_counted && self->total < 0;
    if (!has_area(&self->query) || !source->search || is_large)
        return false;
    estimate(self, source, counts);
    self->searched_most = self->least < SEARCHED_MOST ? (size_t)self->least : SEARCHED_MOST;
    self->phase = LIST_SEARCHES;
    return true;
}

// Chooses the way through the orders that looks at fewest records.
static void
choose_way(struct list_work *self, const struct list_source *source)
{
    const struct list_query *query = &self->query;
    double counts[LIST_FILTERS_MOST], passing = estimate(self, source, counts);
    double all = (double)record_set_count(source->set), best = walk_cost(query, all, passing);
    unsigned along = WHOLE_ORDER;
    for (unsigned i = 0; i < query->filter_count; i++) {
        double cost = walk_cost(query, counts[i], passing);
        if (is_in_order(query, &query->filters[i]) && cost < best) {
            best = cost;
            along = i;
        }
    }
    if (self->narrowest != WHOLE_ORDER && GATHER_COST * counts[self->narrowest] < best)
        walk_narrowest(self, LIST_GATHERS);
    else
        walk_along(self, along);
}

// --- the page ---

// Whether the slice is over.
static bool
must_pause(struct list_work *self, const actor_t *actor, size_t index)
{
    if (index % WATCHED != WATCHED - 1 || !actor_must_pause(actor))
        return false;
    list_walk_pause(&self->walk);
    return true;
}

// Counts what remains, unless that is known.
static void
count_rest(struct list_work *self)
{
    if (self->is_counted)
        self->phase = LIST_ENDS;
    else
        walk_narrowest(self, LIST_COUNTS);
}

static bool
walk_page(struct list_work *self, const struct list_source *source, actor_t *actor,
          struct message *message)
{
    const frozen_t *record;
    list_walk_resume(&self->walk, source);
    for (size_t i = 0; (record = list_walk_next(&self->walk)) != NULL; i++) {
        if (is_found(self, source, &self->walk, record)) {
            self->has_more = message->reply.count == self->query.limit;
            if (self->has_more)
                break;
            reply_add(message, record);
        }
        if (must_pause(self, actor, i))
            return false;
    }
    count_rest(self);
    return true;
}

// The page is what was gathered: all that there is.
static void
answer_gathered(struct list_work *self, struct message *message)
{
    self->has_more = list_gather_answer(&self->gather, &self->query, message);
    if (!self->is_counted)
        self->total = self->counted > LIST_TOTAL_EXACT ? -1 : self->counted;
    self->is_counted = true;
    self->phase = LIST_ENDS;
}

static bool
gather_page(struct list_work *self, const struct list_source *source, actor_t *actor,
            struct message *message)
{
    const frozen_t *record;
    list_walk_resume(&self->walk, source);
    for (size_t i = 0; (record = list_walk_next(&self->walk)) != NULL; i++) {
        if (list_walk_is_first(&self->walk) && is_found(self, source, &self->walk, record)) {
            self->counted++;
            list_gather_add(&self->gather, &self->query, record);
        }
        if (must_pause(self, actor, i))
            return false;
    }
    answer_gathered(self, message);
    return true;
}

static bool
find_in_area(void *context, const frozen_t *record)
{
    struct list_work *self = context;
    self->searched++;
    if (is_found(self, self->source, NULL, record)) {
        self->counted++;
        list_gather_add(&self->gather, &self->query, record);
    }
    return self->searched <= self->searched_most && self->counted <= LIST_TOTAL_EXACT;
}

static bool
search_page(struct list_work *self, const struct list_source *source, struct message *message)
{
    self->source = source;
    if (!source->search(source->map, &self->query.area, find_in_area, self))
        return false;
    if (self->searched <= self->searched_most && self->counted <= LIST_TOTAL_EXACT) {
        answer_gathered(self, message);
        return true;
    }
    list_gather_finish(&self->gather);
    self->counted = 0;
    choose_way(self, source);
    return true;
}

static bool
count_page(struct list_work *self, const struct list_source *source, actor_t *actor)
{
    const frozen_t *record;
    list_walk_resume(&self->walk, source);
    for (size_t i = 0;
         self->counted <= LIST_TOTAL_EXACT && (record = list_walk_next(&self->walk)) != NULL; i++) {
        self->counted +=
            list_walk_is_first(&self->walk) && is_found(self, source, &self->walk, record);
        if (must_pause(self, actor, i))
            return false;
    }
    self->total = self->counted > LIST_TOTAL_EXACT ? -1 : self->counted;
    self->phase = LIST_ENDS;
    return true;
}

// The total where an index tells it: all records, or those of one value.
static void
count_at_once(struct list_work *self, const struct list_source *source)
{
    const struct list_query *query = &self->query;
    const struct list_filter *filter = query->filter_count ? &query->filters[0] : NULL;
    if (query->has_place) {
        self->is_counted = true;
        self->total = query->total;
        return;
    }
    if (source->sees || query->rest || query->key || query->filter_count > 1 || has_area(query) ||
        (filter && (filter->is_cut || filter->order == LIST_WORD)))
        return;
    size_t count = list_walk_count(source, filter ? filter->order : LIST_KEY, filter);
    self->total = count > LIST_TOTAL_EXACT ? -1 : (int64_t)count;
    self->is_counted = true;
}

// The one record that is asked for by its key.
static void
answer_one(struct list_work *self, const struct list_source *source, struct message *message)
{
    struct list_place place;
    struct opened room;
    const frozen_t *record = record_set_find(source->set, self->query.key);
    bool is_there = record && is_found(self, source, NULL, record);
    self->total = is_there;
    self->phase = LIST_ENDS;
    if (is_there && self->query.has_place) {
        list_place_of(&self->query, frozen_open(record, &room), &place);
        is_there = list_place_compare(&self->query, &self->query.place, &place) < 0;
    }
    if (is_there)
        reply_add(message, record);
}

static bool
begin_page(struct list_work *self, const struct list_source *source, actor_t *actor,
           struct message *message)
{
    if (self->query.key) {
        answer_one(self, source, message);
        return true;
    }
    if (!are_orders_made(self, source, actor))
        return false;
    count_at_once(self, source);
    if (!begin_search(self, source))
        choose_way(self, source);
    return true;
}

// A slice; false: there is more to do.
static bool
go_on(struct list_work *self, const struct list_source *source, actor_t *actor,
      struct message *message)
{
    // An order that was not used for a while may have gone between two slices.
    if (self->phase != LIST_MAKES && !are_orders_made(self, source, actor))
        return false;
    while (self->phase != LIST_ENDS) {
        bool is_done = self->phase == LIST_MAKES      ? begin_page(self, source, actor, message)
                       : self->phase == LIST_SEARCHES ? search_page(self, source, message)
                       : self->phase == LIST_WALKS    ? walk_page(self, source, actor, message)
                       : self->phase == LIST_GATHERS  ? gather_page(self, source, actor, message)
                                                      : count_page(self, source, actor);
        if (!is_done)
            return false;
    }
    return true;
}

static fallible
work_begin(struct message *message, const struct list_kind *kind, uint64_t place,
           const struct list_hold *hold)
{
    struct list_work *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = work_release;
    self->hold = *hold;
    message->work = &self->base;
    return list_query_read(message, kind, place, &self->query);
}

enum error
list_page(actor_t *actor, struct message *message, const struct list_kind *kind, uint64_t place,
          const struct list_source *source, const struct list_hold *hold)
{
    if (!message->work)
        TRY(work_begin(message, kind, place, hold));
    struct list_work *self = work_of(message);
    if (!go_on(self, source, actor, message))
        return actor_pause(actor, message);
    const struct reply *reply = &message->reply;
    message->reply.more = self->has_more;
    list_answer(message, &self->query, self->total,
                self->has_more ? reply_record(reply, reply->count - 1) : NULL);
    return OK;
}
