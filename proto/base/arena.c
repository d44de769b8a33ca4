// arena.c - bump allocation in chunks that double from 1 KiB to 64 KiB. One thread at a time. A
// small request costs one chunk. A large record gets a chunk of its own, so that the room left in
// the newest chunk is not lost.
#include "proto/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    FIRST_CHUNK_BYTES = 1024,
    LAST_CHUNK_BYTES = 65536,
    ALIGNMENT = alignof(max_align_t),
};

struct arena_chunk {
    struct arena_chunk *older;
    size_t size; // of the whole chunk
    alignas(max_align_t) char data[];
};

void
arena_init(struct arena *self)
{
    *self = (struct arena){0};
}

void
arena_finish(struct arena *self)
{
    struct arena_chunk *chunk = self->chunks;
    while (chunk) {
        struct arena_chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    arena_init(self);
}

void
arena_join(struct arena *self, struct arena *other)
{
    struct arena_chunk **end = &self->chunks;
    if (!self->chunks) {
        self->next = other->next;
        self->left = other->left;
    }
    while (*end)
        end = &(*end)->older;
    *end = other->chunks;
    self->size += other->size;
    arena_init(other);
}

// The bytes that an allocation takes; 0 where `size` is beyond all memory.
static size_t
rounded(size_t size)
{
    if (size > SIZE_MAX / 2)
        return 0;
    return size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static void *
allocate_alone(struct arena *self, size_t room)
{
    struct arena_chunk *chunk = memory_take(sizeof(*chunk) + room);
    chunk->size = sizeof(*chunk) + room;
    if (self->chunks) {
        chunk->older = self->chunks->older;
        self->chunks->older = chunk;
    } else {
        chunk->older = NULL;
        self->chunks = chunk;
    }
    return chunk->data;
}

static size_t
next_chunk_size(const struct arena *self)
{
    if (!self->chunks)
        return FIRST_CHUNK_BYTES;
    size_t size = self->chunks->size;
    if (size < FIRST_CHUNK_BYTES)
        return FIRST_CHUNK_BYTES;
    return size >= LAST_CHUNK_BYTES / 2 ? LAST_CHUNK_BYTES : size * 2;
}

static void *
allocate_slowly(struct arena *self, size_t room)
{
    size_t chunk_size = next_chunk_size(self);
    // More than a quarter of a chunk gets a chunk of its own: a few of these would waste most of
    // every chunk.
    if (room > chunk_size / 4)
        return allocate_alone(self, room);
    struct arena_chunk *chunk = memory_take(chunk_size);
    chunk->size = chunk_size;
    chunk->older = self->chunks;
    self->chunks = chunk;
    self->next = chunk->data + room;
    self->left = chunk_size - sizeof(*chunk) - room;
    return chunk->data;
}

static void *
allocate(struct arena *self, size_t size)
{
    size_t room = rounded(size);
    if (room == 0)
        return memory_take(SIZE_MAX); // ends the process
    self->size += size;
    if (room > self->left)
        return allocate_slowly(self, room);
    void *memory = self->next;
    self->next += room;
    self->left -= room;
    return memory;
}

void *
arena_alloc(struct arena *self, size_t size)
{
    return memset(allocate(self, size), 0, size);
}

void *
arena_copy(struct arena *self, const void *data, size_t size)
{
    void *memory = allocate(self, size);
    if (size)
        memcpy(memory, data, size);
    return memory;
}
