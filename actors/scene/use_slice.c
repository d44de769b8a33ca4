// use_slice.c - index records first, part by part, then their records (use_slice.h). What one slice
// reads is bounded in parts too: most assets are named in few of them.
#include "actors/scene/use_slice.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/scene/use_index.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"

enum {
    PARTS_OF_SLICE = 64,
    RECORDS_OF_SLICE = 200,
    BYTES_OF_SLICE = 4 << 20, // of its records, and one record more
};

static_assert((int)RECORDS_OF_SLICE <= (int)SLICE_LIMIT, "a slice has room for them");

static bool
visit(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct slice *slice = context;
    (void)version, (void)value;
    if (key.size > sizeof slice->low.data)
        return true; // none of ours
    struct key found = {.size = key.size};
    memcpy(found.data, key.data, key.size);
    if (slice->count == RECORDS_OF_SLICE) {
        slice->more = true;
        slice->low = found;
        return false;
    }
    slice->parts[slice->count] = slice->part;
    slice->keys[slice->count++] = found;
    return true;
}

// The index records of one partition, from `low` on.
static enum store_result
read_part(store_t *store, struct slice *slice)
{
    struct store_range ranges[USE_ROWS];
    struct key lows[USE_ROWS], highs[USE_ROWS];
    struct store_scan scan = {.family = FAMILY_SCENE, .part = slice->part, .ranges = ranges};
    for (size_t i = 0; i < USE_ROWS; i++) {
        const struct key *prefix = &slice->prefixes[i];
        bool is_begun = key_compare(&slice->low, prefix) > 0;
        size_t at = scan.range_count;
        highs[at] = key_after(prefix);
        if (is_begun && key_compare(&slice->low, &highs[at]) >= 0)
            continue; // an earlier slice has read it
        lows[at] = is_begun ? slice->low : *prefix;
        ranges[at] = (struct store_range){key_bytes(&lows[at]), key_bytes(&highs[at])};
        scan.range_count++;
    }
    if (scan.range_count == 0)
        return STORE_OK;
    return store_scan_ranges(store, &scan, clock_deadline_ms(LOAD_DEADLINE_MS), visit, slice);
}

static enum store_result
read_index(store_t *store, struct slice *slice)
{
    for (unsigned i = 0; i < PARTS_OF_SLICE; i++) {
        enum store_result result = read_part(store, slice);
        if (result != STORE_OK || slice->more)
            return result;
        slice->low = (struct key){0};
        if (slice->part + slice->step >= PARTITION_COUNT)
            return STORE_OK;
        slice->part = (uint16_t)(slice->part + slice->step);
    }
    slice->more = true;
    return STORE_OK;
}

// The record that an index record leads to. One that cannot be read is left out, and told.
static enum store_result
read_record(store_t *store, struct slice *slice, const struct index_family *family, uint32_t i)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    void *value = NULL;
    size_t size;
    store_version_t version;
    if (!index_key_read(family, key_bytes(&slice->keys[i]), &kind, &row, &name))
        return STORE_OK;
    if (kind->tag == KEY_OBJECT && name.size > sizeof(uint64_t))
        slice->numbers[i] = key_get_u64(name.data);
    const struct key key = key_of_name(kind->tag, name);
    const struct store_address address = {FAMILY_SCENE, slice->parts[i], key_bytes(&key)};
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(LOAD_DEADLINE_MS), &version, &value, &size);
    if (result == STORE_OK &&
        record_frozen_from_stored(kind->schema, value, size, &slice->records[i]) != OK)
        log_error("use_unreadable", "part=%u tag=%c", slice->parts[i], (char)kind->tag);
    free(value);
    return result == STORE_ABSENT ? STORE_OK : result;
}

// The next slice begins with this index record.
static void
end_before(struct slice *slice, uint32_t i)
{
    slice->part = slice->parts[i];
    slice->low = slice->keys[i];
    slice->count = i;
    slice->more = true;
}

enum store_result
use_slice_read(store_t *store, struct slice *slice)
{
    const struct index_family family = use_index_family();
    enum store_result result = read_index(store, slice);
    size_t bytes = 0;
    for (uint32_t i = 0; i < slice->count && result == STORE_OK; i++) {
        if (bytes > BYTES_OF_SLICE) {
            end_before(slice, i);
            break;
        }
        result = read_record(store, slice, &family, i);
        bytes += slice->records[i] ? record_size(slice->records[i]) : 0;
    }
    return result;
}
