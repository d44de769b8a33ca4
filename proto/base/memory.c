// memory.c - malloc that never returns NULL. Any thread.
#include "proto/base/memory.h"

#include <stdlib.h>
#include <unistd.h>

// Reports it without allocating, then aborts: the core shows who asked for how much.
static void *
require(void *memory)
{
    static const char words[] = "diorama: the system refused memory\n";
    if (!memory) {
        ssize_t ignored = write(STDERR_FILENO, words, sizeof(words) - 1);
        (void)ignored;
        abort();
    }
    return memory;
}

void *
memory_take(size_t size)
{
    return require(malloc(size ? size : 1));
}

void *
memory_take_zeroed(size_t size)
{
    return require(calloc(1, size ? size : 1));
}

void *
memory_resize(void *memory, size_t size)
{
    return require(realloc(memory, size ? size : 1));
}
