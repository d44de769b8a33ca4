// reply_parts.c - takes transforms apart (reply_parts.h).
#include "gateway/reply/reply_parts.h"

#include <string.h>

#include "proto/records/object.h"
#include "proto/spatial/transform.h"

static const uint64_t parts = FIELD_BIT(INPUT_TRANSLATION) | FIELD_BIT(INPUT_EULER_ROTATION) |
                              FIELD_BIT(INPUT_QUATERNION_ROTATION) | FIELD_BIT(INPUT_SCALE);

static bool
take_apart(const struct convention *convention, const struct object *object,
           struct transform_input *ret_parts)
{
    double matrix[16], rotation[9];
    memcpy(matrix, object->transform, sizeof matrix);
    if (convention && convention->by_columns)
        transform_transpose(matrix);
    if (!transform_decompose(matrix, ret_parts->translation, rotation, ret_parts->scale))
        return false;
    rotation_to_object_euler(rotation, ret_parts->euler_rotation);
    quaternion_of_rotation(rotation, ret_parts->quaternion_rotation);
    return true;
}

const frozen_t *
reply_parts_shown(const struct convention *convention, struct arena *arena, const frozen_t *object)
{
    const struct record *record = frozen_record(object);
    struct transform_input input;
    if (record->schema != &object_schema || !record_has(record, OBJECT_TRANSFORM) ||
        !take_apart(convention, object_of(record), &input))
        return record_ref(object);
    struct object_edit *shown = (void *)record_new(arena, &object_placed_schema);
    shown->object = *object_of(record);
    shown->object.base.schema = &object_placed_schema;
    shown->object.base.present |= parts;
    shown->input = input;
    return record_freeze(&object_placed_schema, &shown->object.base);
}
