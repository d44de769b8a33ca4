// blob.c - bytes of assets: hands each call to the engine behind (blob.h).
#include "proto/message/blob.h"

#include <sodium.h>
#include <string.h>

fallible
blob_begin(blobs_t *self, uint64_t limit, blob_writer_t **ret_writer)
{
    return self->engine->begin(self, limit, ret_writer);
}

fallible
blob_write(blob_writer_t *self, const void *data, size_t size)
{
    return self->blobs->engine->write(self, data, size);
}

fallible
blob_finish(blob_writer_t **self, struct blob_pin **ret_pin)
{
    blob_writer_t *writer = *self;
    *self = NULL;
    return writer->blobs->engine->finish(writer, ret_pin);
}

void
blob_abort(blob_writer_t **self)
{
    if (*self)
        (*self)->blobs->engine->abort(*self);
    *self = NULL;
}

void
blob_unpin(struct blob_pin **self)
{
    if (*self)
        (*self)->parcel.destroy(&(*self)->parcel);
    *self = NULL;
}

fallible
blob_open(blobs_t *self, const struct blob_hash *hash, int *ret_file, uint64_t *ret_size)
{
    return self->engine->open(self, hash, ret_file, ret_size);
}

void
blob_keep(blobs_t *self, const struct blob_hash *hash)
{
    self->engine->keep(self, hash);
}

void
blob_drop(blobs_t *self, const struct blob_hash *hash)
{
    self->engine->drop(self, hash);
}

void
blob_refer(blobs_t *self, const struct blob_hash *hash)
{
    self->engine->refer(self, hash);
}

void
blob_leave(blobs_t *self, const struct blob_hash *hash)
{
    self->engine->leave(self, hash);
}

void
blobs_sweep(blobs_t *self, const struct blob_records *records)
{
    self->engine->sweep(self, records);
}

void
blobs_hold(blobs_t *self)
{
    self->engine->hold(self);
}

void
blobs_release(blobs_t *self)
{
    self->engine->release(self);
}

void
blobs_listen(blobs_t *self, blob_listener *listener, void *context)
{
    self->engine->listen(self, listener, context);
}

void
blobs_destroy(blobs_t **self)
{
    if (*self)
        (*self)->engine->destroy(*self);
    *self = NULL;
}

int
blob_hash_compare(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct blob_hash));
}

void
blob_hash_to_hex(const struct blob_hash *hash, char ret_hex[BLOB_HEX_SIZE])
{
    sodium_bin2hex(ret_hex, BLOB_HEX_SIZE, hash->bytes, sizeof hash->bytes);
}

bool
blob_hash_from_hex(const char *hex, size_t size, struct blob_hash *ret_hash)
{
    size_t bytes;
    return size == BLOB_HEX_SIZE - 1 &&
           sodium_hex2bin(ret_hash->bytes, sizeof ret_hash->bytes, hex, size, NULL, &bytes, NULL) ==
               0 &&
           bytes == sizeof ret_hash->bytes;
}
