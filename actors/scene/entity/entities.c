// entities.c - what lives in a scene, whatever its kind (kind.h): create, read, query, change,
// delete. A change is an edit of what is stored: which one, the table at the end says.

#include "actors/scene/entity/animation.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"

enum { CREATED_PER_COMMIT = 300 }; // at most, two writes each; the rest of a request comes later

// What a request asks of which kind.
struct entity_work {
    const struct entity_kind *kind;
    entity_editor *edit; // of changes
};

static const struct entity_work *work_of(const struct message *message);

// --- editing ---

fallible
entity_edited(struct arena *arena, const struct entity_kind *kind, const struct entity *stored,
              const struct record *edit, enum list_mode mode, const char *pointer,
              struct record **ret_entity)
{
    // The edit stays as it came: a request may have to run again.
    struct record *copy = arena_copy(arena, edit, kind->edit->size);
    const struct records *actions = stored ? stored->actions : NULL;
    struct path path = {.name = pointer};
    if (kind->prepare)
        TRY(kind->prepare(copy, stored, &path));
    bool has_actions = record_has(copy, ENTITY_ACTIONS);
    if (has_actions)
        TRY(actions_merge(arena, kind, actions, entity_of(copy)->actions, mode, &path, &actions));
    copy->present &= ~FIELD_BIT(ENTITY_ACTIONS);
    const struct record *base = stored ? &stored->base : record_new(arena, kind->schema);
    TRY(record_merge(arena, kind->schema, base, copy, mode, ret_entity));
    if (has_actions)
        entity_set_actions(*ret_entity, actions);
    return OK;
}

void
entity_set_actions(struct record *entity, const struct records *actions)
{
    ((struct entity *)(void *)entity)->actions = actions;
    record_mark(entity, ENTITY_ACTIONS);
    if (!actions || actions->count == 0)
        entity->present &= ~FIELD_BIT(ENTITY_ACTIONS);
}

// All records of an update, one over the other.
static fallible
edit_by_records(struct message *message, const struct entity_kind *kind,
                const struct entity *stored, struct record **ret_changed)
{
    const struct entity *merged = stored;
    for (size_t i = 0; message->records && i < message->records->count; i++) {
        TRY(entity_edited(&message->arena, kind, merged, message->records->items[i],
                          params_list_mode(message->params), message_pointer(message, i, ""),
                          ret_changed));
        merged = entity_of(*ret_changed);
    }
    return OK;
}

fallible
entity_check_size(const struct entity_kind *kind, const struct record *entity, size_t *ret_bytes)
{
    size_t bytes = record_frozen_size(kind->schema, entity);
    if (ret_bytes)
        *ret_bytes = bytes;
    if (bytes > LIMIT_ENTITY_BYTES)
        return fail(ERR_TOO_LARGE, "", "the %s with its actions takes more than %d bytes",
                    kind->noun, LIMIT_ENTITY_BYTES);
    return OK;
}

// --- create ---

// Turns request record `index` into the entity that it asks for, once.
static fallible
prepare(struct message *message, const struct entity_kind *kind, size_t index)
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
    TRY(entity_edited(&message->arena, kind, NULL, *item, LIST_OVERWRITE, pointer, &entity));
    record_set_text(entity, ENTITY_KEY,
                    key ? key : key_generate(&message->arena, partition_of_scene(scene)));
    record_set_text(entity, ENTITY_SCENE, scene);
    TRY(entity_check_size(kind, entity, NULL));
    *item = entity;
    return OK;
}

static bool
has_key(const void *value, const void *key)
{
    return text_equal(record_key(value), key);
}

// Whether a chosen key is there already, in the scene (NULL = it is new) or earlier in the request.
static fallible
check_free(struct shard *self, struct message *message, const struct entity_kind *kind,
           const struct scene_state *scene, struct table *asked, size_t index)
{
    struct record *entity = message->records->items[index];
    const struct text *key = record_key(entity);
    uint64_t hash = table_hash_text(key);
    if (key_is_generated(key))
        return OK;
    if ((scene && entity_latest_in_scene(self, kind, scene, key)) ||
        table_find(asked, hash, has_key, key))
        return fail(ERR_CONFLICT, message_pointer(message, index, "/key"),
                    "there is a %s %s already", kind->noun, text_chars(key));
    table_add(asked, hash, entity);
    return OK;
}

static fallible
check_all_free(struct shard *self, struct message *message, const struct entity_kind *kind,
               const struct scene_state *scene)
{
    struct table asked = {0};
    enum error error = OK;
    for (size_t i = message->progress; i < message->records->count && error == OK; i++)
        error = check_free(self, message, kind, scene, &asked, i);
    table_finish(&asked);
    return error;
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
        if (i > 0 && !staging_has_room(&self->staging, 2, record_frozen_size(kind->schema, entity)))
            break;
        reply_add(message, shard_stage_put(self, scene, kind->tag, entity, NULL, event));
    }
}

// Stages the next slice of a request that creates.
static fallible
create_slice(struct shard *self, struct message *message)
{
    const struct entity_kind *kind = work_of(message)->kind;
    const struct records *records = message->records;
    size_t bytes, count = records ? records->count - message->progress : 0;
    if (count == 0)
        return OK;
    for (size_t i = message->progress; i < records->count; i++)
        TRY(prepare(message, kind, i));
    TRY(preconditions_check_none(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    if (scene) {
        TRY(scene_to_write(self, message, scene->key, scene));
        TRY(scene_cache_need(self, scene, message));
    }
    if (kind->choose_key)
        TRY(check_all_free(self, message, kind, scene));
    if (count > CREATED_PER_COMMIT)
        count = CREATED_PER_COMMIT;
    TRY(entity_check_size(kind, records->items[message->progress], &bytes));
    TRY(shard_make_room(self, message, 1 + 2 * count, bytes));
    scene = scenes_latest_or_new(self, message, message->params->scene);
    stage_created(self, message, kind, scene, count);
    return shard_answer_durable(self, message);
}

enum error
entity_creation_ends(const struct message *message, enum error error)
{
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
    return entity_creation_ends(message, create_slice(shard_of(actor), message));
}

bool
entity_creation_goes_on(struct message *message)
{
    message->progress = message->reply.count;
    return message->records && message->progress < message->records->count;
}

bool
entity_is_creation(const struct message *message)
{
    return message->operation == OBJECT_CREATE || message->operation == PROPERTY_CREATE;
}

// --- change ---

enum error
entity_change(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_work *work = work_of(message);
    const struct entity_kind *kind = work->kind;
    struct scene_state *scene;
    const struct entity *stored;
    struct record *changed = NULL;
    size_t bytes;
    TRY(entity_latest(self, message, kind, entity_kind_param(kind, message->params), &scene,
                      &stored));
    if (kind->permits)
        TRY(kind->permits(self, message, stored, message->params->device));
    TRY(work->edit(message, kind, stored, &changed));
    TRY(preconditions_check_entity(message, kind, stored));
    const struct record *latest = &stored->base;
    if (changed) {
        TRY(entity_check_size(kind, changed, &bytes));
        TRY(shard_make_room(self, message, 1, bytes));
        latest = shard_stage_put(self, scene, kind->tag, changed, latest,
                                 (uint8_t)operation_rows[message->operation].msg_type);
    }
    reply_add(message, latest);
    return shard_answer_durable(self, message);
}

// --- read ---

enum error
entity_get(actor_t *actor, struct message *message)
{
    const struct entity_kind *kind = work_of(message)->kind;
    const struct record *entity;
    TRY(entity_find(shard_of(actor), message, kind, entity_kind_param(kind, message->params),
                    &entity));
    reply_add(message, entity);
    return OK;
}

static bool
is_wanted(const struct message *message, const struct record *entity)
{
    if (!message->records || message->records->count == 0)
        return true;
    for (size_t i = 0; i < message->records->count; i++)
        if (record_matches(entity, message->records->items[i]))
            return true;
    return false;
}

enum error
entity_query(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct params *params = message->params;
    struct scene_state *scene = scenes_find(self, params->scene);
    TRY(scene_to_read(self, message, params->scene, scene));
    TRY(scene_cache_need(self, scene, message));
    shard_tell_place(self, scene, message);
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : LIMIT_RECORDS);
    uint64_t skipped = (uint64_t)params->start_record;
    size_t count;
    const struct record *const *entities =
        record_set_items(&scene->entities[work_of(message)->kind->place], &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(message, entities[i]))
            continue;
        if (skipped > 0) {
            skipped--;
            continue;
        }
        if (message->reply.count == num) {
            struct envelope *envelope = reply_envelope(message);
            record_set_integer(&envelope->base, ENVELOPE_NEXT_START_RECORD,
                               params->start_record + (int64_t)num);
            break;
        }
        reply_add(message, entities[i]);
    }
    return OK;
}

// --- delete ---

enum error
entity_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct entity_kind *kind = work_of(message)->kind;
    struct scene_state *scene;
    const struct entity *stored;
    TRY(entity_latest(self, message, kind, entity_kind_param(kind, message->params), &scene,
                      &stored));
    if (kind->permits)
        TRY(kind->permits(self, message, stored, message->params->device));
    TRY(preconditions_check_entity(message, kind, stored));
    TRY(shard_make_room(self, message, 3, 0));
    shard_stage_delete(self, scene, kind->tag, &stored->base,
                       (uint8_t)operation_rows[message->operation].msg_type);
    if (key_is_generated(stored->key)) // a client's own key may be that of other entities elsewhere
        outbox_stage(&self->outbox, message, scene->part,
                     outbox_effect(message, RELATED_GONE, stored->key));
    return shard_answer_durable(self, message);
}

// --- the tables ---

const struct entity_kind *const entity_kinds[ENTITY_KIND_COUNT] = {
    [OBJECTS] = &object_kind,
    [PROPERTIES] = &property_kind,
};

// clang-format off
static const struct entity_work entity_works[OPERATION_COUNT] = {
    [OBJECT_CREATE]            = {&object_kind,   NULL},
    [OBJECT_UPDATE]            = {&object_kind,   edit_by_records},
    [OBJECT_GET]               = {&object_kind,   NULL},
    [OBJECT_DELETE]            = {&object_kind,   NULL},
    [OBJECT_QUERY]             = {&object_kind,   NULL},
    [OBJECT_ADD_ASSET]         = {&object_kind,   object_with_asset},
    [OBJECT_DROP_ASSET]        = {&object_kind,   object_without_asset},
    [PROPERTY_CREATE]          = {&property_kind, NULL},
    [PROPERTY_UPDATE]          = {&property_kind, edit_by_records},
    [PROPERTY_GET]             = {&property_kind, NULL},
    [PROPERTY_DELETE]          = {&property_kind, NULL},
    [PROPERTY_QUERY]           = {&property_kind, NULL},
    [OBJECT_ACTION_PUT]        = {&object_kind, action_put},
    [OBJECT_ACTION_UPDATE]     = {&object_kind, action_update},
    [OBJECT_ACTION_DROP]       = {&object_kind, action_drop},
    [OBJECT_KEYFRAME_PUT]      = {&object_kind, keyframe_put},
    [OBJECT_KEYFRAME_UPDATE]   = {&object_kind, keyframe_update},
    [OBJECT_KEYFRAME_DROP]     = {&object_kind, keyframe_drop},
    [PROPERTY_ACTION_PUT]      = {&property_kind, action_put},
    [PROPERTY_ACTION_UPDATE]   = {&property_kind, action_update},
    [PROPERTY_ACTION_DROP]     = {&property_kind, action_drop},
    [PROPERTY_KEYFRAME_PUT]    = {&property_kind, keyframe_put},
    [PROPERTY_KEYFRAME_UPDATE] = {&property_kind, keyframe_update},
    [PROPERTY_KEYFRAME_DROP]   = {&property_kind, keyframe_drop},
};
// clang-format on

static const struct entity_work *
work_of(const struct message *message)
{
    return &entity_works[message->operation];
}
