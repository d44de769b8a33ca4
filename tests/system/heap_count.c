// heap_count.c - what C has on the heap, counted block by block: a library that is loaded before
// the server (LD_PRELOAD) and writes its two numbers into the file of HEAP_COUNT_FILE, where a test
// reads them at any time. C++ allocates by `new` and is not counted, so neither are RocksDB's
// memtables and its cache, which come and go by their own rules. Any thread.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// As soak_test.py reads them.
struct counts {
    _Atomic int64_t bytes, blocks;
};

static struct counts unread;
static struct counts *counts = &unread;

// What glibc's own functions of these names do.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

__attribute__((constructor)) static void
counts_open(void)
{
    const char *path = getenv("HEAP_COUNT_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED)
        return;
    counts = shared;
    atomic_fetch_add(&counts->bytes, atomic_load(&unread.bytes));
    atomic_fetch_add(&counts->blocks, atomic_load(&unread.blocks));
}

static void *
counted(void *block)
{
    if (block) {
        size_t size = malloc_usable_size(block);
        atomic_fetch_add_explicit(&counts->bytes, (int64_t)size, memory_order_relaxed);
        atomic_fetch_add_explicit(&counts->blocks, 1, memory_order_relaxed);
    }
    return block;
}

static void
uncount(void *block)
{
    if (!block)
        return;
    size_t size = malloc_usable_size(block);
    atomic_fetch_sub_explicit(&counts->bytes, (int64_t)size, memory_order_relaxed);
    atomic_fetch_sub_explicit(&counts->blocks, 1, memory_order_relaxed);
}

void *
malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

void *
calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}

void *
realloc(void *block, size_t size)
{
    uncount(block);
    return counted(__libc_realloc(block, size));
}

void *
memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

void
free(void *block)
{
    uncount(block);
    __libc_free(block);
}

// The operators of C++, by the names that its compilers give them. Of what else they are called
// with (the size, std::nothrow) nothing is needed.
typedef void *new_operator(size_t size);
typedef void *new_aligned_operator(size_t size, size_t alignment);
typedef void delete_operator(void *block);

static void *
take(size_t size)
{
    void *block = __libc_malloc(size ? size : 1);
    if (!block)
        abort();
    return block;
}

static void *
take_aligned(size_t size, size_t alignment)
{
    void *block = __libc_memalign(alignment, size ? size : 1);
    if (!block)
        abort();
    return block;
}

static void
give(void *block)
{
    __libc_free(block);
}

#define IS(function) __attribute__((alias(#function)))

// clang-format off
new_operator _Znwm IS(take), _ZnwmRKSt9nothrow_t IS(take);
new_operator _Znam IS(take), _ZnamRKSt9nothrow_t IS(take);
new_aligned_operator _ZnwmSt11align_val_t IS(take_aligned), _ZnwmSt11align_val_tRKSt9nothrow_t IS(take_aligned);
new_aligned_operator _ZnamSt11align_val_t IS(take_aligned), _ZnamSt11align_val_tRKSt9nothrow_t IS(take_aligned);
delete_operator _ZdlPv IS(give), _ZdlPvm IS(give), _ZdlPvRKSt9nothrow_t IS(give);
delete_operator _ZdaPv IS(give), _ZdaPvm IS(give), _ZdaPvRKSt9nothrow_t IS(give);
delete_operator _ZdlPvSt11align_val_t IS(give), _ZdlPvmSt11align_val_t IS(give), _ZdlPvSt11align_val_tRKSt9nothrow_t IS(give);
delete_operator _ZdaPvSt11align_val_t IS(give), _ZdaPvmSt11align_val_t IS(give), _ZdaPvSt11align_val_tRKSt9nothrow_t IS(give);
// clang-format on
