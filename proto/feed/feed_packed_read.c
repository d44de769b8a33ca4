// feed_packed_read.c - packed datagrams as JSON trees, by the names of the field tables
// (feed_packed.h). Their content may be hostile. Pure: any thread.

#include <string.h>

#include "proto/codec/json_tree.h"
#include "proto/codec/record_msgpack.h"
#include "proto/feed/feed_packed.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/transform_bytes.h"

static fallible value_from(struct arena *arena, const struct field *field,
                           const struct json *packed, struct json *ret_value);

static fallible
malformed(const char *reason)
{
    return fail(ERR_MALFORMED, "", "The datagram %s.", reason);
}

static fallible
check_text(const struct json *packed)
{
    if (packed->type != JSON_TEXT ||
        !utf8_is_valid(text_bytes(packed->text), text_size(packed->text)))
        return malformed("has a text that is none");
    return OK;
}

static fallible
matrix_from(struct arena *arena, const struct json *packed, struct json *ret_value)
{
    double matrix[16];
    if (packed->type != JSON_TEXT ||
        !transform_from_bytes((const unsigned char *)text_bytes(packed->text),
                              text_size(packed->text), matrix))
        return malformed("has a transform that is none");
    struct json *items = arena_alloc(arena, 16 * sizeof *items);
    for (int i = 0; i < 16; i++)
        items[i] = (struct json){.type = JSON_NUMBER, .number = matrix[i]};
    *ret_value = (struct json){.type = JSON_ARRAY, .count = 16, .items = items};
    return OK;
}

static fallible
number_from(const struct json *packed, struct json *ret_value)
{
    bool is_integer = packed->type == JSON_INTEGER;
    if (!is_integer && packed->type != JSON_NUMBER)
        return malformed("has a number that is none");
    *ret_value = (struct json){.type = JSON_NUMBER,
                               .number = is_integer ? (double)packed->integer : packed->number};
    return OK;
}

// The number of a field, written as the name of a member; UINT8_MAX = not one of ours.
static unsigned
id_of(const struct text *name)
{
    unsigned id = 0;
    if (text_size(name) == 0 || text_size(name) > 2)
        return UINT8_MAX;
    for (size_t i = 0; i < text_size(name); i++) {
        if (name->data[i] < '0' || name->data[i] > '9')
            return UINT8_MAX;
        id = id * 10 + (unsigned)(name->data[i] - '0');
    }
    return id;
}

// Adds the members of a map by number to `members`, which has room for all. The members of the bits
// `seen` are there already.
static fallible
members_from(struct arena *arena, const struct schema *schema, const struct json *packed,
             uint64_t seen, struct json_member *members, uint32_t *count)
{
    if (packed->type != JSON_OBJECT)
        return malformed("has no map in the place of a record");
    for (uint32_t i = 0; i < packed->count; i++) {
        unsigned id = id_of(packed->members[i].name);
        const struct field *field = id < PACKED_TRUNCATED ? schema_field(schema, id) : NULL;
        if (!field)
            continue;
        if (seen & FIELD_BIT(id))
            return malformed("has a field twice");
        seen |= FIELD_BIT(id);
        struct json_member *member = &members[(*count)++];
        member->name = text_from(arena, field->name);
        TRY(value_from(arena, field, &packed->members[i].value, &member->value));
    }
    return OK;
}

static fallible
record_from(struct arena *arena, const struct field *field, const struct json *packed,
            struct json *ret_value)
{
    if ((field->flags & FIELD_SCALAR_ITEMS) && packed->type != JSON_OBJECT)
        return number_from(packed, ret_value);
    struct json_member *members = arena_alloc(arena, packed->count * sizeof *members);
    *ret_value = (struct json){.type = JSON_OBJECT, .members = members};
    return members_from(arena, field->of, packed, 0, members, &ret_value->count);
}

// A list of texts or of records.
static fallible
list_from(struct arena *arena, const struct field *field, const struct json *packed,
          struct json *ret_value)
{
    if (packed->type != JSON_ARRAY)
        return malformed("has a list that is none");
    struct json *items = arena_alloc(arena, packed->count * sizeof *items);
    *ret_value = (struct json){.type = JSON_ARRAY, .count = packed->count, .items = items};
    for (uint32_t i = 0; i < packed->count; i++) {
        items[i] = packed->items[i];
        if (field->type == FIELD_TEXTS)
            TRY(check_text(&items[i]));
        else
            TRY(record_from(arena, field, &packed->items[i], &items[i]));
    }
    return OK;
}

static fallible
check_json(struct arena *arena, const struct json *packed)
{
    return json_tree_is_json(arena, packed) ? OK : malformed("has a value that is not JSON");
}

// The types that fields of objects, of properties and of their nested records have.
static fallible
value_from(struct arena *arena, const struct field *field, const struct json *packed,
           struct json *ret_value)
{
    *ret_value = *packed;
    if (packed->type == JSON_NULL)
        return OK;
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return field->flags & FIELD_JSON ? check_json(arena, packed) : check_text(packed);
    case FIELD_BOOL:
        return packed->type == JSON_BOOL ? OK : malformed("has a truth value that is none");
    case FIELD_INTEGER:
        return packed->type == JSON_INTEGER ? OK : malformed("has an integer that is none");
    case FIELD_NUMBER:
        return number_from(packed, ret_value);
    case FIELD_NUMBERS:
        return matrix_from(arena, packed, ret_value);
    case FIELD_RECORD:
        return record_from(arena, field, packed, ret_value);
    case FIELD_TEXTS:
    case FIELD_RECORDS:
        return list_from(arena, field, packed, ret_value);
    }
    return malformed("has a value of no type");
}

static const struct schema *
schema_of(int64_t msg_type)
{
    return strcmp(event_noun((uint8_t)msg_type), "property") == 0 ? &property_schema
                                                                  : &object_schema;
}

enum { OWN_MEMBERS = 4 }; // msg_type, key, index, truncated

// PACKED_TRUNCATED as a name in the tree.
static const char truncated_name[] = "63";

static bool
is_index(const struct json *item)
{
    return item->type == JSON_INTEGER && item->integer > 0;
}

// By key, by key and index (the fourth item), or by index.
static fallible
name_from(struct arena *arena, const struct json *packed, struct json_member *members,
          uint32_t *count)
{
    const struct json *name = &packed->items[1];
    bool has_key = !is_index(name);
    if (has_key) {
        TRY(check_text(name));
        members[(*count)++] = (struct json_member){text_from(arena, "key"), *name};
    }
    const struct json *index = has_key && packed->count > 3 ? &packed->items[3] : name;
    if (is_index(index))
        members[(*count)++] = (struct json_member){text_from(arena, "index"), *index};
    return OK;
}

static fallible
change_from(struct arena *arena, const struct json *packed, struct json *ret_change)
{
    if (packed->type != JSON_ARRAY || packed->count < 3)
        return malformed("has a change that is none");
    const struct json *msg_type = &packed->items[0];
    if (msg_type->type != JSON_INTEGER || msg_type->integer < 0 ||
        msg_type->integer > EVENT_LAST_FOR_DEVICES)
        return malformed("has a change of no type");
    const struct json *fields = &packed->items[2];
    size_t room = OWN_MEMBERS + fields->count;
    struct json_member *members = arena_alloc(arena, room * sizeof *members);
    members[0] = (struct json_member){text_from(arena, "msg_type"), *msg_type};
    uint32_t count = 1;
    TRY(name_from(arena, packed, members, &count));
    TRY(members_from(arena, schema_of(msg_type->integer), fields, FIELD_BIT(ENTITY_KEY), members,
                     &count));
    if (json_find(fields, truncated_name))
        members[count++] = (struct json_member){text_from(arena, "truncated"),
                                                {.type = JSON_BOOL, .boolean = true}};
    *ret_change = (struct json){.type = JSON_OBJECT, .count = count, .members = members};
    return OK;
}

static fallible
changes_from(struct arena *arena, const struct json *packed, const struct json **ret_changes)
{
    struct json *changes = arena_new(arena, struct json);
    struct json *items = arena_alloc(arena, packed->count * sizeof *items);
    for (uint32_t i = 0; i < packed->count; i++)
        TRY(change_from(arena, &packed->items[i], &items[i]));
    *changes = (struct json){.type = JSON_ARRAY, .count = packed->count, .items = items};
    *ret_changes = changes;
    return OK;
}

// Version, epoch, prev, seq and count. `header` has at least six items.
static fallible
check_header(const struct json *header)
{
    for (int i = 0; i < 5; i++)
        if (header[i].type != JSON_INTEGER || header[i].integer < 0)
            return malformed("has a header that is none");
    if (header[0].integer != PACKED_VERSION)
        return malformed("is of another version");
    if (header[5].type != JSON_ARRAY || header[4].integer != header[5].count)
        return malformed("has another number of changes than it says");
    return OK;
}

fallible
feed_packed_read(struct arena *arena, const void *data, size_t size,
                 struct feed_packed_datagram *ret_datagram)
{
    const struct json *packed, *changes;
    if (size > PACKED_DATAGRAM_BYTES)
        return malformed("is too large");
    TRY(msgpack_to_json(arena, data, size, &packed));
    if (packed->type != JSON_ARRAY || packed->count < 6)
        return malformed("is no array of six");
    const struct json *header = packed->items;
    TRY(check_header(header));
    TRY(changes_from(arena, &header[5], &changes));
    *ret_datagram = (struct feed_packed_datagram){.epoch = (uint64_t)header[1].integer,
                                                  .prev = (uint64_t)header[2].integer,
                                                  .seq = (uint64_t)header[3].integer,
                                                  .changes = changes};
    return OK;
}
