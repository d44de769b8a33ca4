// store_check.c - the families that have index records, one after the other (store_check.h).
#include "actors/store_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "actors/asset/asset_actor.h"
#include "actors/runtime/index_check.h"
#include "actors/scene/scene_actor.h"
#include "actors/user/user_actor.h"

static fallible
check_family(store_t *store, const struct index_family *family, uint64_t *mended)
{
    struct index_counts counts;
    TRY(index_check(store, family, &counts));
    printf("%s: %" PRIu64 " records, %" PRIu64 " index records; %" PRIu64 " missing, %" PRIu64
           " stray, %" PRIu64 " damaged\n",
           store_family_names[family->family], counts.records, counts.entries, counts.missing,
           counts.stray, counts.damaged);
    *mended += counts.missing + counts.stray;
    if (counts.damaged > 0)
        return fail(ERR_INTERNAL, "", "%" PRIu64 " records are damaged (see the log)",
                    counts.damaged);
    return OK;
}

static fallible
check_dues(store_t *store, uint64_t *mended)
{
    const struct due_family family = asset_actor_dues();
    uint64_t other;
    TRY(due_count(store, &family, &other));
    printf("%s: %" PRIu64 " sums of what users pay for differ\n",
           store_family_names[family.indexes.family], other);
    *mended += other;
    return OK;
}

fallible
store_check(store_t *store, uint64_t *ret_mended)
{
    const struct index_family families[] = {asset_actor_indexes(), user_actor_indexes(),
                                            scene_actor_indexes()};
    enum error error = OK;
    *ret_mended = 0;
    for (size_t i = 0; i < sizeof families / sizeof families[0] && error == OK; i++)
        error = check_family(store, &families[i], ret_mended);
    return error == OK ? check_dues(store, ret_mended) : error;
}
