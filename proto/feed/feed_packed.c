// feed_packed.c - fills packed datagrams (feed_packed.h). Pure: any thread.

#include "proto/feed/feed_packed.h"

#include <assert.h>

#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

enum {
    // Of arrays of 6 and of many, the version, three integers and a count below 65,536.
    HEADER_BYTES = 1 + 1 + 3 * 9 + 3 + 3,
    ROOM_BYTES = PACKED_DATAGRAM_BYTES - HEADER_BYTES,
    // In memory; the smallest keyframe, a map of its number alone, takes 3 bytes of 184. So what is
    // larger never fits.
    HOPELESS_BYTES = 64 * PACKED_DATAGRAM_BYTES,
};

// What a change does without, one more at each attempt, until it fits a datagram: the order of the
// plain form (feed.c). Numbers of fields mean the same in objects and properties. Key, transform,
// frame and timestamp always fit.
static const uint8_t sacrifices[] = {
    ENTITY_ACTIONS, OBJECT_ASSETS,   OBJECT_SUBTYPE, OBJECT_TYPE, ENTITY_ASSET_SUB_ID,
    ENTITY_PARENT,  PROPERTY_VALUES, OBJECT_OWNER,   ENTITY_NAME, ENTITY_SCENE,
};

void
feed_packed_finish(struct feed_packed *self)
{
    buffer_finish(&self->changes);
    buffer_finish(&self->change);
}

// The members that changes can have, actions aside.
static uint64_t
packed_shown(const struct schema *schema)
{
    uint64_t fields = schema == &object_schema
                          ? object_view_fed.fields | FIELD_BIT(OBJECT_ASSET_SUB_ID)
                          : property_view_fed.fields;
    return fields & ~FIELD_BIT(ENTITY_KEY);
}

uint64_t
feed_packed_difference(const struct record *before, const struct record *after)
{
    uint64_t shown = packed_shown(after->schema);
    return before ? record_differences(before, after) & shown : after->present & shown;
}

static bool
is_delete(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_DELETED || msg_type == EVENT_PROPERTY_DELETED;
}

// The members that a change is written with, as long as they fit.
static uint64_t
packed_members(const struct event *event, uint64_t members)
{
    if (is_delete(event->msg_type))
        return 0;
    members &= packed_shown(event_record(event)->schema);
    return event_is_of_actions(event->msg_type) ? members | FIELD_BIT(ENTITY_ACTIONS) : members;
}

static void
packed_write(const struct event *event, uint64_t members, bool truncated, struct buffer *out)
{
    const struct record *record = event_record(event);
    const struct text *key = record_key(record);
    buffer_clear(out);
    msgpack_put_array(out, 3);
    msgpack_put_unsigned(out, event->msg_type);
    msgpack_put_text(out, text_chars(key), text_size(key));
    msgpack_put_map(out, (uint32_t)__builtin_popcountll(members) + truncated);
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        if (!(members & FIELD_BIT(field->id)))
            continue;
        msgpack_put_unsigned(out, field->id);
        record_member_to_packed(record, field, out);
    }
    if (truncated) {
        msgpack_put_unsigned(out, PACKED_TRUNCATED);
        msgpack_put_bool(out, true);
    }
}

// Whether the member alone is more than a datagram holds, as far as that can be seen at a glance.
static bool
is_hopeless(const frozen_t *frozen, const struct field *field)
{
    const struct record *record = frozen_record(frozen);
    size_t size = 0;
    const struct texts *list;
    if (field->id == ENTITY_ACTIONS)
        return record_size(frozen) > HOPELESS_BYTES;
    if (field->type == FIELD_TEXT)
        size = text_size(MEMBER_CONST(const struct text *, record, field));
    else if (field->type == FIELD_TEXTS &&
             (list = MEMBER_CONST(const struct texts *, record, field)))
        for (uint32_t i = 0; i < list->count && size <= ROOM_BYTES; i++)
            size += text_size(list->items[i]) + 1;
    return size > ROOM_BYTES;
}

// The members without those that are hopeless: megabytes need not be written to see it.
static uint64_t
packed_hopeful(const frozen_t *record, uint64_t members)
{
    const struct schema *schema = frozen_record(record)->schema;
    uint64_t left = members;
    for (size_t i = 0; i < sizeof sacrifices; i++)
        if ((members & FIELD_BIT(sacrifices[i])) &&
            is_hopeless(record, schema_field(schema, sacrifices[i])))
            left &= ~FIELD_BIT(sacrifices[i]);
    return left;
}

// Encodes the change so that some datagram has room for it.
static void
packed_fit(const struct event *event, uint64_t members, struct buffer *out)
{
    uint64_t left = packed_hopeful(event->record, members);
    packed_write(event, left, left != members, out);
    for (size_t i = 0; out->size > ROOM_BYTES && i < sizeof sacrifices; i++) {
        if (!(left & FIELD_BIT(sacrifices[i])))
            continue;
        left &= ~FIELD_BIT(sacrifices[i]);
        packed_write(event, left, true, out);
    }
    assert(out->size <= ROOM_BYTES);
}

bool
feed_packed_add(struct feed_packed *self, const struct event *event, uint64_t members)
{
    packed_fit(event, packed_members(event, members), &self->change);
    if (self->changes.size + self->change.size > ROOM_BYTES)
        return false;
    buffer_put(&self->changes, self->change.data, self->change.size);
    self->count++;
    return true;
}

void
feed_packed_close(struct feed_packed *self, uint64_t epoch, uint64_t prev, uint64_t seq,
                  struct buffer *out)
{
    buffer_clear(out);
    msgpack_put_array(out, 6);
    msgpack_put_unsigned(out, PACKED_VERSION);
    msgpack_put_unsigned(out, epoch);
    msgpack_put_unsigned(out, prev);
    msgpack_put_unsigned(out, seq);
    msgpack_put_unsigned(out, self->count);
    msgpack_put_array(out, self->count);
    buffer_put(out, self->changes.data, self->changes.size);
    buffer_clear(&self->changes);
    self->count = 0;
}
