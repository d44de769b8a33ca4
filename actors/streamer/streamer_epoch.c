// streamer_epoch.c - reads and writes the number of this start, on the caller's thread, before any
// actor runs.
#include "actors/streamer/streamer_epoch.h"

#include <sodium.h>
#include <stdlib.h>

#include "actors/streamer/streamer_family.h"
#include "actors/streamer/streamer_starts.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/key.h"

enum { EPOCH_DEADLINE_MS = 30000 };

static fallible
read_epoch(store_t *store, const struct store_address *address, uint64_t deadline_ms,
           uint64_t *ret_epoch)
{
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = store_get(store, address, deadline_ms, &version, &value, &size);
    if (result != STORE_OK && result != STORE_ABSENT)
        return fail(store_error(result), "", "the number of this start cannot be read");
    *ret_epoch = size == sizeof *ret_epoch ? key_get_u64(value) : 0;
    free(value);
    return OK;
}

static void
starts_free(struct streamer_starts **starts)
{
    free(*starts);
}

static fallible
write_epoch(store_t *store, const struct store_address *address, uint64_t deadline_ms,
            uint64_t epoch, struct streamer_starts *starts)
{
    unsigned char bytes[sizeof epoch];
    key_put_u64(bytes, epoch);
    starts->operations[starts->operation_count++] =
        (struct store_operation){.address = *address, .value = {bytes, sizeof bytes}};
    const struct store_commit commit = {.id = store_version_new(),
                                        .operations = starts->operations,
                                        .operation_count = starts->operation_count,
                                        .is_vital = true};
    enum store_result result = store_commit(store, &commit, deadline_ms);
    if (result != STORE_OK)
        return fail(store_error(result), "", "the number of this start cannot be written");
    return OK;
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
    *ret_epoch = 0;
    return read_epoch(store, &address, clock_deadline_ms(EPOCH_DEADLINE_MS), ret_epoch);
}

fallible
streamer_next_epoch(store_t *store, const char *lineage, struct timeline *ret_timeline,
                    uint64_t *ret_epoch)
{
    const struct key key = key_of_tag(KEY_EPOCH);
    const struct store_address address = {FAMILY_STREAMER, 0, key_bytes(&key)};
    uint64_t deadline_ms = clock_deadline_ms(EPOCH_DEADLINE_MS), last = 0, position;
    owned(starts_free) struct streamer_starts *starts = memory_take(sizeof *starts);
    TRY(read_epoch(store, &address, deadline_ms, &last));
    uint64_t next = epoch_after(last, clock_calendar_us(), randombytes_random());
    TRY(streamer_starts_read(store, lineage, last, deadline_ms, starts));
    TRY(store_error(store_position(store, &position)));
    streamer_starts_add(starts, next, position);
    TRY(write_epoch(store, &address, deadline_ms, next, starts));
    *ret_timeline = starts->timeline;
    *ret_epoch = next;
    return OK;
}
