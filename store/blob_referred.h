// blob_referred.h - whether a blob may be removed: what the index of the records says (struct
// blob_records) and what is in hand here. The store is asked without the lock of the folder. Only
// store/blob includes it.
//
// A record comes to refer to a blob while the blob is pinned, or while another one refers to it. So
// who finds that none refers to it, and that it was not pinned since before the question, may
// remove it.
#ifndef DIORAMA_STORE_BLOB_REFERRED_H
#define DIORAMA_STORE_BLOB_REFERRED_H

#include "store/blob_folder.h"

enum blob_reference { BLOB_NOT_REFERRED, BLOB_REFERRED, BLOB_UNCERTAIN };

// Whether a record refers to the blob; uncertain where the store cannot be read.
enum blob_reference blob_referred(const struct folder *self, const struct blob_hash *hash);
// Whether records are known to refer to any.
bool blob_referred_is_any(const struct folder *self);

// Whether nobody needs the blob. The caller, the remover's thread, holds the lock, which is free
// meanwhile and is held again: until it lets go, nobody can come to need it. Where that cannot be
// said the blob is looked at again.
bool blob_is_free(struct folder *self, const struct blob_hash *hash);

// Goes through many in their order, so that pages of the index answer for all of them.
struct referred_walk;

struct referred_walk *referred_walk_create(struct folder *folder);
// Whether a record referred to it when its page was read, or nobody can say (it is looked at again
// then). Each hash is greater than the one before. Without the lock.
bool referred_walk_has(struct referred_walk *self, const struct blob_hash *hash);
void referred_walk_destroy(struct referred_walk **self);

#endif
