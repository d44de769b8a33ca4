// memory.h - arenas for trees, and texts that grow (diorama.h).
#ifndef DIORAMA_MEMORY_H
#define DIORAMA_MEMORY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/sdk/c/api.h"

enum { DIO_BLOCK = 8192, DIO_ALIGN = 16 };

static void *
dio_take(struct diorama_arena *self, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + DIO_ALIGN - 1) / DIO_ALIGN * DIO_ALIGN;
    if (!self->blocks || self->room - self->used < size) {
        size_t room = size + DIO_ALIGN > DIO_BLOCK ? size + DIO_ALIGN : DIO_BLOCK;
        void **block = malloc(room);
        if (!block)
            return NULL;
        *block = self->blocks;
        self->blocks = block;
        self->used = DIO_ALIGN;
        self->room = room;
    }
    void *taken = (char *)self->blocks + self->used;
    self->used += size;
    return taken;
}

// For `count` items of `size` bytes, zeroed.
static void *
dio_take_items(struct diorama_arena *self, size_t count, size_t size)
{
    if (count > SIZE_MAX / 4 / size)
        return NULL;
    void *items = dio_take(self, count * size);
    return items ? memset(items, 0, count * size) : NULL;
}

void
diorama_arena_free(struct diorama_arena *self)
{
    while (self->blocks) {
        void *block = self->blocks;
        memcpy(&self->blocks, block, sizeof self->blocks);
        free(block);
    }
    self->used = self->room = 0;
}

static uint64_t
dio_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// A text that grows; NUL is behind it. `failed`: there was no memory, and it is not whole.
struct dio_text {
    char *data;
    size_t size, room;
    bool failed;
};

static void
dio_put(struct dio_text *self, const char *data, size_t size)
{
    if (self->room - self->size <= size) {
        size_t room = 2 * (self->size + size) + 64;
        char *grown = self->failed ? NULL : realloc(self->data, room);
        if (!grown) {
            self->failed = true;
            return;
        }
        self->data = grown;
        self->room = room;
    }
    if (size)
        memcpy(self->data + self->size, data, size);
    self->size += size;
    self->data[self->size] = '\0';
}

static void
dio_put_chars(struct dio_text *self, const char *chars)
{
    dio_put(self, chars, strlen(chars));
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
dio_put_format(struct dio_text *self, const char *format, ...)
{
    char text[512];
    va_list words;
    va_start(words, format);
    int size = vsnprintf(text, sizeof text, format, words);
    va_end(words);
    if (size < 0 || (size_t)size >= sizeof text)
        self->failed = true;
    else
        dio_put(self, text, (size_t)size);
}

// A part of a path, percent-encoded.
static void
dio_put_part(struct dio_text *self, const char *part)
{
    for (const unsigned char *at = (const unsigned char *)part; *at; at++) {
        bool is_plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
                        (*at >= 'A' && *at <= 'Z') || strchr("-._~", *at) != NULL;
        if (is_plain)
            dio_put(self, (const char *)at, 1);
        else
            dio_put_format(self, "%%%02X", *at);
    }
}

static void
dio_text_free(struct dio_text *self)
{
    free(self->data);
    *self = (struct dio_text){0};
}

static char *
dio_copy(const char *chars)
{
    size_t size = strlen(chars) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, chars, size) : NULL;
}

#endif
