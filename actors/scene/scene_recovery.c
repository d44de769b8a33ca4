// scene_recovery.c - reads the index of a scene actor's partitions at the start. The objects stay
// on disk until somebody asks for them.

#include "actors/scene/scene_recovery.h"

#include "actors/scene/device/corrections.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_sweep.h"
#include "actors/scene/token_index.h"
#include "actors/scene/user_index.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"

enum { READ_DEADLINE_MS = 600000 };

// What a scan of one partition fills.
struct reading {
    struct shard *shard;
    uint16_t part;
    struct table scenes; // of this partition, by internal id
    enum error error;
};

static bool
has_id(const void *value, const void *key)
{
    const struct scene_state *scene = value;
    const uint64_t *id = key;
    return scene->id == *id;
}

// NULL, and logged, where the record is damaged.
static const frozen_t *
decode(struct reading *self, key_tag_t tag, struct bytes key, struct bytes value)
{
    const frozen_t *frozen = NULL;
    self->error =
        record_frozen_from_stored(scene_family_schema(tag), value.data, value.size, &frozen);
    if (self->error != OK)
        log_error("record_damaged", "actor=%s partition=%u key=%.*s", self->shard->base.name,
                  self->part, (int)key.size, (const char *)key.data);
    return frozen;
}

static bool
read_scene(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)version;
    const frozen_t *record = decode(self, KEY_SCENE, key, value);
    if (!record)
        return false;
    struct scene_state *scene = scene_state_create(scene_of(frozen_record(record)));
    scene->record = record;
    scenes_index(self->shard, scene);
    scene_dues_enter(self->shard, KEY_SCENE, record);
    scene_cache_enter(self->shard, scene);
    table_add(&self->scenes, table_hash_u64(scene->id), scene);
    scene_release(&scene);
    return true;
}

// NULL where the scene is deleted: its sweep removes the record.
static struct scene_state *
state_of(const struct reading *self, struct bytes key)
{
    uint64_t id = 0;
    return key_scene_id(key, &id) ? table_find(&self->scenes, table_hash_u64(id), has_id, &id)
                                  : NULL;
}

static bool
read_correction(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)version;
    struct scene_state *scene = state_of(self, key);
    if (!scene)
        return true;
    const frozen_t *record = decode(self, KEY_EVIDENCE, key, value);
    if (!record)
        return false;
    correction_known(self->shard, scene, record);
    record_unref(&record);
    return true;
}

static bool
read_device(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)version;
    struct scene_state *scene = state_of(self, key);
    if (!scene)
        return true;
    const frozen_t *record = decode(self, KEY_DEVICE, key, value);
    if (!record)
        return false;
    record_set_put(&scene->devices, record);
    self->shard->devices++;
    scene_dues_enter(self->shard, KEY_DEVICE, record);
    token_index_put(self->shard, scene, record);
    if (self->shard->settings.intake)
        sealed_intake_put(self->shard->settings.intake, device_of(frozen_record(record)), true);
    user_index_put(self->shard, scene, record);
    corrections_device_here(self->shard, scene, frozen_record(record));
    shard_emit(self->shard, scene, record, EVENT_DEVICE_KNOWN);
    record_unref(&record);
    return true;
}

static bool
read_leaving(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)version;
    struct scene_state *scene = state_of(self, key);
    if (!scene)
        return true;
    const frozen_t *mark = decode(self, KEY_LEAVING, key, value);
    if (!mark)
        return false;
    held_locks_known(self->shard, scene, mark);
    record_unref(&mark);
    return true;
}

// A damaged sum is made anew when the entities of its scene are read.
static bool
read_holding(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    struct scene_state *scene = state_of(self, key);
    struct arena arena = {0};
    (void)version;
    const struct text *payer = key_text_in_scene(&arena, key);
    if (scene && payer && value.size == sizeof(uint64_t))
        scene_holdings_known(self->shard, scene, payer, (int64_t)key_get_u64(value.data));
    arena_finish(&arena);
    return true;
}

static bool
read_fence(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct scene_state *scene = state_of(context, key);
    (void)version;
    if (scene)
        lock_ledger_fence_known(scene, value);
    return true;
}

static bool
read_lease(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    struct scene_state *scene = state_of(self, key);
    struct arena arena = {0};
    const struct text *object = key_text_in_scene(&arena, key);
    (void)version;
    if (scene && object)
        lock_ledger_lease_known(self->shard, scene, object, value);
    arena_finish(&arena);
    return true;
}

static bool
read_sweep(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    uint64_t id;
    (void)version;
    (void)value;
    // Where the relationships of the scene are not gone yet, the sweep begins after them.
    if (key_scene_id(key, &id) && !outbox_has_scene(&self->shard->outbox, (int64_t)id))
        sweep_begin(self->shard, self->part, id);
    return true;
}

static fallible
read_tag(struct reading *self, key_tag_t tag, store_visitor *visit)
{
    struct key low = key_of_tag(tag), high = key_after(&low);
    enum store_result result =
        store_scan(self->shard->store, FAMILY_SCENE, self->part, key_bytes(&low), key_bytes(&high),
                   false, 0, clock_deadline_ms(READ_DEADLINE_MS), visit, self);
    if (result == STORE_BAD || self->error != OK)
        return fail(ERR_INTERNAL, "",
                    "the index of partition %u is damaged (tag %c; see the log); restore a backup",
                    self->part, (char)tag);
    if (result != STORE_OK)
        return fail(store_error(result), "", "the index of partition %u cannot be read",
                    self->part);
    return OK;
}

static fallible
read_partition(struct shard *shard, uint16_t part)
{
    struct reading reading = {.shard = shard, .part = part};
    enum error error = read_tag(&reading, KEY_SCENE, read_scene);
    if (error == OK)
        error = read_tag(&reading, KEY_EVIDENCE, read_correction); // before their devices
    if (error == OK)
        error = read_tag(&reading, KEY_DEVICE, read_device);
    if (error == OK)
        error = read_tag(&reading, KEY_LEAVING, read_leaving);
    if (error == OK)
        error = read_tag(&reading, KEY_HOLDING, read_holding);
    if (error == OK)
        error = read_tag(&reading, KEY_FENCE, read_fence);
    if (error == OK)
        error = read_tag(&reading, KEY_LEASE, read_lease);
    if (error == OK)
        error = outbox_read(&shard->outbox, shard->store, part);
    repeats_read(&shard->repeats, shard->store, part);
    if (error == OK)
        error = read_tag(&reading, KEY_SWEEP, read_sweep);
    table_finish(&reading.scenes);
    return error;
}

fallible
recovery_read_index(struct shard *self)
{
    for (unsigned part = 0; part < PARTITION_COUNT; part++)
        if (part % self->settings.shards == self->settings.shard)
            TRY(read_partition(self, (uint16_t)part));
    repeats_begin(&self->repeats);
    corrections_tell(self);
    log_info("index_read", "actor=%s scenes=%zu", self->base.name,
             record_set_count(&self->catalogue));
    return OK;
}
