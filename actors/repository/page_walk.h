// page_walk.h - goes through many records of a cached kind (repository_kind.is_cached), those with
// a value in an index or all of them, a page at a time: for a handler that needs them once and
// keeps none. What comes or goes between two pages is found or not; none is found twice. The
// actor's thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_PAGE_WALK_H
#define DIORAMA_ACTORS_REPOSITORY_PAGE_WALK_H

#include "actors/repository/repository_fetch.h"
#include "actors/runtime/record_page.h"

// Embedded in the work of a message; all zero stands before the first page.
struct page_walk {
    struct record_page *page; // what the handler goes through now, or NULL
    bool is_over;
};

void page_walk_finish(struct page_walk *self);
// Back to before the first page.
void page_walk_restart(struct page_walk *self);

// OK: `page` has records of the walk, in the order of the index or of their keys, until the handler
// has done with them; NULL: there are no more. PARKED: the handler runs again when they are there.
// Of an index `first` is the prefix (index_prefix_of_text); NULL = all of the kind. A walk that
// begins behind a key has it in `behind`. Fails where they cannot be read; one record that is
// damaged is left out.
fallible page_walk_resume(struct page_walk *self, struct repository *repository, unsigned kind,
                          const struct key *prefix, const struct key *behind,
                          struct message *message);

// The records of the page are done with, and it is empty when the handler runs again.
void page_walk_pass(struct page_walk *self);

// The handler has done with the page. OK: that was the last one. PARKED: it runs again with the
// next.
fallible page_walk_go_on(struct page_walk *self, struct repository *repository,
                         struct message *message);

// The records of the page that the next lines of a handler are about: those of their keys are
// known when it returns OK (repository_latest).
fallible page_walk_need(const struct page_walk *self, struct repository *repository, unsigned kind,
                        struct message *message);

#endif
