// handover.h - tells the thread sanitizer that memory was handed over through libzmq. Libzmq is not
// instrumented, so every message would look like a race. Does nothing in other builds.
#ifndef DIORAMA_PROTO_BASE_HANDOVER_H
#define DIORAMA_PROTO_BASE_HANDOVER_H

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

// Before `memory` is sent to another thread.
static inline void
handover_give(void *memory)
{
    __tsan_release(memory);
}

// After `memory` was received.
static inline void
handover_take(void *memory)
{
    __tsan_acquire(memory);
}
#else
#define handover_give(memory) ((void)(memory))
#define handover_take(memory) ((void)(memory))
#endif

#endif
