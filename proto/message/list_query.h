// list_query.h - what a request wants of a list: filters, order, page. Lists of all kinds of
// records (list_kind.h) have one form: `q`, filters by indexed members, `sort`, `limit`, `after`.
// Pure: who has the records looks for them (actors/runtime/list_page.h).
#ifndef DIORAMA_PROTO_MESSAGE_LIST_QUERY_H
#define DIORAMA_PROTO_MESSAGE_LIST_QUERY_H

#include "proto/base/words.h"
#include "proto/message/list_area.h"
#include "proto/message/list_cursor.h"
#include "proto/message/message.h"
#include "proto/records/list_kind.h"

enum {
    LIST_FILTERS_MOST = 16,
    LIST_LIMIT = 50,          // records of a page, where the request says nothing
    LIST_LIMIT_MOST = 1000,   // and at most
    LIST_TOTAL_EXACT = 10000, // up to here totals are exact
};

// Records whose value in an order lies between two values, both included. A word begins with `low`.
struct list_filter {
    enum list_order order;
    uint8_t low_size, high_size; // `high` is not used for words
    bool is_cut;                 // the value may be longer: other records may begin like it
    char low[LIST_VALUE_BYTES], high[LIST_VALUE_BYTES];
};

struct list_query {
    const struct list_kind *kind;
    const struct field *fields[LIST_ORDER_COUNT]; // of its members; NULL = it has none
    enum list_order sort;                         // not by tag, nor by word
    bool descending;
    uint32_t limit;
    unsigned filter_count;
    struct list_filter filters[LIST_FILTERS_MOST]; // all of them must hold
    struct list_area area;                         // and they lie in it
    const struct text *key;    // the one record with this key is asked for; or NULL
    const struct record *rest; // members that records must have besides (record_matches), or NULL
    bool has_place;            // it goes on behind `place`
    struct list_place place;
    int64_t total;           // as the page before counted them; -1 = it is the first page
    struct list_print print; // of all this but the page: cursors of other lists are refused
};

// Whether the request wants the paged form: its query string has `after`.
bool list_is_asked(const struct message *message);

// Reads the request. `place` says which list it is (a scene's id), 0 where there is one only. It
// borrows from the message. Fails with ERR_INVALID and the pointer of the parameter.
fallible list_query_read(struct message *message, const struct list_kind *kind, uint64_t place,
                         struct list_query *ret_query);

// A list without a page: the records that `filter` finds (record_matches; NULL = all), in the order
// `sort`, `limit` at most. It borrows the filter.
void list_query_of(const struct list_kind *kind, enum list_order sort, const struct record *filter,
                   uint32_t limit, struct list_query *ret_query);

// What is known of a record already.
struct list_known {
    const struct list_filter *passed; // it passes this filter; NULL = nothing is known
    const char *words;                // its words; NULL = they are made
    size_t words_size;
};

// Whether the record passes all filters. The area counts where the kind has a place of its own
// (list_kind.h).
bool list_query_finds(const struct list_query *self, const struct record *record,
                      const struct list_known *known);

// The words that a record is found by.
void list_words(const struct list_kind *kind, const struct record *record, struct words *ret_words);

// Where a record stands in the order of the query.
void list_place_of(const struct list_query *self, const struct record *record,
                   struct list_place *ret_place);
// Less than, equal to or greater than 0 as `a` comes before, at or behind `b`.
int list_place_compare(const struct list_query *self, const struct list_place *a,
                       const struct list_place *b);

// Writes into the envelope of the answer how many there are (-1 = more than LIST_TOTAL_EXACT) and,
// where there are more behind `last` (NULL = none), the cursor of the next page.
void list_answer(struct message *message, const struct list_query *self, int64_t total,
                 const struct record *last);

#endif
