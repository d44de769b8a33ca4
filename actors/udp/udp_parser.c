// udp_parser.c - reads datagrams as edits of entities or as controls (udp_parser.h).
#include "actors/udp/udp_parser.h"

#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

// The updates that may come, by msg_type.
static const struct datagram_type {
    uint8_t msg_type; // the event about the update has the same
    const struct schema *edit;
    bool is_of_actions; // changes actions or keyframes alone
} datagram_types[] = {
    {EVENT_OBJECT_UPDATED, &object_edit_schema, false},
    {EVENT_OBJECT_KEYFRAME_UPDATED, &object_edit_schema, true},
    {EVENT_OBJECT_ACTION_UPDATED, &object_edit_schema, true},
    {EVENT_PROPERTY_UPDATED, &property_edit_schema, false},
    {EVENT_PROPERTY_KEYFRAME_UPDATED, &property_edit_schema, true},
    {EVENT_PROPERTY_ACTION_UPDATED, &property_edit_schema, true},
};

static const struct datagram_type *
find_type(int64_t msg_type)
{
    for (size_t i = 0; i < sizeof datagram_types / sizeof datagram_types[0]; i++)
        if (datagram_types[i].msg_type == msg_type)
            return &datagram_types[i];
    return NULL;
}

// -1 if it has none.
static int64_t
msg_type_of(const struct json *json)
{
    const struct json *type = json_find(json, "msg_type");
    return type && type->type == JSON_INTEGER ? type->integer : -1;
}

// A property whose key a client chose is owned by the partition of its scene.
static bool
partition_of_chosen(const struct json *json, uint16_t *ret_partition)
{
    const struct json *scene = json_find(json, "scene");
    if (!scene || scene->type != JSON_TEXT || text_size(scene->text) == 0)
        return false;
    *ret_partition = partition_of_scene(scene->text);
    return true;
}

static bool
key_read(const struct json *json, const struct datagram_type *type, struct udp_parsed *update)
{
    const struct json *key = json_find(json, "key");
    if (!key || key->type != JSON_TEXT)
        return false;
    update->key = key->text;
    if (key_is_generated(key->text) || type->edit != &property_edit_schema)
        return partition_of_key(key->text, &update->partition);
    return text_size(key->text) > 0 && partition_of_chosen(json, &update->partition);
}

// Says in the edit who sends it. False if its token can be none.
static bool
sign(struct arena *arena, struct record *edit, const struct sealed_sender *sender)
{
    if (sender)
        record_set_text(edit, ENTITY_TOKEN, text_from(arena, sender->token_hash));
    return sender || !record_has(edit, ENTITY_TOKEN) ||
           text_size(record_text(edit, ENTITY_TOKEN)) == FEED_TOKEN_SIZE - 1;
}

static bool
edit_read(struct arena *arena, const struct json *json, const struct datagram_type *type,
          const struct sealed_sender *sender, struct udp_parsed *ret_update,
          enum metric_cell *ret_reason)
{
    struct udp_parsed update = {0};
    *ret_reason = COUNT_UDP_DROP_KEY;
    if (!key_read(json, type, &update))
        return false;
    *ret_reason = COUNT_UDP_DROP_VALUE;
    if (record_from_json(arena, type->edit, json, "", &update.edit) != OK)
        return false;
    if (type->is_of_actions)
        record_set_integer(update.edit, ENTITY_EVENT, type->msg_type);
    *ret_reason = COUNT_UDP_DROP_TOKEN;
    if (!sign(arena, update.edit, sender))
        return false;
    *ret_update = update;
    return true;
}

bool
udp_parse(struct arena *arena, const char *data, size_t size, const struct sealed_sender *sender,
          struct udp_parsed *ret_update, enum metric_cell *ret_reason)
{
    const struct json *json;
    *ret_reason = COUNT_UDP_DROP_SIZE;
    if (size > LIMIT_DATAGRAM_BYTES)
        return false;
    size_t text_size = size; // zero bytes at the end are padding
    while (text_size && data[text_size - 1] == '\0')
        text_size--;
    *ret_reason = COUNT_UDP_DROP_JSON;
    if (json_parse(arena, data, text_size, &json) != OK || json->type != JSON_OBJECT)
        return false;
    int64_t msg_type = msg_type_of(json);
    const struct datagram_type *type = find_type(msg_type);
    if (type)
        return edit_read(arena, json, type, sender, ret_update, ret_reason);
    *ret_reason = COUNT_UDP_DROP_TYPE;
    if (!feed_control_is(msg_type))
        return false;
    struct feed_control *control = arena_new(arena, struct feed_control);
    if (!feed_control_read(json, size, sender, control, ret_reason))
        return false;
    *ret_update = (struct udp_parsed){.control = control};
    return true;
}
