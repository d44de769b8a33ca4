// migration.c - the steps from one format to the next, in a table (migration.h). A step may be done
// again from its start: what it has written is found, and not written again.
#include "actors/migration.h"

#include <inttypes.h>

#include "actors/asset/asset_actor.h"
#include "actors/runtime/index_check.h"
#include "actors/scene/scene_actor.h"
#include "actors/streamer/streamer.h"
#include "actors/user/user_actor.h"
#include "actors/user/user_upgrade.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/format.h"

// Index records of all records of a family. What is damaged ends no start: what of it cannot be
// read has no index records.
static fallible
write_indexes(store_t *store, struct index_family family, const char *event)
{
    struct index_counts counts;
    TRY(index_check(store, &family, &counts));
    if (counts.damaged > 0)
        log_error(event, "damaged=%" PRIu64, counts.damaged);
    return OK;
}

static fallible
index_library(store_t *store)
{
    return write_indexes(store, asset_actor_indexes(), "lists_incomplete");
}

static fallible
index_users(store_t *store)
{
    return write_indexes(store, user_actor_indexes(), "users_incomplete");
}

static fallible
index_uses(store_t *store)
{
    return write_indexes(store, scene_actor_indexes(), "uses_incomplete");
}

// What leads from a format to the next. Steps are never taken out or changed in their order.
struct step {
    uint32_t format;
    const char *name;
    fallible (*run)(store_t *store);
};

static const struct step steps[] = {
    {FORMAT_0_1, "index-library", index_library},
    {FORMAT_0_1, "index-users", index_users},
    {FORMAT_LIBRARY_INDEXED, "index-uses", index_uses},
    {FORMAT_DUES_SUMMED, "index-lists", index_library},
    {FORMAT_LISTS_INDEXED, "index-user-lists", index_users},
    {FORMAT_LISTS_INDEXED, "sessions-of-users", user_upgrade_sessions},
    {FORMAT_LISTS_INDEXED, "devices-of-users", user_upgrade_claims},
};

enum { STEPS = sizeof steps / sizeof steps[0] };

// Steps `done` and after of a format.
static fallible
leave_format(store_t *store, uint32_t format, uint32_t done)
{
    uint32_t number = 0;
    for (size_t i = 0; i < STEPS; i++) {
        if (steps[i].format != format || number++ < done)
            continue;
        uint64_t began_us = clock_now_us();
        TRY(steps[i].run(store));
        TRY(format_write(store, format, number));
        log_info("upgrade_step", "format=%u step=%u name=%s ms=%" PRIu64, format, number,
                 steps[i].name, (clock_now_us() - began_us) / 1000);
    }
    return format_write(store, format + 1, 0);
}

// To the format of this version.
static fallible
leave_formats(store_t *store)
{
    uint32_t format, done;
    uint64_t epoch;
    TRY(format_read(store, &format, &done));
    TRY(streamer_last_epoch(store, &epoch));
    if (format == FORMAT_NOW)
        return OK;
    if (epoch == 0) // a new store
        return format_write(store, FORMAT_NOW, 0);
    log_info("upgrade_from", "format=%u steps=%u", format, done);
    for (; format < FORMAT_NOW; format++, done = 0)
        TRY(leave_format(store, format, done));
    log_info("upgraded", "format=%d", FORMAT_NOW);
    return OK;
}

// What users pay for is counted here where another version counted it: it may measure records
// differently without another format.
fallible
migration_run(store_t *store)
{
    const struct due_family dues = asset_actor_dues();
    TRY(leave_formats(store));
    return due_count_if_needed(store, &dues);
}
