// buffer.h - bytes that grow at the end: bodies, datagrams, stored values.
#ifndef DIORAMA_PROTO_BASE_BUFFER_H
#define DIORAMA_PROTO_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Embedded; all zero is a valid empty buffer.
struct buffer {
    char *data;
    size_t size;
    size_t capacity;
};

void buffer_init(struct buffer *self);
void buffer_finish(struct buffer *self);

// Makes room for `more` bytes beyond `size`; ends the process when the system refuses memory.
void buffer_reserve(struct buffer *self, size_t more);

void buffer_put_format(struct buffer *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void
buffer_put(struct buffer *self, const void *data, size_t size)
{
    if (self->capacity - self->size < size)
        buffer_reserve(self, size);
    if (size)
        memcpy(self->data + self->size, data, size);
    self->size += size;
}

static inline void
buffer_put_chars(struct buffer *self, const char *chars)
{
    buffer_put(self, chars, strlen(chars));
}

static inline void
buffer_put_char(struct buffer *self, char byte)
{
    buffer_put(self, &byte, 1);
}

// Empties it; the memory stays for the next use.
static inline void
buffer_clear(struct buffer *self)
{
    self->size = 0;
}

// Empties it between two uses; memory of more than `most` bytes goes back. For buffers of which
// there are as many as threads or connections: one large use of each would stay for ever.
static inline void
buffer_rest(struct buffer *self, size_t most)
{
    if (self->capacity > most)
        buffer_finish(self);
    buffer_clear(self);
}

#endif
