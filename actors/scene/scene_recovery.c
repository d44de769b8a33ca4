// scene_recovery.c - the index of a scene actor's partitions at the start, from what the partition
// reader reads. Scenes rest (scene_rest.h) but for those that have devices, corrections or leases.
// The objects stay on disk until somebody asks for them.

#include "actors/scene/scene_recovery.h"

#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/record_runs.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/event_outlet.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/partition_reader.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_sweep.h"
#include "actors/scene/scene_wake.h"
#include "actors/scene/token_index.h"
#include "actors/scene/user_index.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"

// The scenes of one partition, while it is entered.
struct entering {
    struct shard *shard;
    uint16_t part;
    struct table scenes; // their rows, by internal id
    struct record_run *run;
};

static bool
has_id(const void *value, const void *key)
{
    const struct partition_row *row = value;
    const uint64_t *id = key;
    return row->scene_id == *id;
}

// NULL where the scene is deleted: its sweep removes what is left of it.
static const packed_t *
record_of(const struct entering *self, uint64_t id)
{
    const struct partition_row *row = table_find(&self->scenes, table_hash_u64(id), has_id, &id);
    return row ? frozen_packed(row->record) : NULL;
}

// The state of a scene that is awake; NULL: it rests, or is deleted.
static struct scene_state *
awake(const struct entering *self, uint64_t id)
{
    const packed_t *record = record_of(self, id);
    return record ? scenes_find(self->shard, packed_key(record)) : NULL;
}

// The same of one that has to be awake; NULL where it is deleted.
static struct scene_state *
woken(const struct entering *self, uint64_t id)
{
    const packed_t *record = record_of(self, id);
    struct scene_state *scene = awake(self, id);
    return !scene && record ? scene_wake_at_start(self->shard, record) : scene;
}

// --- by tag ---

static void
enter_scene(struct entering *self, const struct partition_row *row)
{
    record_run_add(self->run, row->record);
    atlas_put_scene(self->shard->settings.atlas, frozen_packed(row->record));
    scene_dues_enter(self->shard, KEY_SCENE, row->record);
    self->shard->scenes_on_disk++;
    table_add(&self->scenes, table_hash_u64(row->scene_id), (void *)(uintptr_t)row);
}

static void
enter_correction(struct entering *self, const struct partition_row *row)
{
    struct scene_state *scene = woken(self, row->scene_id);
    if (scene)
        correction_known(self->shard, scene, row->record);
}

static void
enter_device(struct entering *self, const struct partition_row *row)
{
    struct shard *shard = self->shard;
    const frozen_t *record = row->record;
    struct opened room;
    struct scene_state *scene = woken(self, row->scene_id);
    if (!scene)
        return;
    record_set_put(&scene->devices, record);
    shard->devices++;
    scene_dues_enter(shard, KEY_DEVICE, record);
    token_index_put(shard, record);
    if (shard->settings.intake)
        sealed_intake_put(shard->settings.intake, device_open(record, &room), true);
    user_index_put(shard, scene, record);
    corrections_device_here(shard, scene, record);
    shard_emit(shard, scene, record, EVENT_DEVICE_KNOWN);
    event_outlet_send_many(shard); // a list of them all would leave a hole in the heap
}

static void
enter_leaving(struct entering *self, const struct partition_row *row)
{
    struct scene_state *scene = woken(self, row->scene_id);
    if (scene)
        held_locks_known(self->shard, scene, row->record);
}

static void
enter_lease(struct entering *self, const struct partition_row *row)
{
    struct scene_state *scene = row->has_number && row->text ? woken(self, row->scene_id) : NULL;
    if (scene)
        lock_ledger_lease_known(self->shard, scene, row->text, (int64_t)row->number);
}

// A damaged sum is made anew when the entities of its scene are read.
static void
enter_holding(struct entering *self, const struct partition_row *row)
{
    struct scene_state *scene = awake(self, row->scene_id);
    if (!row->has_number || !row->text)
        return;
    if (scene)
        scene_holdings_known(self->shard, scene, row->text, (int64_t)row->number);
    else if (record_of(self, row->scene_id))
        scene_holdings_known_at_rest(self->shard, row->text, (int64_t)row->number);
}

static void
enter_fence(struct entering *self, const struct partition_row *row)
{
    struct scene_state *scene = awake(self, row->scene_id);
    if (scene && row->has_number)
        scene->stored_fence = (int64_t)row->number;
}

static void
enter_sweep(struct entering *self, const struct partition_row *row)
{
    // Where the relationships of the scene are not gone yet, the sweep begins after them.
    if (!outbox_has_scene(&self->shard->outbox, (int64_t)row->scene_id))
        sweep_begin(self->shard, self->part, row->scene_id);
}

// In this order: corrections before their devices, and what wakes a scene before what is known of
// scenes that are awake.
// clang-format off
static const struct {
    key_tag_t tag;
    void (*enter)(struct entering *self, const struct partition_row *row);
    bool is_work; // that is left to be done: by the leader alone (scene_copy.h)
} entries[] = {
    {.tag = KEY_SCENE,    .enter = enter_scene},
    {.tag = KEY_EVIDENCE, .enter = enter_correction},
    {.tag = KEY_DEVICE,   .enter = enter_device},
    {.tag = KEY_LEAVING,  .enter = enter_leaving, .is_work = true},
    {.tag = KEY_LEASE,    .enter = enter_lease,   .is_work = true},
    {.tag = KEY_HOLDING,  .enter = enter_holding},
    {.tag = KEY_FENCE,    .enter = enter_fence},
    {.tag = KEY_SWEEP,    .enter = enter_sweep,   .is_work = true},
};
// clang-format on

// --- partitions ---

static fallible
check_found(const struct shard *shard, const struct partition_found *found)
{
    if (found->result == STORE_OK)
        return OK;
    if (found->result != STORE_BAD)
        return fail(store_error(found->result), "", "the index of partition %u cannot be read",
                    found->part);
    log_error("record_damaged", "actor=%s partition=%u tag=%c", shard->base.name, found->part,
              (char)found->failed);
    return fail(ERR_INTERNAL, "",
                "the index of partition %u is damaged (tag %c; see the log); restore a backup",
                found->part, (char)found->failed);
}

// What is to be brought about at other actors, and which answers are kept.
static fallible
enter_raw(struct shard *shard, uint16_t part, const struct partition_row *row)
{
    if (row->tag == KEY_REPEAT)
        repeats_enter(&shard->repeats, part, row->key, row->value);
    return row->tag == KEY_OUTBOX ? outbox_enter(&shard->outbox, part, row->value) : OK;
}

static fallible
enter_partition(struct shard *shard, const struct partition_found *found, struct record_run *run)
{
    struct entering entering = {.shard = shard, .part = found->part, .run = run};
    TRY(check_found(shard, found));
    bool leads = !shard->settings.requests.follows;
    for (size_t row = 0; row < found->count && leads; row++)
        TRY(enter_raw(shard, found->part, &found->rows[row]));
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        for (size_t row = 0; row < found->count && (leads || !entries[i].is_work); row++)
            if (found->rows[row].tag == entries[i].tag)
                entries[i].enter(&entering, &found->rows[row]);
    table_finish(&entering.scenes);
    return OK;
}

static fallible
enter_partitions(struct shard *self, partition_reader_t *reader, struct record_run *runs)
{
    struct partition_found *found;
    enum error error = OK;
    while (error == OK && (found = partition_reader_take(reader)) != NULL) {
        error = enter_partition(self, found, &runs[found->part]);
        partition_found_destroy(&found);
    }
    return error;
}

fallible
recovery_read_index(struct shard *self)
{
    struct record_run *runs = memory_take_zeroed(PARTITION_COUNT * sizeof runs[0]);
    partition_reader_t *reader =
        partition_reader_create(self->store, self->settings.shard, self->settings.shards);
    enum error error = enter_partitions(self, reader, runs);
    partition_reader_destroy(&reader);
    if (error == OK)
        record_runs_merge(runs, PARTITION_COUNT, &self->catalogue);
    scenes_fill_map(self);
    record_runs_finish(runs, PARTITION_COUNT);
    free(runs);
    TRY(error);
    repeats_begin(&self->repeats);
    corrections_tell(self);
    log_info("index_read", "actor=%s scenes=%zu awake=%zu", self->base.name,
             record_set_count(&self->catalogue), self->scenes.count);
    return OK;
}
