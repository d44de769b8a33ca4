// arena.h - memory that is freed all at once. Each message has one arena; its strings, lists and
// records live in it. Threads do not share an arena at the same time.
#ifndef DIORAMA_PROTO_BASE_ARENA_H
#define DIORAMA_PROTO_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

// Embedded; all zero is a valid empty arena.
struct arena {
    struct arena_chunk *chunks; // newest first
    char *next;                 // free bytes of the newest chunk
    size_t left;
    size_t size; // bytes handed out
};

void arena_init(struct arena *self);
void arena_finish(struct arena *self);

// `size` zeroed bytes, aligned for any type. Ends the process if the system refuses memory:
// whatever a client can make grow is checked against limits.h before.
void *arena_alloc(struct arena *self, size_t size) __attribute__((returns_nonnull, malloc));

// A copy of `size` bytes at `data`.
void *arena_copy(struct arena *self, const void *data, size_t size)
    __attribute__((returns_nonnull));

// Takes over all memory of another one, which is empty then.
void arena_join(struct arena *self, struct arena *other);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

#endif
