// blob_remote.h - the folder of all blobs as a cache of a provider: what is written is put there
// before anybody can refer to it, what is missing here is fetched from there, what nobody needs is
// removed at both. One transfer of a blob at a time, none under the lock of the folder. Only
// store/blob includes it.
#ifndef DIORAMA_STORE_BLOB_REMOTE_H
#define DIORAMA_STORE_BLOB_REMOTE_H

#include "store/blob_folder.h"

// Puts a file that is complete. The blob is pinned. As blob_provider_put; one put for all who have
// the same bytes at the same time.
fallible blob_remote_put(struct folder *self, const struct blob_hash *hash, int file);

// Opens the file of a blob that is not here, or not whole; it has its hash then. Others who want
// the same meanwhile get it too: the file shares its offset with theirs. Fails with ERR_NOT_FOUND,
// with ERR_INTERNAL where the bytes are others (which is logged), with ERR_UNAVAILABLE.
fallible blob_remote_fetch(struct folder *self, const struct blob_hash *hash, int *ret_file);

// Whether more than the reserve is free: copies leave, the least recently used ones first, until it
// is. Without the lock.
bool blob_remote_make_room(struct folder *self);

// A file has its name: it counts, and others may have to go. The caller holds the lock.
void blob_remote_note(struct folder *self, const struct blob_hash *hash, uint64_t size);

// Removes a blob here and there, unless somebody needs it by now. What could not be removed is
// found by a sweep. The caller holds the lock; it is free meanwhile.
bool blob_remote_remove(struct folder *self, const struct blob_hash *hash);

// Removes what the provider has and nobody refers to. The same.
size_t blob_remote_sweep(struct folder *self);

void blob_remote_end(struct folder *self);

#endif
