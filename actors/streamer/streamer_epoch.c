// streamer_epoch.c - reads and writes the number of this start, on the caller's thread, before any
// actor runs.
#include "actors/streamer/streamer_epoch.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "actors/streamer/streamer_family.h"
#include "actors/streamer/streamer_starts.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/key.h"

enum { EPOCH_DEADLINE_MS = 30000 };

static fallible
read_epoch(store_t *store, const struct store_address *address, uint64_t deadline_ms,
           store_version_t *ret_version, uint64_t *ret_epoch)
{
    store_version_t version = 0;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = store_get(store, address, deadline_ms, &version, &value, &size);
    if (result != STORE_OK && result != STORE_ABSENT)
        return fail(store_error(result), "", "the number of this start cannot be read");
    *ret_version = version;
    *ret_epoch = size == sizeof *ret_epoch ? key_get_u64(value) : 0;
    free(value);
    return OK;
}

static void
starts_free(struct streamer_starts **starts)
{
    free(*starts);
}

// Followers and the log of backups go by the starts of RocksDB; a database has a log of its own.
static fallible
note_start(store_t *store, const char *lineage, uint64_t last, uint64_t next, uint64_t deadline_ms,
           struct streamer_starts *starts)
{
    uint64_t position;
    memset(starts, 0, sizeof *starts);
    if (store->is_shared)
        return OK;
    TRY(streamer_starts_read(store, lineage, last, deadline_ms, starts));
    TRY(store_error(store_position(store, &position)));
    streamer_starts_add(starts, next, position);
    return OK;
}

// Guarded: another process may start at the same time, and two must not share a number.
static enum store_result
write_epoch(store_t *store, const struct store_guard *guard, uint64_t deadline_ms, uint64_t epoch,
            struct streamer_starts *starts)
{
    unsigned char bytes[sizeof epoch];
    key_put_u64(bytes, epoch);
    starts->operations[starts->operation_count++] =
        (struct store_operation){.address = guard->address, .value = {bytes, sizeof bytes}};
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = guard,
                                        .guard_count = 1,
                                        .operations = starts->operations,
                                        .operation_count = starts->operation_count,
                                        .is_vital = true};
    return store_commit(store, &commit, deadline_ms);
}

uint64_t
epoch_after(uint64_t last, uint64_t calendar_us, uint32_t random)
{
    uint32_t bits = random & ((1U << EPOCH_RANDOM_BITS) - 1);
    uint64_t now = calendar_us / 1000 << EPOCH_RANDOM_BITS | bits;
    return now > last && now < EPOCH_LIMIT ? now : last + 1;
}

fallible
streamer_last_epoch(store_t *store, uint64_t *ret_epoch)
{
    const struct key key = key_of_tag(KEY_EPOCH);
    const struct store_address address = {FAMILY_STREAMER, 0, key_bytes(&key)};
    store_version_t version;
    *ret_epoch = 0;
    return read_epoch(store, &address, clock_deadline_ms(EPOCH_DEADLINE_MS), &version, ret_epoch);
}

fallible
streamer_next_epoch(store_t *store, const char *lineage, struct timeline *ret_timeline,
                    uint64_t *ret_epoch)
{
    const struct key key = key_of_tag(KEY_EPOCH);
    struct store_guard guard = {{FAMILY_STREAMER, 0, key_bytes(&key)}, 0};
    uint64_t deadline_ms = clock_deadline_ms(EPOCH_DEADLINE_MS), last = 0, next = 0;
    owned(starts_free) struct streamer_starts *starts = memory_take(sizeof *starts);
    enum store_result result = STORE_CONFLICT;
    while (result == STORE_CONFLICT) {
        TRY(read_epoch(store, &guard.address, deadline_ms, &guard.version, &last));
        next = epoch_after(last, clock_calendar_us(), randombytes_random());
        TRY(note_start(store, lineage, last, next, deadline_ms, starts));
        result = write_epoch(store, &guard, deadline_ms, next, starts);
    }
    if (result != STORE_OK)
        return fail(store_error(result), "", "the number of this start cannot be written");
    *ret_timeline = starts->timeline;
    *ret_epoch = next;
    return OK;
}
