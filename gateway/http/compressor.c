// compressor.c - gzip and zstd in one piece, at their fastest levels; the only file that knows zlib
// and libzstd. Any thread.
#include "gateway/http/compressor.h"

#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "proto/base/memory.h"

enum {
    KEPT = 8, // workspaces between two uses
    GZIP_LEVEL = 1,
    GZIP_WINDOW = 15 + 16, // 32 KiB; 16 asks for gzip's frame
    GZIP_MEMORY = 8,
    ZSTD_LEVEL = 1,
};

// The memory of one compression at a time. Both parts are made when they are first needed.
struct workspace {
    struct workspace *next;
    z_stream gzip;
    bool has_gzip;
    ZSTD_CCtx *zstd;
};

struct compressor {
    pthread_mutex_t lock;
    struct workspace *idle;
    unsigned idle_count;
};

compressor_t *
compressor_create(void)
{
    compressor_t *self = memory_take_zeroed(sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void
workspace_destroy(struct workspace **self)
{
    if (!*self)
        return;
    if ((*self)->has_gzip)
        deflateEnd(&(*self)->gzip);
    ZSTD_freeCCtx((*self)->zstd);
    free(*self);
    *self = NULL;
}

void
compressor_destroy(compressor_t **self)
{
    if (!*self)
        return;
    for (struct workspace *each = (*self)->idle, *next; each; each = next) {
        next = each->next;
        workspace_destroy(&each);
    }
    pthread_mutex_destroy(&(*self)->lock);
    free(*self);
    *self = NULL;
}

static struct workspace *
borrow(compressor_t *self)
{
    pthread_mutex_lock(&self->lock);
    struct workspace *workspace = self->idle;
    if (workspace) {
        self->idle = workspace->next;
        self->idle_count--;
    }
    pthread_mutex_unlock(&self->lock);
    return workspace ? workspace : memory_take_zeroed(sizeof *workspace);
}

static void
give_back(compressor_t *self, struct workspace *workspace)
{
    pthread_mutex_lock(&self->lock);
    if (self->idle_count < KEPT) {
        workspace->next = self->idle;
        self->idle = workspace;
        self->idle_count++;
        workspace = NULL;
    }
    pthread_mutex_unlock(&self->lock);
    workspace_destroy(&workspace);
}

// The size of the result, or 0 if it needs more than `room` bytes (or there is no memory).
static size_t
run_gzip(struct workspace *self, const char *data, size_t size, char *out, size_t room)
{
    z_stream *stream = &self->gzip;
    int state = self->has_gzip ? deflateReset(stream)
                               : deflateInit2(stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW,
                                              GZIP_MEMORY, Z_DEFAULT_STRATEGY);
    if (state != Z_OK)
        return 0;
    self->has_gzip = true;
    stream->next_in = (z_const Bytef *)(uintptr_t)data;
    stream->avail_in = (uInt)size; // bodies are far below 4 GiB
    stream->next_out = (Bytef *)out;
    stream->avail_out = (uInt)room;
    return deflate(stream, Z_FINISH) == Z_STREAM_END ? room - stream->avail_out : 0;
}

static size_t
run_zstd(struct workspace *self, const char *data, size_t size, char *out, size_t room)
{
    if (!self->zstd)
        self->zstd = ZSTD_createCCtx();
    if (!self->zstd)
        return 0;
    size_t result = ZSTD_compressCCtx(self->zstd, out, room, data, size, ZSTD_LEVEL);
    return ZSTD_isError(result) ? 0 : result;
}

// The room that the result may take.
static size_t
room_of(enum content_coding coding, bool wanted, size_t size)
{
    if (!wanted)
        return size - size / 8;
    return coding == CONTENT_CODING_GZIP ? compressBound((uLong)size) + 16
                                         : ZSTD_compressBound(size);
}

bool
compressor_run(compressor_t *self, enum content_coding coding, bool wanted,
               const struct buffer *body, size_t offset, struct buffer *out)
{
    const char *data = body->data + offset;
    size_t size = body->size - offset, room = room_of(coding, wanted, size);
    buffer_clear(out);
    buffer_reserve(out, offset + room);
    struct workspace *workspace = borrow(self);
    size_t result = coding == CONTENT_CODING_GZIP
                        ? run_gzip(workspace, data, size, out->data + offset, room)
                        : run_zstd(workspace, data, size, out->data + offset, room);
    give_back(self, workspace);
    out->size = offset + result;
    return result > 0;
}
