// fuzz.c - properties, allocations and lines of fuzz targets. One thread.
#include "tests/fuzz/fuzz.h"

#include <sanitizer/allocator_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
fuzz_end(const char *property, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    abort();
}

static size_t largest_allocation;

static void
see_allocation(const volatile void *memory, size_t size)
{
    (void)memory;
    if (largest_allocation && size > largest_allocation) {
        size_t limit = largest_allocation;
        largest_allocation = 0; // the report allocates too
        fprintf(stderr, "allocation of %zu bytes, at most %zu are allowed\n", size, limit);
        abort();
    }
}

static void
see_release(const volatile void *memory)
{
    (void)memory;
}

void
fuzz_limit_allocations(size_t bytes)
{
    static int installed;
    if (!installed)
        installed = __sanitizer_install_malloc_and_free_hooks(see_allocation, see_release);
    largest_allocation = bytes;
}

char *
input_line(struct input *self, struct arena *arena)
{
    const char *end = self->size ? memchr(self->data, '\n', self->size) : NULL;
    size_t size = end ? (size_t)(end - self->data) : self->size;
    char *line = arena_alloc(arena, size + 1);
    if (size)
        memcpy(line, self->data, size);
    size_t taken = size + (end != NULL);
    self->data += taken;
    self->size -= taken;
    return line;
}
