// memory.h - heap memory, or the end of the process. What a client can make grow is bounded by
// limits.h, so the best answer to a refusal is that a supervisor starts the server again.
#ifndef DIORAMA_PROTO_BASE_MEMORY_H
#define DIORAMA_PROTO_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `size` bytes, not zeroed; free() ends them.
void *memory_take(size_t size) __attribute__((returns_nonnull, malloc));

// `size` zeroed bytes; free() ends them.
void *memory_take_zeroed(size_t size) __attribute__((returns_nonnull, malloc));

// `memory` (or NULL) with room for `size` bytes; the old pointer is no longer valid.
void *memory_resize(void *memory, size_t size) __attribute__((returns_nonnull));

// Makes the heap give back what a flood of requests took: large blocks go back to the system at
// once, whatever was freed before, and threads share few arenas. Call it once, before any thread
// starts.
void memory_tune(void);

// Bounds what each thread keeps of freed blocks to some KiB; else hundreds of workers keep up to
// 235 KiB each, and memory rises for hours. glibc reads that setting before main, so the program
// starts again with it, with the same `argv` and process id. Returns where that is so already,
// where GLIBC_TUNABLES says something else of it, and where the system refuses. Call it first.
void memory_bound_caches(char *const argv[]);

// Bytes of the process that are in memory, as the system counts them; NAN where it does not say.
double memory_resident(void);

// Gives the system all that is free in the heap. It may take some milliseconds, and who allocates
// meanwhile may wait.
void memory_trim(void);

// Whether a process rests after it has worked, so that it is time for memory_trim: the last second
// took less than a twentieth of a processor, and half a second of one has been taken since the last
// time. Ask it about once a second, with the times of clock.h: `cpu_us` of all threads together.
// Embedded; all zero is a process that has not worked yet.
struct memory_rest {
    uint64_t looked_ms, looked_cpu_us;
    uint64_t worked_us; // since the last time, or the first look
};
bool memory_rest_has_come(struct memory_rest *self, uint64_t now_ms, uint64_t cpu_us);

#endif
