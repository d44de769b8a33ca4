// objects.c - the objects of a scene: create, update, read, delete, find (interface 4.1,
// decisions 4).

#include "actors/shard.h"
#include "actors/transform.h"
#include "proto/base/limits.h"
#include "proto/partition.h"

enum { CREATED_PER_COMMIT = 300 }; // at most, two writes each; the rest of a request comes later

static const struct object *
as_object(const struct record *record)
{
    return (const struct object *)(const void *)record;
}

static fallible
no_object(const struct text *key)
{
    return fail(ERR_NOT_FOUND, "", "there is no object %s", text_chars(key));
}

bool
object_is_staged(const struct shard *self, const struct text *key)
{
    return staging_latest(&self->staging, KEY_OBJECT, NULL, key) != NULL;
}

fallible
object_latest(struct shard *self, struct message *message, const struct text *key,
              struct scene_state **ret_scene, const struct object **ret_object)
{
    const struct change *change = staging_latest(&self->staging, KEY_OBJECT, NULL, key);
    const struct record *object = change ? change->record : residency_find_object(self, key);
    if (!object)
        return change ? no_object(key) : residency_look_up(self, key, message);
    struct scene_state *scene =
        change ? change->scene : scenes_find(self, as_object(object)->scene);
    if (!scene || scene->is_doomed)
        return no_object(key);
    TRY(scene_to_write(self, message, scene->key, scene));
    *ret_scene = scene;
    *ret_object = as_object(object);
    return residency_need(self, scene, message);
}

// --- editing ---

static const double *
part_of(const struct record *edit, unsigned id, const double *part)
{
    return record_has(edit, id) ? part : NULL;
}

static fallible
compose(struct object_edit *edit, const struct object *stored, const char *pointer)
{
    const struct record *record = &edit->object.base;
    const struct transform_parts parts = {
        .matrix = part_of(record, OBJECT_TRANSFORM, edit->object.transform),
        .translation = part_of(record, OBJECT_TRANSLATION, edit->translation),
        .euler = part_of(record, OBJECT_EULER_ROTATION, edit->euler_rotation),
        .quaternion = part_of(record, OBJECT_QUATERNION_ROTATION, edit->quaternion_rotation),
        .scale = part_of(record, OBJECT_SCALE, edit->scale),
    };
    if (parts.quaternion && !quaternion_is_usable(parts.quaternion)) {
        char member[sizeof fault_last()->pointer];
        snprintf(member, sizeof member, "%s/quaternion_rotation", pointer);
        return fail(ERR_INVALID, member, "the norm of a rotation is between 0.5 and 2");
    }
    bool has_parts =
        parts.matrix || parts.translation || parts.euler || parts.quaternion || parts.scale;
    if (!has_parts && stored)
        return OK;
    double matrix[16];
    transform_compose(&parts, stored ? stored->transform : NULL, matrix);
    memcpy(edit->object.transform, matrix, sizeof matrix);
    record_mark(&edit->object.base, OBJECT_TRANSFORM);
    return OK;
}

// An update's owner is a lock: it is taken when free, ignored while another holds it (decisions 5).
static void
decide_owner(struct object_edit *edit, const struct object *stored)
{
    const struct text *owner = edit->object.owner;
    bool is_free = !stored || text_size(stored->owner) == 0 || text_equal(stored->owner, owner);
    if (!is_free || text_size(owner) == 0)
        edit->object.base.present &= ~FIELD_BIT(OBJECT_OWNER);
}

fallible
object_edited(struct arena *arena, const struct object *stored, struct object_edit *edit,
              enum list_mode mode, const char *pointer, struct object **ret_object)
{
    // The edit stays as it came: a request may have to run again.
    struct object_edit *copy = arena_copy(arena, edit, sizeof *edit);
    TRY(compose(copy, stored, pointer));
    decide_owner(copy, stored);
    const struct record *base = stored ? &stored->base : record_new(arena, &object_schema);
    struct record *merged;
    TRY(record_merge(arena, &object_schema, base, &copy->object.base, mode, &merged));
    *ret_object = (struct object *)(void *)merged;
    return OK;
}

// --- create ---

// Turns request record `index` into the object that it asks for, once.
static fallible
prepare(struct message *message, size_t index)
{
    struct record **item = &message->records->items[index];
    if ((*item)->schema == &object_schema)
        return OK; // an earlier run did
    const struct text *scene = message->params->scene;
    struct object *object;
    TRY(object_edited(&message->arena, NULL, (struct object_edit *)(void *)*item, LIST_OVERWRITE,
                      message_pointer(message, index, ""), &object));
    record_set_text(&object->base, OBJECT_KEY,
                    key_generate(&message->arena, partition_of_scene(scene)));
    record_set_text(&object->base, OBJECT_SCENE, scene);
    *item = &object->base;
    return OK;
}

enum error
object_create(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct records *records = message->records;
    if (!records || records->count == 0)
        return OK;
    for (size_t i = message->progress; i < records->count; i++)
        TRY(prepare(message, i));
    TRY(conditions_check_none(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    if (scene) {
        TRY(scene_to_write(self, message, scene->key, scene));
        TRY(residency_need(self, scene, message));
    }
    size_t count = records->count - message->progress;
    if (count > CREATED_PER_COMMIT)
        count = CREATED_PER_COMMIT;
    TRY(shard_make_room(self, message, 1 + 2 * count, 0));
    scene = scenes_latest_or_new(self, message, message->params->scene);
    // Large objects fill a commit before there are that many.
    for (size_t i = 0; i < count && (i == 0 || staging_has_room(&self->staging, 2, 0)); i++)
        reply_add(message,
                  shard_stage_put(self, scene, KEY_OBJECT, records->items[message->progress + i],
                                  NULL, EVENT_OBJECT_CREATED));
    return shard_answer_durable(self, message);
}

// --- update ---

static enum error
answer_object(struct shard *self, struct message *message, const struct object *object)
{
    reply_add(message, &object->base);
    return shard_answer_durable(self, message);
}

static enum error
put_object(struct shard *self, struct message *message, struct scene_state *scene,
           const struct object *before, const struct object *after)
{
    TRY(conditions_check_object(message, before));
    TRY(shard_make_room(self, message, 1, 0));
    const struct record *staged =
        shard_stage_put(self, scene, KEY_OBJECT, &after->base, &before->base, EVENT_OBJECT_UPDATED);
    return answer_object(self, message, as_object(staged));
}

enum error
object_update(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const struct object *stored;
    TRY(object_latest(self, message, message->params->object, &scene, &stored));
    TRY(lock_permits(self, message, stored, message->params->device));
    if (!message->records || message->records->count == 0) {
        TRY(conditions_check_object(message, stored));
        return answer_object(self, message, stored);
    }
    const struct object *merged = stored;
    for (size_t i = 0; i < message->records->count; i++) {
        struct object *next;
        TRY(object_edited(
            &message->arena, merged, (struct object_edit *)(void *)message->records->items[i],
            params_list_mode(message->params), message_pointer(message, i, ""), &next));
        merged = next;
    }
    return put_object(self, message, scene, stored, merged);
}

static enum error
change_asset(actor_t *actor, struct message *message, enum list_mode mode)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const struct object *stored;
    TRY(object_latest(self, message, message->params->object, &scene, &stored));
    TRY(lock_permits(self, message, stored, message->params->device));
    struct object *edit = (struct object *)(void *)record_new(&message->arena, &object_schema);
    edit->assets = texts_of_one(&message->arena, message->params->asset);
    record_mark(&edit->base, OBJECT_ASSETS);
    struct record *merged;
    TRY(record_merge(&message->arena, &object_schema, &stored->base, &edit->base, mode, &merged));
    return put_object(self, message, scene, stored, as_object(merged));
}

enum error
object_add_asset(actor_t *actor, struct message *message)
{
    return change_asset(actor, message, LIST_APPEND);
}

enum error
object_drop_asset(actor_t *actor, struct message *message)
{
    return change_asset(actor, message, LIST_REMOVE);
}

// --- read ---

enum error
object_get(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *key = message->params->object;
    const struct record *object = residency_find_object(self, key);
    if (!object)
        return residency_look_up(self, key, message);
    struct scene_state *scene = scenes_find(self, as_object(object)->scene);
    TRY(scene_to_read(self, message, as_object(object)->scene, scene));
    TRY(residency_need(self, scene, message)); // marks the use: it is in memory
    reply_add(message, object);
    return OK;
}

static bool
object_is_wanted(const struct message *message, const struct record *object)
{
    if (!message->records || message->records->count == 0)
        return true;
    for (size_t i = 0; i < message->records->count; i++)
        if (record_matches(object, message->records->items[i]))
            return true;
    return false;
}

enum error
object_query(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct params *params = message->params;
    struct scene_state *scene = scenes_find(self, params->scene);
    TRY(scene_to_read(self, message, params->scene, scene));
    TRY(residency_need(self, scene, message));
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : LIMIT_RECORDS);
    uint64_t skipped = (uint64_t)params->start_record;
    size_t count;
    const struct record *const *objects = record_set_items(&scene->objects, &count);
    for (size_t i = 0; i < count; i++) {
        if (!object_is_wanted(message, objects[i]))
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
        reply_add(message, objects[i]);
    }
    return OK;
}

// --- delete ---

enum error
object_delete(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const struct object *stored;
    TRY(object_latest(self, message, message->params->object, &scene, &stored));
    TRY(lock_permits(self, message, stored, message->params->device));
    TRY(conditions_check_object(message, stored));
    TRY(shard_make_room(self, message, 2, 0));
    shard_stage_delete(self, scene, KEY_OBJECT, &stored->base, EVENT_OBJECT_DELETED);
    return shard_answer_durable(self, message);
}
