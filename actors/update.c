// update.c - datagrams become object edits; what is none has one reason. Pure.
#include "actors/update.h"

#include "proto/base/limits.h"
#include "proto/event.h"
#include "proto/json_text.h"
#include "proto/partition.h"
#include "proto/record_json.h"
#include "proto/records/object.h"

static bool
is_object_update(const struct json *json)
{
    const struct json *type = json_find(json, "msg_type");
    return type && type->type == JSON_INTEGER && type->integer == EVENT_OBJECT_UPDATED;
}

static bool
key_read(const struct json *json, struct update *update)
{
    const struct json *key = json_find(json, "key");
    if (!key || key->type != JSON_TEXT)
        return false;
    update->key = key->text;
    return partition_of_key(key->text, &update->partition);
}

bool
update_read(struct arena *arena, const char *data, size_t size, struct update *ret_update,
            enum metric_cell *ret_reason)
{
    const struct json *json;
    struct update update;
    *ret_reason = COUNT_UDP_DROP_SIZE;
    if (size > LIMIT_DATAGRAM_BYTES)
        return false;
    *ret_reason = COUNT_UDP_DROP_JSON;
    if (json_parse(arena, data, size, &json) != OK || json->type != JSON_OBJECT)
        return false;
    *ret_reason = COUNT_UDP_DROP_TYPE;
    if (!is_object_update(json))
        return false;
    *ret_reason = COUNT_UDP_DROP_KEY;
    if (!key_read(json, &update))
        return false;
    *ret_reason = COUNT_UDP_DROP_VALUE;
    if (record_from_json(arena, &object_edit_schema, json, "", &update.edit) != OK)
        return false;
    *ret_update = update;
    return true;
}
