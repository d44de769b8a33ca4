// datagrams.c - updates that came by UDP (live-feed, "UDP in"): applied to memory, numbered and
// streamed at once; written behind in one commit at most 50 ms later, the newest state of each
// object. An object with a staged HTTP write is different: the update joins the batch after it.

#include <stdlib.h>
#include "actors/shard.h"
#include "actors/transform.h"
#include "proto/base/clock.h"
#include "proto/metrics.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"

enum {
    WRITE_BEHIND_MS = 50,
    RETRY_BEHIND_MS = 500,  // while the store takes no writes
    LOOKUPS_AT_MOST = 1000, // of datagrams for objects that are not in memory
};

// --- dirty objects ---

static bool
dirty_has_key(const void *value, const void *key)
{
    const struct dirty *dirty = value;
    return text_equal(record_key(dirty->record), key);
}

static struct dirty *
find_dirty(const struct shard *self, const struct text *key)
{
    return table_find(&self->dirty, table_hash_text(key), dirty_has_key, key);
}

// When what became dirty now is to be on its way.
static uint64_t
behind_deadline_ms(const struct shard *self)
{
    return clock_deadline_ms(health_is_good(self) ? WRITE_BEHIND_MS : RETRY_BEHIND_MS);
}

static void
add_dirty(struct shard *self, struct scene_state *scene, const struct record *object)
{
    struct dirty *dirty = malloc(sizeof *dirty);
    if (!dirty)
        abort();
    *dirty = (struct dirty){scene, record_ref(object)};
    scene_hold(scene);
    table_add(&self->dirty, table_hash_text(record_key(object)), dirty);
    if (!self->dirty_deadline_ms)
        self->dirty_deadline_ms = behind_deadline_ms(self);
}

static void
set_dirty(struct shard *self, struct scene_state *scene, const struct record *object)
{
    struct dirty *dirty = find_dirty(self, record_key(object));
    if (!dirty) {
        add_dirty(self, scene, object);
        return;
    }
    record_unref(&dirty->record);
    dirty->record = record_ref(object);
}

static void
remove_dirty(struct shard *self, struct dirty *dirty)
{
    table_remove(&self->dirty, table_hash_text(record_key(dirty->record)), dirty);
    record_unref(&dirty->record);
    scene_release(&dirty->scene);
    free(dirty);
}

void
datagrams_mark_dirty(struct shard *self, struct scene_state *scene, const struct record *object)
{
    bool is_there = residency_find_object(self, record_key(object)) != NULL;
    if (is_there && !find_dirty(self, record_key(object)))
        add_dirty(self, scene, object);
}

void
datagrams_mark_clean(struct shard *self, const struct text *key)
{
    struct dirty *dirty = find_dirty(self, key);
    if (dirty)
        remove_dirty(self, dirty);
}

// Puts one dirty object into the filling batch; visible it is already.
static void
stage_behind(struct shard *self, struct dirty *dirty)
{
    struct scene_state *scene = dirty->scene;
    batch_put_record(self->staging.filling.batch, scene->part,
                     key_in_scene(KEY_OBJECT, scene->id, record_key(dirty->record)), dirty->record);
    scene_hold(scene);
    staging_add(&self->staging, &(struct change){.kind = CHANGE_BEHIND,
                                                 .tag = KEY_OBJECT,
                                                 .scene = scene,
                                                 .record = record_ref(dirty->record)});
}

// A staged write holds the newest state and more: when it lands, the object is clean. A doomed
// scene's objects go with it.
static bool
is_covered(const struct shard *self, const struct dirty *dirty)
{
    return dirty->scene->is_doomed || object_is_staged(self, record_key(dirty->record));
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
datagrams_write_behind(struct shard *self)
{
    bool is_due = self->dirty_deadline_ms && clock_left_ms(self->dirty_deadline_ms) == 0;
    if (self->dirty.count == 0) {
        self->dirty_deadline_ms = 0;
        return;
    }
    bool is_urgent = self->base.stopping && health_is_good(self);
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
        if (!is_covered_now && staging_has_room(&self->staging, 1, record_size(dirty->record))) {
            stage_behind(self, dirty);
            remove_dirty(self, dirty);
        } else if (!self->dirty_deadline_ms) { // the next batch takes it
            self->dirty_deadline_ms = clock_deadline_ms(is_covered_now ? WRITE_BEHIND_MS : 1);
        }
    }
    free(list);
}

void
datagrams_finish(struct shard *self)
{
    struct dirty **list = list_dirty(self);
    if (self->dirty.count)
        log_error("udp_updates_lost", "actor=%s objects=%zu", self->base.name, self->dirty.count);
    for (size_t i = 0; list[i]; i++)
        remove_dirty(self, list[i]);
    free(list);
    table_finish(&self->dirty);
}

// --- applying ---

// Whether the edit moves the object and changes nothing else, as real clients' datagrams do: they
// repeat the name.
static bool
is_motion(const struct object *stored, const struct object_edit *edit)
{
    const uint64_t moving = FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_SCENE) |
                            FIELD_BIT(OBJECT_TRANSFORM) | FIELD_BIT(OBJECT_NAME) |
                            FIELD_BIT(OBJECT_DEVICE);
    const struct record *record = &edit->object.base;
    return (record->present & ~moving) == 0 && record_has(record, OBJECT_TRANSFORM) &&
           (!record_has(record, OBJECT_NAME) || text_equal(edit->object.name, stored->name));
}

// The frozen result of the edit, yours; NULL where it is not allowed.
static const struct record *
edited(struct arena *arena, const struct object *stored, struct object_edit *edit)
{
    if (is_motion(stored, edit)) { // the hot path: one block copied, sixteen numbers written
        struct record *moved = record_thaw_numbers(&stored->base);
        memcpy(((struct object *)(void *)moved)->transform, edit->object.transform,
               sizeof stored->transform);
        return moved;
    }
    struct object *merged;
    if (object_edited(arena, stored, edit, LIST_OVERWRITE, "", &merged) != OK)
        return NULL;
    return record_freeze(&object_schema, &merged->base);
}

static void
apply_at_once(struct shard *self, struct scene_state *scene, const struct record *object)
{
    residency_mark_use(self, scene);
    residency_put_object(self, scene, object);
    set_dirty(self, scene, object);
    shard_emit(self, scene, object, EVENT_OBJECT_UPDATED);
}

static void
apply_edit(struct shard *self, struct message *message, struct scene_state *scene,
           const struct object *stored, struct object_edit *edit)
{
    bool is_staged = object_is_staged(self, stored->key);
    if (lock_permits(self, message, stored, edit->device) != OK) {
        counter_add(COUNT_UDP_DROP_LOCKED, 1);
        return;
    }
    if (is_staged && !staging_has_room(&self->staging, 1, 0)) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return;
    }
    const struct record *object = edited(&message->arena, stored, edit);
    if (!object) {
        counter_add(COUNT_UDP_DROP_VALUE, 1);
        return;
    }
    if (is_staged)
        shard_stage_put(self, scene, KEY_OBJECT, object, &stored->base, EVENT_OBJECT_UPDATED);
    else
        apply_at_once(self, scene, object);
    record_unref(&object);
    counter_add(COUNT_UDP_IN_APPLIED, 1);
}

// An edit whose object is not in memory, as a message of its own that can wait for it.
static struct message *
message_of_edit(const struct object_edit *edit)
{
    struct message *single = message_create(DATAGRAMS);
    single->records = records_new(&single->arena, 1);
    single->records->items[single->records->count++] =
        record_copy(&single->arena, &object_edit_schema, &edit->object.base);
    return single;
}

static void
apply_or_wait(struct shard *self, struct object_edit *edit)
{
    if (self->lookups.count >= LOOKUPS_AT_MOST) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return;
    }
    struct message *single = message_of_edit(edit);
    struct scene_state *scene;
    const struct object *stored;
    enum error error = object_latest(self, single, edit->object.key, &scene, &stored);
    if (error == PARKED)
        return;
    if (error == OK)
        apply_edit(self, single, scene, stored, edit);
    else
        counter_add(COUNT_UDP_DROP_UNKNOWN, 1);
    message_destroy(&single);
}

static void
apply(struct shard *self, struct message *message, struct object_edit *edit)
{
    const struct text *key = edit->object.key;
    const struct record *object = residency_find_object(self, key);
    struct scene_state *scene =
        object ? scenes_find(self, ((const struct object *)(const void *)object)->scene) : NULL;
    if (scene && !scene->is_doomed && !object_is_staged(self, key))
        apply_edit(self, message, scene, (const struct object *)(const void *)object, edit);
    else
        apply_or_wait(self, edit);
}

enum error
datagrams_apply(actor_t *actor, struct message *message)
{
    for (uint32_t i = 0; i < message->records->count; i++)
        apply(shard_of(actor), message, (struct object_edit *)(void *)message->records->items[i]);
    return OK;
}
