// list_rows.h - which stored index records (index_records.h) a kind of records is listed by: a row
// for each order that it has (list_kind.h), and one for who may see what. From them come the ways
// that a list (list_query.h) can be read along: ranges of keys. Pure; any thread.
#ifndef DIORAMA_ACTORS_RUNTIME_LIST_ROWS_H
#define DIORAMA_ACTORS_RUNTIME_LIST_ROWS_H

#include "actors/runtime/index_records.h"
#include "proto/message/list_query.h"

// Ids of rows of the kind. By LIST_KEY its records themselves stand. Rows of orders have all
// records, also those without the value; that of words has each word of list_words.
struct list_rows {
    uint8_t orders[LIST_ORDER_COUNT];
    uint8_t seen; // INDEX_MADE of list_rows_seen; 0 = whoever may list sees all
};

// Whether each order that the kind has (list_kind_of) has a row of the right form and member; where
// one has not, *ret_order is that.
bool list_rows_are_whole(const struct list_rows *self, const struct index_kind *kind,
                         enum list_order *ret_order);

// The texts that a record is found by for those who may see it: a mark of what is public, or its
// owner; NULL where only those see it who see all.
const struct texts *list_rows_seen(struct arena *arena, const struct text *owner, bool is_public);
// The words that a record is found by: for its row of LIST_WORD.
const struct texts *list_rows_words(struct arena *arena, const struct record *record);

// A kind that is listed, by its rows.
struct listed_kind {
    const struct index_kind *kind;
    const struct list_rows *rows;
};

enum { LIST_RANGES_MOST = 2 };

// First key, and first key behind.
struct key_range {
    struct key low, high;
};

// Where records stand together that a list may have.
struct list_way {
    const struct index_row *row;      // NULL: these are keys of the records themselves
    const struct list_filter *filter; // what passes it stands here; NULL = it is no filter's
    bool is_in_order;                 // they stand in the order of the list
    bool is_exact; // what stands here passes the filter: nobody needs to read the records
    size_t range_count;
    struct key_range ranges[LIST_RANGES_MOST]; // none overlap
};

// All records, in the order of the query.
struct list_way list_way_of_sort(const struct listed_kind *kind, const struct list_query *query);
// All records, by a row whose keys are read fast.
struct list_way list_way_of_all(const struct listed_kind *kind);
// Those that pass a filter of the query.
struct list_way list_way_of_filter(const struct listed_kind *kind, const struct list_query *query,
                                   const struct list_filter *filter);
// Those that a user may see who does not see all; `user` may be empty.
struct list_way list_way_of_user(const struct listed_kind *kind, const char *user);

// Takes from a way in order what stands before the page of the query.
void list_way_go_to_page(struct list_way *self, const struct listed_kind *kind,
                         const struct list_query *query);

// The key under which the row of the query's order has a record that stands at `place`.
struct key list_key_of_place(const struct listed_kind *kind, const struct list_query *query,
                             const struct list_place *place);

#endif
