// write_behind.c - stages the newest state of each entity that came by UDP, at most 50 ms after the
// first of them; a failed commit gives them back.

#include "actors/scene/entity/write_behind.h"

#include <stdlib.h>

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/store_health.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum {
    WRITE_BEHIND_MS = 50,
    RETRY_BEHIND_MS = 500, // while the store takes no writes
};

struct dirty {
    struct scene_state *scene; // held
    const frozen_t *record;    // one reference: the newest state
};

// Keys are unique within a scene, whatever the kind.
struct wanted {
    const struct scene_state *scene;
    const struct text *key;
};

static bool
dirty_is_wanted(const void *value, const void *key)
{
    const struct dirty *dirty = value;
    const struct wanted *wanted = key;
    return dirty->scene == wanted->scene && text_equal(frozen_key(dirty->record), wanted->key);
}

static struct dirty *
find_dirty(const struct shard *self, const struct scene_state *scene, const frozen_t *entity)
{
    const struct wanted wanted = {scene, frozen_key(entity)};
    return table_find(&self->dirty, table_hash_text(wanted.key), dirty_is_wanted, &wanted);
}

// When an entity that becomes dirty now must be staged.
static uint64_t
behind_deadline_ms(const struct shard *self)
{
    return clock_deadline_ms(store_health_is_good(self) ? WRITE_BEHIND_MS : RETRY_BEHIND_MS);
}

static void
add_dirty(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    struct dirty *dirty = malloc(sizeof *dirty);
    if (!dirty)
        abort();
    *dirty = (struct dirty){scene, record_ref(entity)};
    scene_hold(scene);
    table_add(&self->dirty, table_hash_text(frozen_key(entity)), dirty);
    if (!self->dirty_deadline_ms)
        self->dirty_deadline_ms = behind_deadline_ms(self);
}

void
write_behind_put(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    struct dirty *dirty = find_dirty(self, scene, entity);
    if (!dirty) {
        add_dirty(self, scene, entity);
        return;
    }
    record_unref(&dirty->record);
    dirty->record = record_ref(entity);
}

static void
remove_dirty(struct shard *self, struct dirty *dirty)
{
    table_remove(&self->dirty, table_hash_text(frozen_key(dirty->record)), dirty);
    record_unref(&dirty->record);
    scene_release(&dirty->scene);
    free(dirty);
}

void
write_behind_again(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const frozen_t *newest = entity_cache_newest(self, scene, entity);
    if (newest && !find_dirty(self, scene, entity))
        add_dirty(self, scene, newest);
}

void
write_behind_forget(struct shard *self, const struct scene_state *scene, const frozen_t *entity)
{
    struct dirty *dirty = find_dirty(self, scene, entity);
    if (dirty)
        remove_dirty(self, dirty);
}

// Puts one dirty entity into the filling batch. It is visible already.
static void
stage_behind(struct shard *self, struct dirty *dirty)
{
    struct scene_state *scene = dirty->scene;
    key_tag_t tag = entity_kind_of(frozen_record(dirty->record))->tag;
    batch_put_record(self->staging.filling.batch, scene->part,
                     key_in_scene(tag, scene->id, frozen_key(dirty->record)), dirty->record);
    scene_hold(scene);
    staging_add(&self->staging, &(struct change){.kind = CHANGE_BEHIND,
                                                 .tag = tag,
                                                 .owner = scene,
                                                 .record = record_ref(dirty->record)});
    scene_holdings_write(self, scene);
    lock_ledger_behind(self, scene, dirty->record);
}

// Whether there was room for it.
static bool
stage_where_room(struct shard *self, struct dirty *dirty)
{
    if (!staging_has_room(&self->staging, room_for_records(1 + HOLDING_WRITES + LOCK_WRITES,
                                                           record_size(dirty->record))))
        return false;
    stage_behind(self, dirty);
    remove_dirty(self, dirty);
    return true;
}

void
write_behind_stage(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    write_behind_put(self, scene, entity);
    stage_where_room(self, find_dirty(self, scene, entity));
}

// A staged write of the entity holds its newest state and more: when that is durable, the entity is
// clean. The entities of a scene that is deleted are removed with it.
static bool
is_covered(const struct shard *self, const struct dirty *dirty)
{
    return scene_is_deleting(self, dirty->scene) ||
           entity_is_staged(self, dirty->scene, dirty->record);
}

static struct dirty **
list_dirty(const struct shard *self)
{
    struct dirty **list = malloc((self->dirty.count + 1) * sizeof *list);
    if (!list)
        abort();
    size_t cursor = 0, count = 0;
    while ((list[count] = table_next(&self->dirty, &cursor)) != NULL)
        count++;
    return list;
}

void
write_behind_turn(struct shard *self)
{
    bool is_due = self->dirty_deadline_ms && clock_left_ms(self->dirty_deadline_ms) == 0;
    if (self->dirty.count == 0) {
        self->dirty_deadline_ms = 0;
        return;
    }
    bool is_urgent = self->base.stopping && store_health_is_good(self);
    if (!is_due && !is_urgent)
        return;
    struct dirty **list = list_dirty(self);
    self->dirty_deadline_ms = 0;
    for (size_t i = 0; list[i]; i++) {
        struct dirty *dirty = list[i];
        if (!dirty->scene->is_indexed) { // deleted meanwhile: nothing of it is written any more
            remove_dirty(self, dirty);
            continue;
        }
        bool is_covered_now = is_covered(self, dirty);
        bool is_staged = !is_covered_now && stage_where_room(self, dirty);
        if (!is_staged && !self->dirty_deadline_ms) { // the next batch takes it
            self->dirty_deadline_ms = clock_deadline_ms(is_covered_now ? WRITE_BEHIND_MS : 1);
        }
    }
    free(list);
}

void
write_behind_finish(struct shard *self)
{
    struct dirty **list = list_dirty(self);
    if (self->dirty.count)
        log_error("udp_updates_lost", "actor=%s entities=%zu", self->base.name, self->dirty.count);
    for (size_t i = 0; list[i]; i++)
        remove_dirty(self, list[i]);
    free(list);
    table_finish(&self->dirty);
}
