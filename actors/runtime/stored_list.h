// stored_list.h - a list of records that are not in memory: found, counted and read from the store
// by the thread that reads for an actor (page_reader.h), in slices. It is a question and its
// answer, so it can travel to that thread. It shows what is durable; what comes or goes while it is
// read is found or not.
#ifndef DIORAMA_ACTORS_RUNTIME_STORED_LIST_H
#define DIORAMA_ACTORS_RUNTIME_STORED_LIST_H

#include "actors/runtime/list_gather.h"
#include "actors/runtime/list_ways.h"
#include "actors/runtime/stored_walk.h"

enum stored_list_form {
    LIST_OF_PAGE,   // a page, whether there are more behind it, and how many in all (list_query.h)
    LIST_OF_SLICE,  // records from a number on
    LIST_OF_NUMBER, // how many there are
};

// Who asks.
struct list_viewer {
    bool (*sees)(const void *viewer, const struct record *record); // NULL = they see all
    const void *viewer;
    const char *user; // id, or ""
};

// The parcel of READ_LIST and LIST_READ.
struct stored_list {
    struct parcel base;
    struct message *asker; // the request, whose reply it fills; owned, or NULL
    // asked:
    enum stored_list_form form;
    const struct index_family *family; // borrowed, for ever, as what follows
    struct listed_kind kind;
    struct list_query query; // borrows from the request, as the viewer does
    struct list_viewer viewer;
    uint64_t skip; // of a slice: so many of the first are left out
    // found:
    enum error result;
    bool has_more;
    int64_t total; // -1 = more than are counted
    // under way:
    int phase;
    struct list_ways ways; // shorter ones than all records, perhaps
    struct key_count keys;
    struct list_way counted_way; // of which the keys are counted
    struct stored_walk walk;     // of the page
    struct stored_walk other;    // of who gathers, or counts records
    uint64_t skipped;
    uint64_t looks; // after so many of the walk, shorter ways are looked for
    bool has_page;  // it is found, and the rest is counted
    struct list_gather gather;
    uint64_t counted;
};

// A question about a kind of a family; the rest is zero.
struct stored_list *stored_list_create(const struct index_family *family,
                                       const struct listed_kind *kind, enum stored_list_form form);
void stored_list_destroy(struct stored_list **self);

// Reads some of it; true: it is answered, or has failed.
bool stored_list_go_on(struct stored_list *self, store_t *store);

static inline struct stored_list *
stored_list_of(struct parcel *parcel)
{
    return (struct stored_list *)(void *)parcel;
}

#endif
