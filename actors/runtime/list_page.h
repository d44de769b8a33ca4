// list_page.h - answers a page of a list (list_query.h) from records in memory: it finds which way
// through the orders of the set (record_orders.h) is the shortest, goes it in slices, and counts
// how many there are in all.
#ifndef DIORAMA_ACTORS_RUNTIME_LIST_PAGE_H
#define DIORAMA_ACTORS_RUNTIME_LIST_PAGE_H

#include "actors/runtime/list_walk.h"

// What keeps the set while the work is under way; all NULL = it stays anyhow.
struct list_hold {
    void (*release)(void *held);
    void *held;
};

// Whether the message has begun its list already; what it holds then.
void *list_page_held(const struct message *message);

// Answers the page that the request asks for: OK, PARKED (in slices) or a failure of the query.
// `place` as in list_query_read. The hold is released with the message, or at once where it fails;
// it is taken at the first call alone.
enum error list_page(actor_t *actor, struct message *message, const struct list_kind *kind,
                     uint64_t place, const struct list_source *source,
                     const struct list_hold *hold);

#endif
