// log_page.h - the answer of a leader to LOG: the commits behind a place, about 1 MiB of them.
#ifndef DIORAMA_ACTORS_REPLICA_LOG_PAGE_H
#define DIORAMA_ACTORS_REPLICA_LOG_PAGE_H

#include "actors/replica/replica_wire.h"
#include "actors/runtime/timeline.h"
#include "store/store.h"

// What a page is made from. `commits` has what answers had; its memory is used again.
struct log_page {
    store_t *store;
    const struct timeline *timeline;
    struct buffer body; // of one commit
};

void log_page_finish(struct log_page *self);

// Fills answer and commits. REPLICA_GONE: the place is none of this store, or what is behind it is
// not kept, or was written while no log was kept. Fails where the store cannot be read.
fallible log_page_make(struct log_page *self, struct replica_place after,
                       struct replica_answer *answer, struct buffer *commits);

#endif
