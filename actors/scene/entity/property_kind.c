// property_kind.c - what only properties do: a client may choose the key.

#include "actors/scene/entity/property_kind.h"

#include "actors/scene/scene_family.h"
#include "proto/message/partition.h"
#include "proto/records/action.h"
#include "proto/records/property.h"

static fallible
choose_key(const struct record *edit, const struct path *path, const struct text **ret_key)
{
    struct path member = {.up = path, .name = "key"};
    const struct text *key = entity_of(edit)->key;
    if (key && key_is_generated(key))
        return path_fail(&member, ERR_INVALID,
                         "must not look like a generated key (24 hex characters)");
    *ret_key = key;
    return OK;
}

const struct entity_kind property_kind = {
    .place = PROPERTIES,
    .noun = "property",
    .tag = KEY_PROPERTY,
    .schema = &property_schema,
    .edit = &property_edit_schema,
    .action = &property_action_schema,
    .keyframe = &property_keyframe_schema,
    .param = offsetof(struct params, property),
    .get = PROPERTY_GET,
    .choose_key = choose_key,
};
