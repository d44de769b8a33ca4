// page_reader.h - the thread that reads pages of records for an actor, which never waits for the
// disk. Takes READ_PAGE (parcel: struct record_page), reads it, sends the same message back as
// PAGE_READ, in the order of asking. READ_LIST (parcel: struct stored_list) goes back as LIST_READ;
// it is read in slices, and pages that are asked for meanwhile do not wait for its end.
#ifndef DIORAMA_ACTORS_RUNTIME_PAGE_READER_H
#define DIORAMA_ACTORS_RUNTIME_PAGE_READER_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_page.h"
#include "actors/runtime/stored_list.h"

typedef struct page_reader page_reader_t;

// `name` is that of its mailbox. The store is borrowed.
fallible page_reader_create(store_t *store, const char *name, page_reader_t **ret_reader);
void page_reader_destroy(page_reader_t **self, mailbox_t *from);

// What it does, for another thread that reads too.
void page_reader_do(struct message *message, store_t *store, const char *reader);

// Asks the reader `name` for a page, which it takes: *page becomes NULL. The answer, PAGE_READ, has
// it back. Fails with ERR_UNAVAILABLE where the reader's queue is full; then the page stays yours.
fallible page_reader_ask(mailbox_t *from, const char *name, struct record_page **page);
// The same of a list, whose answer is LIST_READ.
fallible page_reader_ask_list(mailbox_t *from, const char *name, struct stored_list **list);

#endif
