// blob_copies.c - see blob_copies.h.
#include "actors/replica/blob_copies.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum { CHUNK_WITHIN_MS = 20000 };

static fallible
copy(struct blob_copies *self, const struct blob_hash *hash, blob_writer_t *writer)
{
    uint64_t size = 1;
    struct bytes chunk;
    for (uint64_t at = 0; at < size; at += chunk.size) {
        TRY(replica_source_blob(self->source, hash, at, clock_deadline_ms(CHUNK_WITHIN_MS), &chunk,
                                &size));
        if (chunk.size == 0 && at < size)
            return fail(ERR_INVALID, "", "the leader sent less of a blob than there is");
        TRY(blob_write(writer, chunk.data, chunk.size));
    }
    return OK;
}

static void
keep_pin(struct blob_copies *self, struct blob_pin *pin)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 8;
        self->pins = memory_resize(self->pins, self->capacity * sizeof self->pins[0]);
    }
    self->pins[self->count++] = pin;
}

static fallible
fetch(struct blob_copies *self, const struct blob_hash *hash)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    TRY(blob_begin(self->blobs, LIMIT_ASSET_BYTES, &writer));
    enum error error = copy(self, hash, writer);
    if (error != OK) {
        blob_abort(&writer);
        return error;
    }
    TRY(blob_finish(&writer, &pin));
    keep_pin(self, pin);
    if (memcmp(&pin->hash, hash, sizeof *hash) != 0)
        return fail(ERR_INVALID, "", "the leader sent other bytes than a blob has");
    return OK;
}

fallible
blob_copies_take(struct blob_copies *self, const struct blob_hash *hash)
{
    int file;
    uint64_t size;
    char hex[BLOB_HEX_SIZE];
    if (!self->is_holding)
        blobs_hold(self->blobs); // what other records refer to stays too
    self->is_holding = true;
    if (blob_open(self->blobs, hash, &file, &size) == OK) {
        close(file);
        return OK;
    }
    enum error error = fetch(self, hash);
    if (error != ERR_NOT_FOUND)
        return error;
    blob_hash_to_hex(hash, hex);
    log_warning("blob_not_copied", "hash=%s reason=gone", hex);
    return OK;
}

void
blob_copies_end(struct blob_copies *self)
{
    for (size_t i = 0; i < self->count; i++)
        blob_unpin(&self->pins[i]);
    free(self->pins);
    if (self->is_holding)
        blobs_release(self->blobs);
    self->pins = NULL;
    self->count = self->capacity = 0;
    self->is_holding = false;
}
