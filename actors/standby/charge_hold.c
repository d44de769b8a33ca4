// charge_hold.c - see charge_hold.h.
#include "actors/standby/charge_hold.h"

#include "actors/runtime/lane_claim.h"
#include "proto/base/clock.h"
#include "proto/message/lease.h"

// Who believed to be in charge may have commits under way: none is written any more once its
// markers have changed. Before the store is migrated, checked or read.
static fallible
fence_committers(store_t *store)
{
    struct lane_family families[FAMILY_COUNT];
    for (unsigned family = 0; family < FAMILY_COUNT; family++)
        families[family] = (struct lane_family){.family = (enum family)family};
    store_version_t last;
    return lane_claim(store, families, FAMILY_COUNT, &last);
}

fallible
charge_hold(const struct charge_taking *taking, void (*replaced)(void),
            charge_keeper_t **ret_keeper)
{
    struct seen_charge seen;
    if (!taking->store->is_shared)
        return OK;
    TRY(charge_take(taking, &seen));
    TRY(charge_keeper_create(taking->store, &seen, replaced, ret_keeper));
    return fence_committers(taking->store);
}

static fallible
wait_until(void *context, const char *name)
{
    const uint64_t *until_ms = context;
    if (clock_left_ms(*until_ms) > 0)
        return OK;
    return fail(ERR_UNAVAILABLE, "",
                "another server (%s) uses the database of store.uri; stop it first", name);
}

fallible
charge_hold_soon(store_t *store, const struct config *config, void (*replaced)(void),
                 charge_keeper_t **ret_keeper)
{
    uint64_t until_ms = clock_deadline_ms(LEASE_SILENT_MS + LEASE_BEAT_MS);
    const struct charge_taking taking = {store, config, wait_until, &until_ms};
    return charge_hold(&taking, replaced, ret_keeper);
}
