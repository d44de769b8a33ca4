// udp_updates.c - updates that came by UDP: applied to memory, numbered and streamed at once,
// written later (write_behind.h). Two are staged instead: an update of an entity with a staged
// write joins the batch after it, and one that names other assets has its index records in its
// commit.

#include "actors/scene/entity/udp_updates.h"

#include "actors/scene/entity/animation_edits.h"
#include "actors/scene/entity/entity_edit.h"
#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/leases.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/waiting_edits.h"
#include "actors/scene/entity/write_behind.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/token_index.h"
#include "actors/scene/use_index.h"
#include "proto/base/clock.h"
#include "proto/feed/feed_token.h"
#include "proto/message/metrics.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/spatial/convention.h"

// Of a commit, that datagrams fill: writes by HTTP wait for it.
enum { INDEX_WRITES_MOST = 1000 };

// --- applying ---

static const uint64_t times = FIELD_BIT(OBJECT_FRAME) | FIELD_BIT(OBJECT_TIMESTAMP);

// Whether the edit moves the object, says when, and changes nothing else. Datagrams of real clients
// do that, and repeat the name.
static bool
is_motion(const struct entity *stored, const struct record *edit)
{
    const uint64_t moving = FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_SCENE) |
                            FIELD_BIT(OBJECT_TRANSFORM) | FIELD_BIT(OBJECT_NAME) |
                            FIELD_BIT(OBJECT_DEVICE) | FIELD_BIT(OBJECT_TOKEN) |
                            FIELD_BIT(OBJECT_FENCE) | (stored->base.present & times);
    return edit->schema == &object_edit_schema && (edit->present & ~moving) == 0 &&
           record_has(edit, OBJECT_TRANSFORM) &&
           (!record_has(edit, OBJECT_NAME) || text_equal(entity_of(edit)->name, stored->name));
}

// The event that follows: what the datagram changes, as its msg_type says.
static uint8_t
event_of(const struct record *edit)
{
    bool is_object = edit->schema == &object_edit_schema;
    if (record_has(edit, ENTITY_EVENT))
        return (uint8_t)MEMBER_CONST(int64_t, edit, schema_field(edit->schema, ENTITY_EVENT));
    return is_object ? EVENT_OBJECT_UPDATED : EVENT_PROPERTY_UPDATED;
}

// Writes a motion's numbers, which the object has.
static void
move(struct record *record, const struct record *edit, uint64_t now_us)
{
    struct object *object = (struct object *)(void *)record;
    memcpy(object->transform, object_of(edit)->transform, sizeof object->transform);
    if (record_has(edit, OBJECT_FRAME))
        object->rare->frame = object_of(edit)->rare->frame;
    if (record_has(edit, OBJECT_TIMESTAMP))
        object->rare->timestamp = object_of(edit)->rare->timestamp;
    object_set_changed(record, (int64_t)now_us);
}

// A motion of the holder may renew its lease: sometimes its record says so.
static void
say_renewal(struct record *object, const struct lock_claim *claim)
{
    const struct lock *lock = lock_that_renews(object, claim);
    uint64_t now_us = lock ? clock_calendar_us() : 0;
    if (lock && leases_must_say(lock, now_us))
        lock_say_until(object, lock_renewed_until(lock, now_us));
}

// The frozen result of the edit, yours. `sender` (NULL = unknown) is the device that it comes from.
static fallible
edited(struct shard *self, struct scene_state *scene, struct arena *arena, const frozen_t *latest,
       const struct record *edit, const struct lock_claim *claim, const frozen_t *sender,
       const frozen_t **ret_entity)
{
    const struct entity_kind *kind = entity_kind_of(edit);
    const struct entity *stored = entity_of(frozen_record(latest));
    struct record *changed;
    size_t bytes;
    if (is_motion(stored, edit)) { // the hot path: one block copied, some numbers written
        frozen_t *moved = record_thaw_numbers(latest);
        move(frozen_edit(moved), edit, self->heard_us);
        say_renewal(frozen_edit(moved), claim);
        *ret_entity = moved;
        return OK;
    }
    if (record_has(edit, ENTITY_EVENT))
        TRY(animation_edited(arena, kind, stored, edit, event_of(edit), &changed));
    else
        TRY(entity_edited(arena, kind, stored, edit, LIST_OVERWRITE, "", &changed));
    if (kind->follows)
        kind->follows(arena, stored, claim, changed);
    if (kind->schema == &object_schema)
        object_set_changed(changed, (int64_t)self->heard_us);
    TRY(entity_check_size(kind, changed, &bytes));
    struct opened room;
    const struct text *user = sender ? device_open(sender, &room)->user : NULL;
    TRY(scene_holdings_grow(self, scene, user, self->settings.needs_token, latest, changed,
                            &bytes));
    *ret_entity =
        record_freeze(kind->schema, object_with_lock(self, scene, arena, latest, changed));
    return OK;
}

static void
apply_at_once(struct shard *self, struct scene_state *scene, const frozen_t *before,
              const frozen_t *entity, uint8_t event)
{
    bool counts = scene_holdings_changed(self, scene, before, entity);
    scene_cache_mark_use(self, scene);
    entity_cache_put(self, scene, entity);
    if (lock_is_lease(object_lock_of(frozen_record(entity))))
        lease_states_follow(self, scene, entity);
    if (counts) // no commit has the sum without the entity
        write_behind_stage(self, scene, entity);
    else
        write_behind_put(self, scene, entity);
    shard_emit(self, scene, entity, event);
}

// Whether a tracker of the operator sends it: it needs no registration, and is no device.
static bool
is_of_tracker(const struct record *edit)
{
    return text_is(record_text(edit, ENTITY_TOKEN), FEED_TOKEN_OF_TRACKER);
}

// Whether the edit may be applied to entities of the scene. A sender who names a device by its
// token is that device: `*ret_device`, which is registered there (NULL = unknown).
static bool
sender_of(struct shard *self, const struct scene_state *scene, const struct record *edit,
          const frozen_t **ret_device)
{
    *ret_device = NULL;
    if (is_of_tracker(edit))
        return true;
    if (!record_has(edit, ENTITY_TOKEN))
        return !self->settings.needs_token;
    *ret_device = device_of_token(self, scene, record_text(edit, ENTITY_TOKEN));
    return *ret_device != NULL;
}

// A tracker moves what is in the scene that the operator named, and nothing else.
static bool
is_elsewhere(const frozen_t *stored, const struct record *edit)
{
    return is_of_tracker(edit) &&
           !text_equal(entity_of(edit)->scene, entity_of(frozen_record(stored))->scene);
}

// The key of the sender: by the token, else by the member `device`; or NULL.
static const struct text *
sender_key(const struct record *edit, const frozen_t *sender)
{
    if (sender)
        return frozen_key(sender);
    return edit->schema == &object_edit_schema
               ? ((const struct object_edit *)(const void *)edit)->device
               : NULL;
}

static bool
is_permitted(struct shard *self, struct message *message, const struct scene_state *scene,
             const frozen_t *stored, const struct record *edit, const struct lock_claim *claim)
{
    const struct entity_kind *kind = entity_kind_of(edit);
    const struct entity *entity = entity_of(frozen_record(stored));
    return !kind->permits || kind->permits(self, message, scene, entity, claim) == OK;
}

static struct lock_claim
claim_of(const struct record *edit, const frozen_t *sender)
{
    struct lock_claim claim = {.device = sender_key(edit, sender)};
    lock_claim_take(&claim, edit);
    return claim;
}

// The edit in the axes of scenes: a copy in the arena, or the edit itself where the sender (NULL =
// unknown) has the same.
static const struct record *
in_axes_of_scenes(struct arena *arena, const struct record *edit, const frozen_t *sender)
{
    struct opened room;
    const struct convention *convention =
        sender && frozen_has(sender, DEVICE_CONVENTION)
            ? convention_stored(device_rare_of(device_open(sender, &room))->convention)
            : NULL;
    if (!convention || !convention_concerns(edit->schema))
        return edit;
    struct record *settled = record_copy(arena, edit->schema, edit);
    convention_apply(convention, CONVENTION_IN, settled);
    return settled;
}

// Whether the sender may lock objects in the name of the device: it is theirs. Who it belongs to is
// known here only where it is registered to the scene.
static bool
may_lock_as(const struct scene_state *scene, const struct device *sender, const struct text *device)
{
    struct opened room;
    const frozen_t *other = record_set_find(&scene->devices, device);
    return text_equal(sender->key, device) ||
           (other && text_size(sender->user) &&
            text_equal(device_open(other, &room)->user, sender->user));
}

// Whether an object of the scene may be locked for `owner` by the sender. While nobody has to say
// who they are, every name is everybody's, but for that of a device that leaves.
static bool
may_own(const struct shard *self, const struct scene_state *scene, const frozen_t *sender,
        const struct text *owner)
{
    struct opened room;
    if (device_is_leaving(self, scene, owner))
        return false;
    return !self->settings.needs_token || !sender ||
           may_lock_as(scene, device_open(sender, &room), owner);
}

// The edit, or a copy in the arena without the `owner` that it may not name.
static const struct record *
without_wrong_lock(const struct shard *self, const struct scene_state *scene, struct arena *arena,
                   const struct record *edit, const frozen_t *sender)
{
    const struct text *owner =
        edit->schema == &object_edit_schema ? record_text(edit, OBJECT_OWNER) : NULL;
    if (text_size(owner) == 0 || may_own(self, scene, sender, owner))
        return edit;
    struct record *without = record_copy(arena, edit->schema, edit);
    without->present &= ~FIELD_BIT(OBJECT_OWNER);
    return without;
}

// Why an edit that failed changes nothing.
static enum metric_cell
drop_reason(enum error error)
{
    return error == ERR_NOT_FOUND            ? COUNT_UDP_DROP_UNKNOWN
           : error == ERR_OVER_STORED_BUDGET ? COUNT_UDP_DROP_BUDGET
                                             : COUNT_UDP_DROP_VALUE;
}

// Why nobody may send the edit, or METRIC_CELLS: they may. `*ret_sender` is the device that sent it
// (NULL = unknown), `*ret_claim` what it says of locks.
static enum metric_cell
refused(struct shard *self, struct message *message, const struct scene_state *scene,
        const frozen_t *stored, const struct record *edit, const frozen_t **ret_sender,
        struct lock_claim *ret_claim)
{
    if (!sender_of(self, scene, edit, ret_sender))
        return COUNT_UDP_DROP_TOKEN;
    if (is_elsewhere(stored, edit))
        return COUNT_UDP_DROP_UNKNOWN;
    *ret_claim = claim_of(edit, *ret_sender);
    if (!is_permitted(self, message, scene, stored, edit, ret_claim))
        return ret_claim->has_fence ? COUNT_UDP_DROP_FENCE : COUNT_UDP_DROP_LOCKED;
    if (!*ret_sender && text_size(ret_claim->device))
        *ret_sender = record_set_find(&scene->devices, ret_claim->device);
    return METRIC_CELLS;
}

// How many index records change with it. What is behind on the disk has the same assets there:
// their index records need its commit.
static size_t
index_writes(const struct record *edit, const frozen_t *stored, const frozen_t *entity)
{
    bool may_name_others = edit->schema == &object_edit_schema && record_has(edit, OBJECT_ASSETS);
    return may_name_others ? use_index_writes(frozen_record(stored), frozen_record(entity)) : 0;
}

// Whether the commit that is filled has room for the entity and its index records.
static bool
has_room(struct shard *self, const frozen_t *entity, size_t indexed)
{
    const struct room room =
        room_for_records(1 + HOLDING_WRITES + LOCK_WRITES, record_size(entity));
    bool is_light =
        indexed == 0 || self->staging.filling.batch->beside + indexed <= INDEX_WRITES_MOST;
    return is_light && staging_has_room(&self->staging, room);
}

// Puts the result in the place of what is stored; false: there is no room, and nothing changes.
static bool
put_result(struct shard *self, struct scene_state *scene, const frozen_t *stored,
           const struct record *edit, const struct lock_claim *claim, const frozen_t *entity)
{
    size_t indexed = index_writes(edit, stored, entity);
    bool is_staged = indexed > 0 || entity_is_staged(self, scene, stored);
    if (is_staged && !has_room(self, entity, indexed))
        return false;
    leases_renew(self, scene, stored, claim);
    if (is_staged)
        shard_stage_follower(self, scene, entity_kind_of(edit)->tag, frozen_record(entity), stored,
                             event_of(edit));
    else
        apply_at_once(self, scene, stored, entity, event_of(edit));
    return true;
}

// What becomes of the edit: the counter of it.
static enum metric_cell
apply_one(struct shard *self, struct message *message, struct scene_state *scene,
          const frozen_t *stored, const struct record *edit)
{
    const frozen_t *entity, *sender;
    struct lock_claim claim;
    enum metric_cell reason = refused(self, message, scene, stored, edit, &sender, &claim);
    if (reason != METRIC_CELLS)
        return reason;
    struct arena arena = {0}; // of its own: each datagram may take the memory of a large entity
    const struct record *own = without_wrong_lock(self, scene, &arena, edit, sender);
    enum error error = edited(self, scene, &arena, stored, in_axes_of_scenes(&arena, own, sender),
                              &claim, sender, &entity);
    arena_finish(&arena);
    if (error != OK)
        return drop_reason(error);
    bool fits = put_result(self, scene, stored, edit, &claim, entity);
    record_unref(&entity);
    return fits ? COUNT_UDP_IN_APPLIED : COUNT_UDP_DROP_BUSY;
}

static void
apply_edit(struct shard *self, struct message *message, struct scene_state *scene,
           const frozen_t *stored, const struct record *edit)
{
    counter_add(apply_one(self, message, scene, stored, edit), 1);
}

// Whether the sender is registered to any scene here: nothing is read from the disk for strangers.
static bool
is_known_sender(const struct shard *self, const struct record *edit)
{
    if (is_of_tracker(edit))
        return true;
    return record_has(edit, ENTITY_TOKEN)
               ? token_index_find(self, record_text(edit, ENTITY_TOKEN)) != NULL
               : !self->settings.needs_token;
}

// Applies the edit of a message of its own, which waits for its entity where that is not in memory.
static enum error
apply_or_wait(struct shard *self, struct message *message)
{
    const struct record *edit = message->records->items[0];
    struct scene_state *scene;
    const frozen_t *stored;
    enum error error =
        entity_latest(self, message, entity_kind_of(edit), record_key(edit), &scene, &stored);
    if (error == OK)
        apply_edit(self, message, scene, stored, edit);
    else if (error != PARKED)
        counter_add(COUNT_UDP_DROP_UNKNOWN, 1);
    return error;
}

// An edit whose entity is not in memory, or whose scene is being read (its sums are not known), or
// that comes behind another one or a staged write.
static void
apply_later(struct shard *self, const struct record *edit)
{
    if (!is_known_sender(self, edit)) {
        counter_add(COUNT_UDP_DROP_TOKEN, 1);
        return;
    }
    struct message *message = waiting_edits_keep(self, edit);
    if (message && apply_or_wait(self, message) != PARKED)
        message_destroy(&message);
}

// Returns about how many bytes were looked at.
static size_t
apply(struct shard *self, struct message *message, const struct record *edit)
{
    const frozen_t *entity = entity_cache_find(self, entity_kind_of(edit), record_key(edit));
    struct scene_state *scene =
        entity ? scenes_find(self, entity_of(frozen_record(entity))->scene) : NULL;
    size_t bytes = entity ? record_size(entity) : 0;
    if (scene && scene->cache_state == SCENE_IN_MEMORY && !scene_is_deleting(self, scene) &&
        !entity_is_staged(self, scene, entity) && !waiting_edits_are_before(self, edit))
        apply_edit(self, message, scene, entity, edit);
    else
        apply_later(self, edit);
    return bytes;
}

// --- in slices ---

enum {
    WATCHED_BYTES = 64 << 10, // so many bytes cost more than a look at the clock
    MESSAGES_BEHIND = 64,     // behind the one that is being applied
};

// Keeps what came behind updates that are not all applied: the last one of an entity wins, so the
// oldest goes where too many wait.
static enum error
wait_behind(struct shard *self, struct message *message)
{
    if (self->applied_next.count == MESSAGES_BEHIND) {
        struct message *oldest = message_queue_pop(&self->applied_next);
        counter_add(COUNT_UDP_DROP_BUSY, oldest->records->count);
        actor_answer(&self->base, &oldest, OK);
    }
    message_queue_push(&self->applied_next, &message);
    return PARKED;
}

// Applies updates until the actor must pause; true: all of them are applied.
static bool
apply_some(struct shard *self, struct message *message)
{
    const struct records *edits = message->records;
    size_t bytes = 0;
    while (message->progress < edits->count) {
        bytes += apply(self, message, edits->items[message->progress++]);
        if (bytes < WATCHED_BYTES)
            continue;
        if (actor_must_pause(&self->base))
            break;
        bytes = 0;
    }
    return message->progress == edits->count;
}

enum error
datagrams_apply(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    self->heard_us = clock_calendar_us();
    if (message->work)
        return apply_or_wait(self, message);
    if (self->applying && self->applying != message)
        return wait_behind(self, message);
    bool is_done = apply_some(self, message);
    self->applying = is_done ? message_queue_pop(&self->applied_next) : message;
    if (self->applying)
        actor_pause(actor, self->applying);
    return is_done ? OK : PARKED;
}
