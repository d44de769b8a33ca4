// buffer.c - growth of buffers: by doubling, so that putting n bytes costs n.
#include "proto/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/memory.h"

enum { FIRST_CAPACITY = 256 };

void
buffer_init(struct buffer *self)
{
    *self = (struct buffer){0};
}

void
buffer_finish(struct buffer *self)
{
    free(self->data);
    buffer_init(self);
}

void
buffer_reserve(struct buffer *self, size_t more)
{
    if (self->capacity - self->size >= more)
        return;
    size_t needed = more > SIZE_MAX / 2 - self->size ? SIZE_MAX : self->size + more;
    size_t capacity = self->capacity ? self->capacity : FIRST_CAPACITY;
    while (capacity < needed)
        capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
    self->data = memory_resize(self->data, capacity);
    self->capacity = capacity;
}

void
buffer_put_format(struct buffer *self, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t room = self->capacity - self->size;
    int size = vsnprintf(room ? self->data + self->size : NULL, room, format, arguments);
    // The text and its NUL did not fit: now the size is known.
    if (size > 0 && (size_t)size >= room) {
        buffer_reserve(self, (size_t)size + 1);
        vsnprintf(self->data + self->size, (size_t)size + 1, format, again);
    }
    if (size > 0)
        self->size += (size_t)size;
    va_end(again);
    va_end(arguments);
}
