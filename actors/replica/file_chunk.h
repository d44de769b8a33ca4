// file_chunk.h - a piece of a file, as an answer to a follower has it. Any thread.
#ifndef DIORAMA_ACTORS_REPLICA_FILE_CHUNK_H
#define DIORAMA_ACTORS_REPLICA_FILE_CHUNK_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Fills `bytes` with up to 1 MiB (REPLICA_CHUNK_BYTES) of the file from `offset` on, none behind
// its end. *ret_size: all of it. Fails with ERR_NOT_FOUND if there is no such file, with
// ERR_UNAVAILABLE if it cannot be read.
fallible file_chunk_read(const char *path, uint64_t offset, struct buffer *bytes,
                         uint64_t *ret_size);

#endif
