// feed_packed.c - fills packed datagrams (feed_packed.h). Pure: any thread.

#include "proto/feed/feed_packed.h"

#include <assert.h>

#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

enum {
    // The headers of an array of 6 and of the changes, the version, three integers and a count
    // below 65,536.
    HEADER_BYTES = 1 + 1 + 3 * 9 + 3 + 3,
    ROOM_BYTES = PACKED_DATAGRAM_BYTES - HEADER_BYTES,
    // A record of this size in memory never fits: the smallest keyframe, a map of its number alone,
    // takes 3 bytes of 184.
    NEVER_FITS_BYTES = 64 * PACKED_DATAGRAM_BYTES,
};

// The members that a change leaves out, one more at each attempt, until it fits a datagram: in the
// order of the plain form (feed_plain.c). Numbers of fields mean the same in objects and
// properties. Key, transform, frame, timestamp and visible always fit.
static const uint8_t omissions[] = {
    ENTITY_ACTIONS,      OBJECT_EXTRAS, OBJECT_ASSETS,   OBJECT_TAGS,  OBJECT_SUBTYPE, OBJECT_TYPE,
    ENTITY_ASSET_SUB_ID, ENTITY_PARENT, PROPERTY_VALUES, OBJECT_OWNER, ENTITY_NAME,    ENTITY_SCENE,
};

void
feed_packed_finish(struct feed_packed *self)
{
    buffer_finish(&self->changes);
    buffer_finish(&self->change);
}

// The members that a change can have, apart from actions.
static uint64_t
members_shown(const struct schema *schema)
{
    uint64_t fields = schema == &object_schema
                          ? object_view_fed.fields | FIELD_BIT(OBJECT_ASSET_SUB_ID)
                          : property_view_fed.fields;
    return fields & ~FIELD_BIT(ENTITY_KEY);
}

uint64_t
feed_packed_difference(const struct record *before, const struct record *after)
{
    uint64_t shown = members_shown(after->schema);
    return before ? record_differences(before, after) & shown : after->present & shown;
}

static bool
is_delete(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_DELETED || msg_type == EVENT_PROPERTY_DELETED;
}

// The members that a change is written with, if they fit.
static uint64_t
members_written(const struct event *event, uint64_t members)
{
    if (is_delete(event->msg_type))
        return 0;
    members &= members_shown(event_record(event)->schema);
    return event_is_of_actions(event->msg_type) ? members | FIELD_BIT(ENTITY_ACTIONS) : members;
}

static void
write_change(const struct event *event, uint64_t members, const struct packed_name *name,
             bool truncated, struct buffer *out)
{
    const struct record *record = event_record(event);
    const struct text *key = record_key(record);
    bool has_both = name->index && name->has_key;
    buffer_clear(out);
    msgpack_put_array(out, has_both ? 4 : 3);
    msgpack_put_unsigned(out, event->msg_type);
    if (name->index && !name->has_key)
        msgpack_put_unsigned(out, name->index);
    else
        msgpack_put_text(out, text_bytes(key), text_size(key));
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
    if (has_both)
        msgpack_put_unsigned(out, name->index);
}

// Whether the member alone is larger than a datagram, as far as that is seen without writing it.
static bool
never_fits(const frozen_t *frozen, const struct field *field)
{
    const struct record *record = frozen_record(frozen);
    size_t size = 0;
    const struct texts *list;
    if (field->id == ENTITY_ACTIONS)
        return record_size(frozen) > NEVER_FITS_BYTES;
    if (field->flags & FIELD_JSON)
        return false; // the value that it says may take fewer bytes than its text
    if (field->type == FIELD_TEXT)
        size = text_size(MEMBER_CONST(const struct text *, record, field));
    else if (field->type == FIELD_TEXTS &&
             (list = MEMBER_CONST(const struct texts *, record, field)))
        for (uint32_t i = 0; i < list->count && size <= ROOM_BYTES; i++)
            size += text_size(list->items[i]) + 1;
    return size > ROOM_BYTES;
}

// The members without those that never fit: megabytes are not written first to see that.
static uint64_t
members_that_may_fit(const frozen_t *record, uint64_t members)
{
    const struct schema *schema = frozen_record(record)->schema;
    uint64_t left = members;
    for (size_t i = 0; i < sizeof omissions; i++)
        if ((members & FIELD_BIT(omissions[i])) &&
            never_fits(record, schema_field(schema, omissions[i])))
            left &= ~FIELD_BIT(omissions[i]);
    return left;
}

// Writes the change so that it fits an empty datagram with so much room.
static void
write_fitting(const struct event *event, uint64_t members, const struct packed_name *name,
              size_t room, struct buffer *out)
{
    uint64_t left = members_that_may_fit(event->record, members);
    write_change(event, left, name, left != members, out);
    for (size_t i = 0; out->size > room && i < sizeof omissions; i++) {
        if (!(left & FIELD_BIT(omissions[i])))
            continue;
        left &= ~FIELD_BIT(omissions[i]);
        write_change(event, left, name, true, out);
    }
    assert(out->size <= room);
}

bool
feed_packed_add(struct feed_packed *self, const struct event *event, uint64_t members)
{
    return feed_packed_add_named(self, event, members, &(struct packed_name){0});
}

bool
feed_packed_add_named(struct feed_packed *self, const struct event *event, uint64_t members,
                      const struct packed_name *name)
{
    size_t room = ROOM_BYTES - self->reserve;
    write_fitting(event, members_written(event, members), name, room, &self->change);
    if (self->changes.size + self->change.size > room)
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
