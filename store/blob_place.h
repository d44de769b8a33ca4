// blob_place.h - where the bytes of assets are of a store that several servers reach: one record
// says it, so that none of them looks for them elsewhere. Main's thread.
#ifndef DIORAMA_STORE_BLOB_PLACE_H
#define DIORAMA_STORE_BLOB_PLACE_H

#include "store/blob.h"
#include "store/store.h"

// Whether this server would find them: where a folder has them, that it has the folder, which is
// not so where one is not mounted, and may write there. Before it takes charge, and while it
// stands by; changes nothing. Fails with ERR_CONFLICT and one sentence that names the folder, with
// ERR_UNAVAILABLE where the record cannot be read. Of a store of its own it asks nothing.
fallible blob_place_check(const struct config *config, store_t *store);

// The same for who only reads: they must be there already.
fallible blob_place_check_source(const struct config *config, store_t *store);

// Notes the place where no server has, or looks as blob_place_check does where one has: for who has
// put them there (an import), in charge of the store. Errors as blob_place_check.
fallible blob_place_note(const struct config *config, store_t *store);

// Looks as blob_place_check does, notes the place where no server has, and opens it (blob.h). In
// charge of the store. `must_end` as in blob_cache_open. Errors as blob_place_check and as
// blob_folder_open.
fallible blob_place_open(const struct config *config, store_t *store, reserve_meter *meter,
                         bool (*must_end)(void), blobs_t **ret_blobs);

#endif
