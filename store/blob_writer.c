// blob_writer.c - writes the bytes of an asset into the folder: under a fresh name, hashed while
// they are written, synced, and only then renamed to their hash. Runs on the thread of its caller.
#define _GNU_SOURCE // sync_file_range
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "store/blob_remote.h"

enum {
    MEASURE_EVERY_BYTES = 4 << 20, // how often a writer looks at the free space
    FLUSH_EVERY_BYTES = 8 << 20,   // how often the disk begins to write what a writer wrote
};

struct writer {
    blob_writer_t base; // first
    int file;
    char name[BLOB_TEMPORARY_SIZE];
    uint64_t limit, size;
    uint64_t measured, flushed; // sizes at the last time
    crypto_hash_sha256_state hash;
};

static struct writer *
writer_of(blob_writer_t *base)
{
    return container_of(base, struct writer, base);
}

static fallible
check_space(struct folder *self)
{
    return blob_remote_make_room(self)
               ? OK
               : fail(ERR_STORAGE_FULL, "", "the disk has no room for more asset bytes");
}

fallible
blob_writer_begin(blobs_t *base, uint64_t limit, blob_writer_t **ret_writer)
{
    struct folder *self = folder_of(base);
    TRY(check_space(self));
    struct writer *writer = memory_take_zeroed(sizeof *writer);
    writer->base.blobs = base;
    writer->limit = limit;
    crypto_hash_sha256_init(&writer->hash);
    pthread_mutex_lock(&self->lock);
    folder_temporary(self, writer->name);
    pthread_mutex_unlock(&self->lock);
    writer->file = openat(self->root, writer->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (writer->file < 0) {
        free(writer);
        return folder_failed(self, "create");
    }
    *ret_writer = &writer->base;
    return OK;
}

void
blob_writer_abort(blob_writer_t *base)
{
    struct writer *writer = writer_of(base);
    const struct folder *self = folder_of(base->blobs);
    close(writer->file);
    if (unlinkat(self->root, writer->name, 0) != 0 && errno != ENOENT)
        log_warning("blob_left", "path=%s/%s reason=%s", self->path, writer->name, strerror(errno));
    free(writer);
}

static fallible
write_all(const struct folder *self, int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return folder_failed(self, "write");
        data += written;
        size -= (size_t)written;
    }
    return OK;
}

fallible
blob_writer_write(blob_writer_t *base, const void *data, size_t size)
{
    struct writer *writer = writer_of(base);
    struct folder *self = folder_of(base->blobs);
    if (size > writer->limit - writer->size)
        return fail(ERR_TOO_LARGE, "", "an asset may have at most %llu bytes",
                    (unsigned long long)writer->limit);
    if (writer->size + size - writer->measured >= MEASURE_EVERY_BYTES) {
        TRY(check_space(self));
        writer->measured = writer->size + size;
    }
    TRY(write_all(self, writer->file, data, size));
    crypto_hash_sha256_update(&writer->hash, data, size);
    writer->size += size;
    if (writer->size - writer->flushed >= FLUSH_EVERY_BYTES) {
        // The last sync then has little left to do; it also reports failures.
        sync_file_range(writer->file, (off64_t)writer->flushed,
                        (off64_t)(writer->size - writer->flushed), SYNC_FILE_RANGE_WRITE);
        writer->flushed = writer->size;
    }
    return OK;
}

static void
pin_release(struct parcel *parcel)
{
    struct blob_pin *pin = (struct blob_pin *)(void *)parcel;
    pin->blobs->engine->unpin(pin->blobs, &pin->hash);
    free(pin);
}

static struct blob_pin *
pin_new(struct writer *writer)
{
    struct blob_pin *pin = memory_take_zeroed(sizeof *pin);
    pin->parcel.destroy = pin_release;
    pin->blobs = writer->base.blobs;
    pin->size = writer->size;
    crypto_hash_sha256_final(&writer->hash, pin->hash.bytes);
    return pin;
}

// Renames the written file to its name. An existing file of that name is replaced by the same
// bytes, which repairs it if it was damaged.
static fallible
name_file(struct folder *self, struct writer *writer, const struct blob_pin *pin)
{
    char name[BLOB_NAME_SIZE];
    folder_name(&pin->hash, name);
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_find(&self->index, &pin->hash); // it is pinned
    bool is_named = renameat(self->root, writer->name, self->root, name) == 0;
    int reason = errno;
    if (is_named && self->listener) {
        entry->references++;
        self->listener(self->listener_context, &pin->hash);
    }
    if (is_named && self->provider)
        blob_remote_note(self, &pin->hash, pin->size);
    pthread_mutex_unlock(&self->lock);
    errno = reason;
    return is_named ? OK : folder_failed(self, "rename");
}

// From now on nobody removes it.
static void
take_pin(struct folder *self, const struct blob_pin *pin)
{
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_take(&self->index, &pin->hash);
    entry->pins++;
    entry->is_doubted = false;
    pthread_mutex_unlock(&self->lock);
}

// Where another process keeps the bytes it has them before the blob has its name here.
static fallible
publish(struct folder *self, struct writer *writer, const struct blob_pin *pin)
{
    char name[BLOB_NAME_SIZE];
    folder_name(&pin->hash, name);
    name[2] = '\0';
    if (self->provider)
        TRY(blob_remote_put(self, &pin->hash, writer->file));
    TRY(name_file(self, writer, pin));
    return self->is_synced ? folder_sync(self, name) : OK;
}

static fallible
prepare(struct folder *self, struct writer *writer, const struct blob_pin *pin)
{
    if (self->is_synced && fsync(writer->file) != 0)
        return folder_failed(self, "sync");
    return folder_make_for(self, &pin->hash);
}

fallible
blob_writer_finish(blob_writer_t *base, struct blob_pin **ret_pin)
{
    struct writer *writer = writer_of(base);
    struct folder *self = folder_of(base->blobs);
    struct blob_pin *pin = pin_new(writer);
    enum error error = prepare(self, writer, pin);
    if (error != OK) {
        free(pin); // it holds nothing yet
        blob_writer_abort(base);
        return error;
    }
    take_pin(self, pin);
    error = publish(self, writer, pin);
    if (error != OK)
        pin_release(&pin->parcel);
    else
        *ret_pin = pin;
    blob_writer_abort(base); // the file was renamed by now, or is gone
    return error;
}
