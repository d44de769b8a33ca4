// object_kind.c - what only objects do: transforms are composed of their parts, a lock decides
// about the owner, assets come and go one by one.

#include "actors/scene/entity/object_kind.h"

#include "actors/scene/entity/lock_rules.h"
#include "actors/scene/entity/object_geopose.h"
#include "actors/scene/scene_family.h"
#include "proto/spatial/euler.h"
#include "proto/spatial/transform.h"

static const double *
part_of(const struct record *edit, unsigned id, const double *part)
{
    return record_has(edit, id) ? part : NULL;
}

// The rotation of the Euler angles of an edit, if it has any, in the order that it names.
static fallible
read_euler(const struct record *edit, const struct transform_input *input, const struct path *path,
           double *ret_rotation)
{
    struct path named = {.up = path, .name = "euler_order"};
    const struct euler_order *order = euler_order_find(input->euler_order);
    if (!order)
        return path_fail(&named, ERR_INVALID, "must be one of YXZ, XYZ, XZY, YZX, ZXY, ZYX");
    if (record_has(edit, INPUT_EULER_ROTATION))
        euler_to_rotation(order, input->euler_rotation, ret_rotation);
    return OK;
}

// Composes the transform of the edit into its own `matrix`, over `stored` (NULL = nothing).
static fallible
compose(struct record *edit, const struct transform_input *input, double *matrix,
        const double *stored, const struct path *path)
{
    double by_angles[9];
    TRY(read_euler(edit, input, path, by_angles));
    const struct transform_parts parts = {
        .matrix = part_of(edit, OBJECT_TRANSFORM, matrix),
        .translation = part_of(edit, INPUT_TRANSLATION, input->translation),
        .rotation = part_of(edit, INPUT_EULER_ROTATION, by_angles),
        .quaternion = part_of(edit, INPUT_QUATERNION_ROTATION, input->quaternion_rotation),
        .scale = part_of(edit, INPUT_SCALE, input->scale),
    };
    struct path rotation = {.up = path, .name = "quaternion_rotation"};
    if (parts.quaternion && !quaternion_is_usable(parts.quaternion))
        return path_fail(&rotation, ERR_INVALID, "the norm of a rotation is between 0.5 and 2");
    bool has_parts =
        parts.matrix || parts.translation || parts.rotation || parts.quaternion || parts.scale;
    if (!has_parts && stored)
        return OK;
    double composed[16];
    transform_compose(&parts, stored, composed);
    memcpy(matrix, composed, sizeof composed);
    record_mark(edit, OBJECT_TRANSFORM);
    return OK;
}

// An update's owner is a lock: it is taken when free, ignored while another holds it.
static void
decide_owner(struct object_edit *edit, const struct object *stored)
{
    const struct text *owner = object_owner(&edit->object);
    bool is_free =
        !stored || text_size(object_owner(stored)) == 0 || text_equal(object_owner(stored), owner);
    if (!is_free || text_size(owner) == 0)
        edit->object.base.present &= ~FIELD_BIT(OBJECT_OWNER);
}

static fallible
prepare(struct record *record, const struct entity *entity, const struct path *path)
{
    struct object_edit *edit = (struct object_edit *)(void *)record;
    const struct object *stored = entity ? object_of(&entity->base) : NULL;
    TRY(compose(record, &edit->input, edit->object.transform, stored ? stored->transform : NULL,
                path));
    decide_owner(edit, stored);
    return OK;
}

static fallible
prepare_keyframe(struct record *record, const struct record *stored, const struct path *path)
{
    struct object_keyframe_edit *edit = (struct object_keyframe_edit *)(void *)record;
    const struct object_keyframe *before = (const struct object_keyframe *)(const void *)stored;
    return compose(record, &edit->input, edit->keyframe.transform,
                   before ? before->transform : NULL, path);
}

static fallible
permits(struct shard *self, struct message *message, const struct scene_state *scene,
        const struct entity *entity, const struct lock_claim *claim)
{
    return lock_permits(self, message, scene, object_of(&entity->base), claim);
}

static void
follows(struct arena *arena, const struct entity *stored, const struct lock_claim *claim,
        struct record *changed)
{
    lock_renew(arena, &stored->base, claim, changed);
}

static fallible
allows(const struct message *message, const struct entity *stored, const struct record *changed)
{
    return lock_allows(message, stored ? object_of(&stored->base) : NULL, object_of(changed));
}

const struct entity_kind object_kind = {
    .place = OBJECTS,
    .noun = "object",
    .tag = KEY_OBJECT,
    .schema = &object_schema,
    .edit = &object_edit_schema,
    .action = &object_action_schema,
    .keyframe = &object_keyframe_schema,
    .param = offsetof(struct params, object),
    .get = OBJECT_GET,
    .prepare = prepare,
    .prepare_keyframe = prepare_keyframe,
    .locate = object_geopose_take,
    .show_place = object_geopose_show,
    .show_places = object_geoposes_show,
    .find_place = object_geopose_find,
    .permits = permits,
    .follows = follows,
    .allows = allows,
};

// --- assets ---

static fallible
change_asset(struct message *message, const struct entity *stored, enum list_mode mode,
             struct record **ret_changed)
{
    struct object *edit = (struct object *)(void *)record_new(&message->arena, &object_schema);
    edit->assets = texts_of_one(&message->arena, message->params->asset);
    record_mark(&edit->base, OBJECT_ASSETS);
    return record_merge(&message->arena, &object_schema, &stored->base, &edit->base, mode,
                        ret_changed);
}

fallible
object_with_asset(struct message *message, const struct entity_kind *kind,
                  const struct entity *stored, struct record **ret_changed)
{
    (void)kind;
    return change_asset(message, stored, LIST_APPEND, ret_changed);
}

fallible
object_without_asset(struct message *message, const struct entity_kind *kind,
                     const struct entity *stored, struct record **ret_changed)
{
    (void)kind;
    return change_asset(message, stored, LIST_REMOVE, ret_changed);
}
