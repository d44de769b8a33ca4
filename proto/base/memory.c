// memory.c - malloc that never returns NULL, and what the heap gives back. Any thread.
#include "proto/base/memory.h"

#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
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

// Seven blocks of each size up to this many bytes: most that a request takes are smaller.
static const char caches_bound[] = "glibc.malloc.tcache_max=128";
enum { TUNABLES_CAP = 1024 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool heap_is_glibcs = false;
#else
static const bool heap_is_glibcs = true;
#endif

static const char own_file[] = "/proc/self/exe";

// Whether this is the file that runs. One that was removed has a path that another may have.
static bool
is_own_file(const char *path)
{
    struct stat own, other;
    return stat(own_file, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
}

// By the program's own path: "exe" would become the name of the process.
static void
start_again(char *const argv[])
{
    char path[PATH_MAX];
    ssize_t size = readlink(own_file, path, sizeof path - 1);
    if (size <= 0)
        return;
    path[size] = '\0';
    if (is_own_file(path))
        execv(path, argv);
}

void
memory_bound_caches(char *const argv[])
{
    const char *said = getenv("GLIBC_TUNABLES");
    char tunables[TUNABLES_CAP];
    // A program with capabilities of its own never sees this variable, and would start for ever.
    // One that its dynamic loader was asked to run (it has no base then) would become that loader.
    if (!heap_is_glibcs || getauxval(AT_SECURE) || !getauxval(AT_BASE) ||
        (said && strstr(said, "glibc.malloc.tcache")))
        return;
    int size = snprintf(tunables, sizeof tunables, "%s%s%s", said ? said : "", said ? ":" : "",
                        caches_bound);
    if (size < (int)sizeof tunables && setenv("GLIBC_TUNABLES", tunables, 1) == 0)
        start_again(argv);
}

double
memory_resident(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    bool is_read = file && fscanf(file, "%ld %ld", &all, &resident) == 2;
    if (file)
        fclose(file);
    return is_read ? (double)resident * (double)sysconf(_SC_PAGESIZE) : NAN;
}

void
memory_trim(void)
{
    malloc_trim(0);
}

bool
memory_rest_has_come(struct memory_rest *self, uint64_t now_ms, uint64_t cpu_us)
{
    enum { WORK_US = 500000, REST_SHARE = 20, US_OF_MS = 1000, LOOK_MS = 900 };
    uint64_t passed_ms = now_ms - self->looked_ms, took_us = cpu_us - self->looked_cpu_us;
    if (passed_ms < LOOK_MS) // a signal came in between
        return false;
    self->looked_ms = now_ms;
    self->looked_cpu_us = cpu_us;
    self->worked_us += took_us;
    if (self->worked_us < WORK_US || took_us * REST_SHARE >= passed_ms * US_OF_MS)
        return false;
    self->worked_us = 0;
    return true;
}
