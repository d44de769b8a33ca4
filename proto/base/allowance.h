// allowance.h - bytes that many hold parts of, with a limit for all of them together. Any thread.
#ifndef DIORAMA_PROTO_BASE_ALLOWANCE_H
#define DIORAMA_PROTO_BASE_ALLOWANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// Embedded; `most` is set before anybody takes.
struct allowance {
    size_t most;
    _Atomic size_t taken;
};

static inline void
allowance_give(struct allowance *self, size_t size)
{
    atomic_fetch_sub(&self->taken, size);
}

// Takes in any case; false if all together hold more than is allowed now.
static inline bool
allowance_add(struct allowance *self, size_t size)
{
    return atomic_fetch_add(&self->taken, size) + size <= self->most;
}

// False, and nothing is taken, if all together would hold more than is allowed.
static inline bool
allowance_take(struct allowance *self, size_t size)
{
    if (allowance_add(self, size))
        return true;
    allowance_give(self, size);
    return false;
}

// What was `*held` has turned out to be `size`, whatever the limit is.
static inline void
allowance_settle(struct allowance *self, size_t *held, size_t size)
{
    atomic_fetch_add(&self->taken, size - *held); // the sum is right although the difference wraps
    *held = size;
}

#endif
