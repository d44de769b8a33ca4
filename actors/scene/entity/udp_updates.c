// udp_updates.c - updates that came by UDP (live-feed, "UDP in"): applied to memory, numbered and
// streamed at once; written behind in one commit at most 50 ms later, the newest state of each
// entity. One with a staged HTTP write is different: the update joins the batch after it.

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/message/metrics.h"

enum {
    WRITE_BEHIND_MS = 50,
    RETRY_BEHIND_MS = 500,  // while the store takes no writes
    LOOKUPS_AT_MOST = 1000, // of datagrams for entities that are not in memory
};

// --- dirty entities ---

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
    return dirty->scene == wanted->scene && text_equal(record_key(dirty->record), wanted->key);
}

static struct dirty *
find_dirty(const struct shard *self, const struct scene_state *scene, const struct record *entity)
{
    const struct wanted wanted = {scene, record_key(entity)};
    return table_find(&self->dirty, table_hash_text(wanted.key), dirty_is_wanted, &wanted);
}

// When what became dirty now is to be on its way.
static uint64_t
behind_deadline_ms(const struct shard *self)
{
    return clock_deadline_ms(store_health_is_good(self) ? WRITE_BEHIND_MS : RETRY_BEHIND_MS);
}

static void
add_dirty(struct shard *self, struct scene_state *scene, const struct record *entity)
{
    struct dirty *dirty = malloc(sizeof *dirty);
    if (!dirty)
        abort();
    *dirty = (struct dirty){scene, record_ref(entity)};
    scene_hold(scene);
    table_add(&self->dirty, table_hash_text(record_key(entity)), dirty);
    if (!self->dirty_deadline_ms)
        self->dirty_deadline_ms = behind_deadline_ms(self);
}

static void
set_dirty(struct shard *self, struct scene_state *scene, const struct record *entity)
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
    table_remove(&self->dirty, table_hash_text(record_key(dirty->record)), dirty);
    record_unref(&dirty->record);
    scene_release(&dirty->scene);
    free(dirty);
}

void
datagrams_mark_dirty(struct shard *self, struct scene_state *scene, const struct record *entity)
{
    bool is_there = entity_cache_has(self, scene, entity);
    if (is_there && !find_dirty(self, scene, entity))
        add_dirty(self, scene, entity);
}

void
datagrams_mark_clean(struct shard *self, const struct scene_state *scene,
                     const struct record *entity)
{
    struct dirty *dirty = find_dirty(self, scene, entity);
    if (dirty)
        remove_dirty(self, dirty);
}

// Puts one dirty entity into the filling batch; visible it is already.
static void
stage_behind(struct shard *self, struct dirty *dirty)
{
    struct scene_state *scene = dirty->scene;
    key_tag_t tag = entity_kind_of(dirty->record)->tag;
    batch_put_record(self->staging.filling.batch, scene->part,
                     key_in_scene(tag, scene->id, record_key(dirty->record)), dirty->record);
    scene_hold(scene);
    staging_add(&self->staging, &(struct change){.kind = CHANGE_BEHIND,
                                                 .tag = tag,
                                                 .owner = scene,
                                                 .record = record_ref(dirty->record)});
}

// A staged write holds the newest state and more: when it is committed, the entity is clean. A
// doomed scene's objects go with it.
static bool
is_covered(const struct shard *self, const struct dirty *dirty)
{
    return dirty->scene->is_doomed || entity_is_staged(self, dirty->scene, dirty->record);
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
        log_error("udp_updates_lost", "actor=%s things=%zu", self->base.name, self->dirty.count);
    for (size_t i = 0; list[i]; i++)
        remove_dirty(self, list[i]);
    free(list);
    table_finish(&self->dirty);
}

// --- applying ---

// Whether the edit moves the object and changes nothing else, as real clients' datagrams do: they
// repeat the name.
static bool
is_motion(const struct entity *stored, const struct record *edit)
{
    const uint64_t moving = FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_SCENE) |
                            FIELD_BIT(OBJECT_TRANSFORM) | FIELD_BIT(OBJECT_NAME) |
                            FIELD_BIT(OBJECT_DEVICE) | FIELD_BIT(OBJECT_TOKEN);
    return edit->schema == &object_edit_schema && (edit->present & ~moving) == 0 &&
           record_has(edit, OBJECT_TRANSFORM) &&
           (!record_has(edit, OBJECT_NAME) || text_equal(entity_of(edit)->name, stored->name));
}

// What the datagram changes, as its msg_type says: the event that follows.
static uint8_t
event_of(const struct record *edit)
{
    bool is_object = edit->schema == &object_edit_schema;
    if (record_has(edit, ENTITY_EVENT))
        return (uint8_t)MEMBER_CONST(int64_t, edit, schema_field(edit->schema, ENTITY_EVENT));
    return is_object ? EVENT_OBJECT_UPDATED : EVENT_PROPERTY_UPDATED;
}

// The frozen result of the edit, yours.
static fallible
edited(struct arena *arena, const struct entity *stored, const struct record *edit,
       const struct record **ret_entity)
{
    const struct entity_kind *kind = entity_kind_of(edit);
    struct record *changed;
    if (is_motion(stored, edit)) { // the hot path: one block copied, sixteen numbers written
        changed = record_thaw_numbers(&stored->base);
        memcpy(((struct object *)(void *)changed)->transform, object_of(edit)->transform,
               sizeof object_of(edit)->transform);
        *ret_entity = changed;
        return OK;
    }
    if (record_has(edit, ENTITY_EVENT))
        TRY(animation_edited(arena, kind, stored, edit, event_of(edit), &changed));
    else
        TRY(entity_edited(arena, kind, stored, edit, LIST_OVERWRITE, "", &changed));
    TRY(entity_check_size(kind, changed, NULL));
    *ret_entity = record_freeze(kind->schema, changed);
    return OK;
}

static void
apply_at_once(struct shard *self, struct scene_state *scene, const struct record *entity,
              uint8_t event)
{
    scene_cache_mark_use(self, scene);
    entity_cache_put(self, scene, entity);
    set_dirty(self, scene, entity);
    shard_emit(self, scene, entity, event);
}

// Whether the edit may be applied to entities of the scene: whoever named a device by its token is
// that device. `*ret_device` (NULL = nobody knows) is registered there.
static bool
sender_of(struct shard *self, const struct scene_state *scene, const struct record *edit,
          const struct record **ret_device)
{
    *ret_device = NULL;
    if (!record_has(edit, ENTITY_TOKEN))
        return !self->settings.needs_token;
    *ret_device = device_of_token(self, scene, record_text(edit, ENTITY_TOKEN));
    return *ret_device != NULL;
}

// Where no token says who sends the edit, its member `device` may: its key, or NULL.
static const struct text *
sender_key(const struct record *edit, const struct record *sender)
{
    if (sender)
        return record_key(sender);
    return edit->schema == &object_edit_schema
               ? ((const struct object_edit *)(const void *)edit)->device
               : NULL;
}

static bool
is_permitted(struct shard *self, struct message *message, const struct entity *stored,
             const struct record *edit, const struct text *device)
{
    const struct entity_kind *kind = entity_kind_of(edit);
    return !kind->permits || kind->permits(self, message, stored, device) == OK;
}

static void
apply_edit(struct shard *self, struct message *message, struct scene_state *scene,
           const struct entity *stored, const struct record *edit)
{
    const struct entity_kind *kind = entity_kind_of(edit);
    bool is_staged = entity_is_staged(self, scene, &stored->base);
    const struct record *entity, *sender;
    if (!sender_of(self, scene, edit, &sender)) {
        counter_add(COUNT_UDP_DROP_TOKEN, 1);
        return;
    }
    const struct text *device = sender_key(edit, sender);
    if (!is_permitted(self, message, stored, edit, device)) {
        counter_add(COUNT_UDP_DROP_LOCKED, 1);
        return;
    }
    if (is_staged && !staging_has_room(&self->staging, 1, record_size(&stored->base))) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return;
    }
    struct arena arena = {0}; // a turn's datagrams may each take the memory of a large entity
    if (!sender && text_size(device))
        sender = record_set_find(&scene->devices, device);
    enum error error = edited(&arena, stored, edit_settle_axes(&arena, edit, sender), &entity);
    arena_finish(&arena);
    if (error != OK) {
        counter_add(error == ERR_NOT_FOUND ? COUNT_UDP_DROP_UNKNOWN : COUNT_UDP_DROP_VALUE, 1);
        return;
    }
    if (is_staged)
        shard_stage_put(self, scene, kind->tag, entity, &stored->base, event_of(edit));
    else
        apply_at_once(self, scene, entity, event_of(edit));
    record_unref(&entity);
    counter_add(COUNT_UDP_IN_APPLIED, 1);
}

// Whether whoever sends the edit has a place anywhere here: nothing is read from the disk for
// strangers.
static bool
is_known_sender(const struct shard *self, const struct record *edit)
{
    return record_has(edit, ENTITY_TOKEN)
               ? token_index_find(self, record_text(edit, ENTITY_TOKEN)) != NULL
               : !self->settings.needs_token;
}

// An edit whose entity is not in memory, as a message of its own that can wait for it.
static struct message *
message_of_edit(const struct record *edit)
{
    struct message *single = message_create(DATAGRAMS);
    struct record *copy = record_copy(&single->arena, edit->schema, edit);
    single->records = records_new(&single->arena, 1);
    single->records->items[single->records->count++] = copy;
    record_set_text(&single->params->base, PARAMS_SCENE, entity_of(copy)->scene);
    return single;
}

static void
apply_or_wait(struct shard *self, const struct record *edit)
{
    if (!is_known_sender(self, edit)) {
        counter_add(COUNT_UDP_DROP_TOKEN, 1);
        return;
    }
    if (self->lookups.count >= LOOKUPS_AT_MOST) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return;
    }
    struct message *single = message_of_edit(edit);
    struct scene_state *scene;
    const struct entity *stored;
    enum error error =
        entity_latest(self, single, entity_kind_of(edit), record_key(edit), &scene, &stored);
    if (error == PARKED)
        return;
    if (error == OK)
        apply_edit(self, single, scene, stored, edit);
    else
        counter_add(COUNT_UDP_DROP_UNKNOWN, 1);
    message_destroy(&single);
}

static void
apply(struct shard *self, struct message *message, const struct record *edit)
{
    const struct record *entity = entity_cache_find(self, entity_kind_of(edit), record_key(edit));
    struct scene_state *scene = entity ? scenes_find(self, entity_of(entity)->scene) : NULL;
    if (scene && !scene->is_doomed && !entity_is_staged(self, scene, entity))
        apply_edit(self, message, scene, entity_of(entity), edit);
    else
        apply_or_wait(self, edit);
}

enum error
datagrams_apply(actor_t *actor, struct message *message)
{
    for (uint32_t i = 0; i < message->records->count; i++)
        apply(shard_of(actor), message, message->records->items[i]);
    return OK;
}
