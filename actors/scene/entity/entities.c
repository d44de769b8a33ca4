// entities.c - what lives in a scene, whatever its kind (entity_kind.h): create, read, query,
// change, delete. A change is an edit of what is stored: which one, the row of the operation says.

#include "actors/scene/entity/entities.h"

#include <assert.h>

#include "actors/runtime/preconditions.h"
#include "actors/scene/entity/chosen_keys.h"
#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/write_behind.h"
#include "actors/scene/entity_apart.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/entity_walk.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_create.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_shown.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"

enum { CREATED_PER_COMMIT = 300 }; // at most, two writes each; the rest of a request comes later

static const struct entity_operation *
work_of(const actor_t *actor, const struct message *message)
{
    return actor_operation_of(actor, message)->of;
}

// --- create ---

// The durable record of the scene that a creation names; NULL if there is none for the caller.
static const struct record *
scene_of_creation(struct shard *self, const struct message *message)
{
    const struct text *key = message->params->scene;
    const struct scene_state *scene = scenes_find(self, key);
    return scene_to_read(self, message, key, scene) == OK ? frozen_record(scene->record) : NULL;
}

// Turns record `index` of the request into the entity that it asks for, once.
static fallible
prepare(struct shard *self, struct message *message, const struct entity_kind *kind, size_t index)
{
    struct record **item = &message->records->items[index];
    if ((*item)->schema == kind->schema)
        return OK; // an earlier run did
    const struct text *scene = message->params->scene, *key = NULL;
    const char *pointer = message_pointer(message, index, "");
    struct path path = {.name = pointer};
    struct record *entity;
    if (kind->choose_key)
        TRY(kind->choose_key(*item, &path, &key));
    if (kind->locate)
        TRY(kind->locate(&message->arena, *item, pointer, scene_of_creation(self, message)));
    TRY(entity_edited(&message->arena, kind, NULL, *item, LIST_OVERWRITE, pointer, &entity));
    record_set_text(entity, ENTITY_KEY,
                    key ? key : message_key(message, (uint32_t)index, partition_of_scene(scene)));
    record_set_text(entity, ENTITY_SCENE, scene);
    if (message->caller.user[0])
        record_set_text(entity, ENTITY_USER, text_from(&message->arena, message->caller.user));
    TRY(entity_check_size(kind, entity, NULL));
    *item = entity;
    return OK;
}

// What an earlier run prepared costs next to nothing, so it begins at the start each time.
static fallible
prepare_all(struct shard *self, struct message *message, const struct entity_kind *kind)
{
    enum { AT_ONCE = 16 };
    const struct records *records = message->records;
    for (size_t i = message->progress, new = 0; i < records->count; i++) {
        new += records->items[i]->schema != kind->schema;
        TRY(prepare(self, message, kind, i));
        if (new == AT_ONCE) {
            new = 0;
            if (actor_must_pause(&self->base))
                return actor_pause(&self->base, message);
        }
    }
    return OK;
}

// Whether the caller has room for what is left of the request: all of it at first, later (others of
// theirs may have taken the room) for each slice. `bytes` is what the first record takes.
static fallible
check_room(struct shard *self, const struct message *message, const struct entity_kind *kind,
           size_t count, size_t bytes)
{
    const struct records *records = message->records;
    if (message->caller.role == CALLER_TRUSTED)
        return OK;
    size_t end = message->progress ? message->progress + count : records->count;
    for (size_t i = message->progress + 1; i < end; i++)
        bytes += record_frozen_size(kind->schema, records->items[i]);
    return scene_holdings_check_new(self, message, bytes);
}

// Stages as many of the request's entities as a commit takes, at most `count` and at least one.
static void
stage_created(struct shard *self, struct message *message, const struct entity_kind *kind,
              struct scene_state *scene, size_t count)
{
    uint8_t event = (uint8_t)operation_rows[message->operation].msg_type;
    for (size_t i = 0; i < count; i++) {
        const struct record *entity = message->records->items[message->progress + i];
        // Large entities fill a commit before there are that many.
        struct room room = room_for_records(2, record_frozen_size(kind->schema, entity) +
                                                   object_lock_bytes(entity));
        if (i > 0 && !staging_has_room(&self->staging, room_for_both(room, repeats_room(message))))
            break;
        const frozen_t *created = shard_stage_put(self, scene, kind->tag, entity, NULL, event);
        if (i == 0 && message->progress == 0) // what comes later may have changed by then
            shard_tell_place_of(self, scene, kind->tag, frozen_key(created), message);
        reply_add(message, created);
    }
}

// Stages the next slice of a request that creates.
static fallible
create_slice(struct shard *self, struct message *message)
{
    const struct entity_kind *kind = work_of(&self->base, message)->kind;
    const struct records *records = message->records;
    size_t bytes, count = records ? records->count - message->progress : 0;
    if (count == 0)
        return OK;
    TRY(prepare_all(self, message, kind));
    TRY(preconditions_check_none(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(scene_check_slice(message, scene));
    TRY(scene_check_new(self, message, scene));
    if (scene) {
        TRY(scene_to_write(self, message, scene->key, scene));
        if (chosen_keys_are_there(message, kind))
            TRY(scene_cache_need(self, scene, message));
        else
            TRY(scene_cache_need_to_create(self, scene, message));
    }
    if (kind->choose_key)
        TRY(chosen_keys_check(self, message, kind, scene));
    if (count > CREATED_PER_COMMIT)
        count = CREATED_PER_COMMIT;
    TRY(entity_check_size(kind, records->items[message->progress], &bytes));
    TRY(check_room(self, message, kind, count, bytes));
    TRY(shard_make_room_in(self, message, scene, 1 + 2 * count, NEW_SCENE_BYTES + bytes));
    scene = scenes_latest_or_new(self, message, message->params->scene);
    stage_created(self, message, kind, scene, count);
    return shard_answer_durable(self, message);
}

enum error
entity_remake(actor_t *actor, struct message *message, uint32_t count)
{
    const struct entity_kind *kind = work_of(actor, message)->kind;
    for (uint32_t i = 0; message->records && i < message->records->count && i < count; i++) {
        TRY(prepare(shard_of(actor), message, kind, i));
        reply_add_loose(message, kind->schema, message->records->items[i]);
    }
    return OK;
}

enum error
entity_creation_ends(actor_t *actor, struct message *message, enum error error)
{
    (void)actor;
    struct fault fault;
    if (error == OK || error == PARKED || message->progress == 0)
        return error;
    fault_take(error, &fault);
    return fail(error, fault.pointer, "the first %u records were created; then: %s",
                message->progress, fault.detail);
}

enum error
entity_create(actor_t *actor, struct message *message)
{
    return entity_creation_ends(actor, message, create_slice(shard_of(actor), message));
}

bool
entity_creation_goes_on(struct message *message)
{
    assert(message->scene_id);
    message->progress = message->reply.count;
    return message->records && message->progress < message->records->count;
}

// --- change ---

fallible
entity_grow(struct shard *self, struct message *message, const struct scene_state *scene,
            bool is_limited, const frozen_t *latest, struct record *changed, size_t *bytes)
{
    const struct caller *caller = &message->caller;
    if (*bytes <= record_size(latest) || !caller->user[0])
        return OK;
    const struct text *user = text_from(&message->arena, caller->user);
    return scene_holdings_grow(self, scene, user, is_limited && caller->role != CALLER_TRUSTED,
                               latest, changed, bytes);
}

// What the records of an update say by a place on Earth.
static fallible
locate_all(struct message *message, const struct entity_kind *kind, const struct scene_state *scene)
{
    for (size_t i = 0; kind->locate && message->records && i < message->records->count; i++)
        TRY(kind->locate(&message->arena, message->records->items[i],
                         message_pointer(message, i, ""), frozen_record(scene->record)));
    return OK;
}

// Whether the request, and each record of it that names a fence, may change the entity.
static fallible
check_claims(struct shard *self, struct message *message, const struct entity_kind *kind,
             const struct scene_state *scene, const struct entity *stored,
             struct lock_claim *ret_claim)
{
    const struct records *records = message->records;
    *ret_claim = lock_claim_of(message->params, stored->key);
    if (!kind->permits)
        return OK;
    for (size_t i = 0; records && i < records->count; i++)
        if (lock_claim_take(ret_claim, records->items[i]))
            TRY(kind->permits(self, message, scene, stored, ret_claim));
    return kind->permits(self, message, scene, stored, ret_claim);
}

enum error
entity_change(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_operation *work = work_of(actor, message);
    const struct entity_kind *kind = work->kind;
    struct scene_state *scene;
    const frozen_t *latest;
    struct record *changed = NULL;
    struct lock_claim claim;
    size_t bytes;
    TRY(entity_latest_alone(self, message, kind, entity_kind_param(kind, message->params), &scene,
                            &latest));
    const struct entity *stored = entity_of(frozen_record(latest));
    TRY(check_claims(self, message, kind, scene, stored, &claim));
    TRY(preconditions_go_on(self, message, kind, scene, latest));
    TRY(locate_all(message, kind, scene));
    TRY(work->edit(message, kind, stored, &changed));
    if (changed && kind->allows)
        TRY(kind->allows(message, stored, changed));
    if (changed && kind->follows)
        kind->follows(&message->arena, stored, &claim, changed);
    TRY(preconditions_check_entity(self, message, kind, scene, latest));
    if (changed) {
        TRY(entity_check_size(kind, changed, &bytes));
        TRY(entity_grow(self, message, scene, true, latest, changed, &bytes));
        TRY(shard_make_room_in(self, message, scene, 1, bytes));
        latest = shard_stage_put(self, scene, kind->tag, changed, latest,
                                 (uint8_t)operation_rows[message->operation].msg_type);
    } else { // nothing to write but, perhaps, the answer that is kept
        TRY(shard_make_room_in(self, message, scene, 0, WRITE_BYTES));
    }
    shard_tell_place_of(self, scene, kind->tag, frozen_key(latest), message);
    reply_add(message, latest);
    return shard_answer_durable(self, message);
}

// --- read ---

static enum error
answer_with_place(struct shard *self, struct message *message, const struct entity_kind *kind,
                  const frozen_t *entity)
{
    struct record *shown;
    const struct record *record = frozen_record(entity);
    const struct scene_state *scene = scenes_find(self, entity_of(record)->scene);
    enum error error =
        kind->show_place(message, record, scene ? frozen_record(scene->record) : NULL, &shown);
    if (error != OK && message->params->placed) {
        error_ignore(error, "it is shown without a place");
        reply_add(message, entity);
        return OK;
    }
    TRY(error);
    reply_add_loose(message, shown->schema, shown);
    return OK;
}

enum error
entity_get(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_kind *kind = work_of(actor, message)->kind;
    const frozen_t *entity;
    TRY(entity_read(self, message, kind, entity_kind_param(kind, message->params), &entity));
    if (kind->show_place && params_want_geopose(message->params))
        return answer_with_place(self, message, kind, entity);
    reply_add(message, entity);
    scene_shown_put_entity(self, scenes_find(self, entity_of(frozen_record(entity))->scene),
                           entity);
    return OK;
}

static bool
is_wanted(const struct message *message, const struct record *entity)
{
    return !message->records || message->records->count == 0 ||
           record_matches_any(entity, message->records);
}

// Takes a wanted entity into the page of the answer; false: the page was full before.
static bool
page_takes(struct message *message, const frozen_t *entity)
{
    const struct params *params = message->params;
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : LIMIT_RECORDS);
    if (message->progress < (uint64_t)params->start_record) {
        message->progress++; // passed over
        return true;
    }
    if (message->reply.count == num) {
        record_set_integer(&reply_envelope(message)->base, ENVELOPE_NEXT_START_RECORD,
                           params->start_record + (int64_t)num);
        return false;
    }
    reply_add(message, entity);
    return true;
}

static size_t
filters_of(const struct message *message)
{
    return message->records ? message->records->count : 0;
}

// A query of a scene with more in it than memory holds.
static enum error
query_in_pages(actor_t *actor, struct message *message, struct scene_state *scene)
{
    struct shard *self = shard_of(actor);
    struct entity_pages *pages = entity_pages_of(message);
    if (!pages) {
        shard_tell_place(self, scene, message);
        pages = entity_pages_begin(message, scene, work_of(actor, message)->kind, sizeof *pages);
    }
    TRY(entity_pages_check(pages, scene));
    const frozen_t *entity;
    while ((entity = entity_pages_next(self, pages)) != NULL) {
        if (is_wanted(message, frozen_record(entity)) && !page_takes(message, entity))
            return OK;
        if (entity_pages_must_pause(pages, actor, filters_of(message)))
            return actor_pause(actor, message);
    }
    return entity_pages_go_on(self, pages, message);
}

enum error
entity_query(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct params *params = message->params;
    struct scene_state *scene = scenes_find(self, params->scene);
    unsigned place = work_of(actor, message)->kind->place;
    bool is_vast = entity_pages_of(message) != NULL;
    struct entity_walk *walk;
    TRY(scene_to_read(self, message, params->scene, scene));
    if (!is_vast)
        TRY(scene_cache_need_to_read(self, scene, message, &is_vast));
    if (is_vast)
        return query_in_pages(actor, message, scene);
    if (!message->work)
        shard_tell_place(self, scene, message);
    TRY(entity_walk_resume(message, scene, place, place + 1, &walk));
    size_t filters = filters_of(message);
    const frozen_t *entity;
    while ((entity = entity_walk_next(walk)) != NULL) {
        if (is_wanted(message, frozen_record(entity)) && !page_takes(message, entity))
            return OK;
        if (entity_walk_must_pause(walk, actor, filters))
            return actor_pause(actor, message);
    }
    return OK;
}

// --- delete ---

void
entity_stage_delete(struct shard *self, struct message *message, struct scene_state *scene,
                    const struct entity_kind *kind, const frozen_t *latest, enum operation told)
{
    const struct text *key = frozen_key(latest);
    shard_stage_delete(self, scene, kind->tag, latest, (uint8_t)operation_rows[told].msg_type);
    if (key_is_generated(key)) // entities in other scenes may have a chosen key too
        outbox_stage(&self->outbox, message, scene->part,
                     effect_new(message, RELATED_GONE, key, shard_moment(self)));
}

enum error
entity_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_kind *kind = work_of(actor, message)->kind;
    struct scene_state *scene;
    const frozen_t *latest;
    struct lock_claim claim;
    TRY(entity_latest_alone(self, message, kind, entity_kind_param(kind, message->params), &scene,
                            &latest));
    const struct entity *stored = entity_of(frozen_record(latest));
    TRY(check_claims(self, message, kind, scene, stored, &claim));
    TRY(preconditions_check_entity(self, message, kind, scene, latest));
    TRY(shard_make_room_in(self, message, scene, 3, 3 * WRITE_BYTES));
    entity_stage_delete(self, message, scene, kind, latest, message->operation);
    shard_tell_place_of(self, scene, kind->tag, frozen_key(latest), message);
    return shard_answer_durable(self, message);
}

// --- what is durable, or is not ---

static void
show_in_memory(struct shard *self, struct scene_state *scene, const struct change *change)
{
    const frozen_t *entity = change->record ? change->record : change->before;
    write_behind_forget(self, scene, entity);
    if (change->record)
        entity_cache_put(self, scene, entity);
    else
        entity_cache_remove(self, scene, entity);
}

void
entity_committed(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    const frozen_t *entity = change->record ? change->record : change->before;
    if (change->kind == CHANGE_BEHIND)
        return;                              // visible since it came
    if (scene->cache_state == SCENE_ON_DISK) // it is read with the others
        scene_cache_unread_settled(self, scene);
    else
        show_in_memory(self, scene, change);
    entity_apart_follow(self, scene, entity_kind_of_tag(change->tag), frozen_key(entity),
                        change->record);
    if (change->record)
        lease_states_follow(self, scene, entity);
    else
        lease_states_forget(self, scene, frozen_key(entity));
    shard_emit_change(self, change, entity);
}

void
entity_dropped(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    if (change->kind == CHANGE_BEHIND) // everybody saw it
        write_behind_again(self, scene, change->record);
    else if (scene->cache_state == SCENE_ON_DISK)
        scene_cache_unread_settled(self, scene);
}
