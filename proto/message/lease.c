// lease.c - one time for the whole process (lease.h).
#include "proto/message/lease.h"

#include <stdatomic.h>

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

#define NEEDS_NONE UINT64_MAX

enum { LOST = 0 };

static _Atomic uint64_t holds_until_ms = NEEDS_NONE;
static _Atomic uint64_t blind_after_ms = LEASE_BLIND_MS;

bool
lease_holds(void)
{
    uint64_t until_ms = atomic_load(&holds_until_ms);
    return until_ms == NEEDS_NONE || clock_boot_ms() < until_ms;
}

fallible
lease_check(void)
{
    if (lease_holds())
        return OK;
    counter_add(COUNT_LEASE_REFUSED, 1);
    return fail(ERR_UNAVAILABLE, "",
                "another server may be in charge of the database; read again before repeating a "
                "change");
}

void
lease_extend(uint64_t until_ms)
{
    uint64_t before_ms = atomic_load(&holds_until_ms);
    while (before_ms != LOST &&
           !atomic_compare_exchange_weak(&holds_until_ms, &before_ms, until_ms))
        continue;
}

bool
lease_lose(void)
{
    return atomic_exchange(&holds_until_ms, LOST) != LOST;
}

bool
lease_is_lost(void)
{
    return atomic_load(&holds_until_ms) == LOST;
}

bool
lease_is_needed(void)
{
    return atomic_load(&holds_until_ms) != NEEDS_NONE;
}

bool
lease_is_blind(void)
{
    uint64_t until_ms = atomic_load(&holds_until_ms);
    if (until_ms == LOST)
        return true;
    return until_ms != NEEDS_NONE && clock_boot_ms() >= until_ms + atomic_load(&blind_after_ms);
}

void
lease_set_blind(uint64_t after_ms)
{
    atomic_store(&blind_after_ms, after_ms);
}
