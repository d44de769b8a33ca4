// postgres.h - the engine over PostgreSQL, for a store that several machines reach.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_H

#include "store/store.h"

// Opens the store in the database that `uri` (postgresql://…) names, and makes its tables where
// there are none. The folder `data`, which has what is no record, is this process's alone
// meanwhile; NULL = there is none. Fails with ERR_INVALID where that is no such URI, and with
// ERR_UNAVAILABLE and one sentence where the database cannot be reached, refuses, or may lose what
// it acknowledges (`allow_async`: it has no standby in step); nothing was changed then. Other
// processes may have it open too: who may write is for its user to decide (store.h, is_shared).
fallible postgres_open(const char *path, const char *uri, bool allow_async, store_t **ret_store);

#endif
