// blob_beliefs.h - which blobs were found to be whole lately, so that their bytes are not hashed at
// each reading. A table of a fixed size: what it has forgotten is hashed again. Not shared: its
// owner locks.
#ifndef DIORAMA_STORE_BLOB_BELIEFS_H
#define DIORAMA_STORE_BLOB_BELIEFS_H

#include <sys/types.h>
#include <time.h>

#include "proto/message/blob.h"

enum { BLOB_BELIEFS = 1 << 16 };

// The state of a file: a file that is written or replaced later has another stamp.
struct blob_stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct blob_belief;

// Embedded; all zero is valid and believes nothing. Its memory is taken as it fills, 1.5 MiB at
// most.
struct blob_beliefs {
    struct blob_belief *slots; // BLOB_BELIEFS of them, or NULL
};

// The file of the blob, which has the stamp, is whole; that is taken as true until then.
void blob_beliefs_note(struct blob_beliefs *self, const struct blob_hash *hash,
                       const struct blob_stamp *stamp, uint64_t until_ms);
bool blob_beliefs_has(const struct blob_beliefs *self, const struct blob_hash *hash,
                      const struct blob_stamp *stamp);
void blob_beliefs_finish(struct blob_beliefs *self);

#endif
