// memory.c - malloc that never returns NULL, and what the heap gives back. Any thread.
#include "proto/base/memory.h"

#include <malloc.h>
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

enum {
    LARGE_BYTES = 1 << 20,
    KEPT_BYTES = 4 << 20, // free at the end of a heap: answers of many records come and go
    ARENAS_FEWEST = 8,
    ARENAS_PER_PROCESSOR = 2,
};

void
memory_tune(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int arenas = processors > 0 ? (int)processors * ARENAS_PER_PROCESSOR : 0;
    mallopt(M_ARENA_MAX, arenas > ARENAS_FEWEST ? arenas : ARENAS_FEWEST);
    // Left alone, glibc raises both with each large block that is freed, up to 32 and 64 MiB.
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

void
memory_trim(void)
{
    malloc_trim(0);
}
