// use_slice.c - index records first, part by part, then their records (use_slice.h). What one slice
// reads is bounded in parts too: most assets are named in few of them.
#include "actors/scene/use_slice.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/scene/use_index.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"
#include "proto/records/asset_use.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum {
    PARTS_OF_SLICE = 64,
    RECORDS_OF_SLICE = 200,
    READ_US = 20000, // records are read for so long, and one record more
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

// What lists show of a record, one reference; NULL where it names the asset no more: it may have
// changed since, and long keys are cut in index records.
static const frozen_t *
use_of(const struct record *record, const struct text *asset)
{
    owned(arena_finish) struct arena arena = {0};
    bool is_object = record->schema == &object_schema;
    if (!texts_contain(use_index_assets(record), asset))
        return NULL;
    struct record *use = record_new(&arena, &asset_use_schema);
    record_set_text(use, ASSET_USE_KIND, text_from(&arena, is_object ? "object" : "scene"));
    record_set_text(use, ASSET_USE_KEY, record_key(record));
    record_set_text(use, ASSET_USE_NAME,
                    is_object ? entity_of(record)->name : scene_of(record)->name);
    if (is_object)
        record_set_text(use, ASSET_USE_SCENE, entity_of(record)->scene);
    return record_freeze(&asset_use_schema, use);
}

// Puts into the slice what a stored record says. One that cannot be read is left out, and told.
static void
take_value(struct slice *slice, uint32_t i, const struct index_kind *kind, struct bytes name,
           struct bytes value)
{
    const frozen_t *record = NULL;
    if (record_frozen_from_stored(kind->schema, value.data, value.size, &record) != OK) {
        log_error("use_unreadable", "part=%u tag=%c", slice->parts[i], (char)kind->tag);
        return;
    }
    const struct record *read = frozen_record(record);
    if (kind->tag == KEY_SCENE)
        slice->numbers[i] = (uint64_t)scene_of(read)->id;
    else if (name.size > sizeof(uint64_t))
        slice->numbers[i] = key_get_u64(name.data);
    slice->records[i] = use_of(read, slice->asker->params->asset);
    record_unref(&record);
}

// Follows an index record.
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
    const struct key key = key_of_name(kind->tag, name);
    const struct store_address address = {FAMILY_SCENE, slice->parts[i], key_bytes(&key)};
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(LOAD_DEADLINE_MS), &version, &value, &size);
    if (result == STORE_OK)
        take_value(slice, i, kind, name, (struct bytes){value, size});
    free(value);
    // What is damaged in one scene ends no list of others; the store has told it.
    return result == STORE_ABSENT || result == STORE_BAD ? STORE_OK : result;
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
    uint64_t end_us = clock_now_us() + READ_US;
    for (uint32_t i = 0; i < slice->count && result == STORE_OK; i++) {
        if (i > 0 && clock_now_us() > end_us) {
            end_before(slice, i);
            break;
        }
        result = read_record(store, slice, &family, i);
    }
    return result;
}
