// record_msgpack.c - the only file where msgpack-c packs and unpacks. Pure; any thread. Input was
// scanned before it is unpacked (msgpack_scan.h), so it takes memory in proportion to its size.
#include "proto/codec/record_msgpack.h"

#include <math.h>
#include <msgpack.h>

#include "proto/codec/json_text.h"
#include "proto/codec/msgpack_scan.h"

// --- packing -------------------------------------------------------------------------------------

static int
put_packed(void *out, const char *data, size_t size)
{
    buffer_put(out, data, size);
    return 0;
}

static msgpack_packer
packer(struct buffer *out)
{
    return (msgpack_packer){.data = out, .callback = put_packed};
}

void
msgpack_put_map(struct buffer *out, uint32_t count)
{
    msgpack_packer into = packer(out);
    msgpack_pack_map(&into, count);
}

void
msgpack_put_array(struct buffer *out, uint32_t count)
{
    msgpack_packer into = packer(out);
    msgpack_pack_array(&into, count);
}

void
msgpack_put_text(struct buffer *out, const char *data, size_t size)
{
    msgpack_packer into = packer(out);
    msgpack_pack_str_with_body(&into, data, size);
}

void
msgpack_put_bytes(struct buffer *out, const void *data, size_t size)
{
    msgpack_packer into = packer(out);
    msgpack_pack_bin_with_body(&into, data, size);
}

void
msgpack_put_integer(struct buffer *out, int64_t value)
{
    msgpack_packer into = packer(out);
    msgpack_pack_int64(&into, value);
}

void
msgpack_put_unsigned(struct buffer *out, uint64_t value)
{
    msgpack_packer into = packer(out);
    msgpack_pack_uint64(&into, value);
}

void
msgpack_put_number(struct buffer *out, double value)
{
    msgpack_packer into = packer(out);
    msgpack_pack_double(&into, value);
}

void
msgpack_put_bool(struct buffer *out, bool value)
{
    msgpack_packer into = packer(out);
    if (value)
        msgpack_pack_true(&into);
    else
        msgpack_pack_false(&into);
}

void
msgpack_put_nil(struct buffer *out)
{
    msgpack_packer into = packer(out);
    msgpack_pack_nil(&into);
}

// --- unpacking -----------------------------------------------------------------------------------

static fallible
malformed(const char *reason)
{
    return fail(ERR_MALFORMED, "", "The msgpack %s.", reason);
}

// `unpacked` borrows texts from `data`; msgpack_unpacked_destroy ends it.
static fallible
unpack(msgpack_unpacked *unpacked, const void *data, size_t size)
{
    size_t offset = 0;
    TRY(msgpack_scan(data, size));
    if (msgpack_unpack_next(unpacked, data, size, &offset) != MSGPACK_UNPACK_SUCCESS)
        return malformed("cannot be read");
    return OK;
}

static bool
get_integer(const msgpack_object *object, int64_t *ret_value)
{
    if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER && object->via.u64 <= INT64_MAX)
        *ret_value = (int64_t)object->via.u64;
    else if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        *ret_value = object->via.i64;
    else
        return false;
    return true;
}

// Only finite numbers: records and JSON trees hold no others.
static bool
get_number(const msgpack_object *object, double *ret_value)
{
    double value;
    if (object->type == MSGPACK_OBJECT_FLOAT64 || object->type == MSGPACK_OBJECT_FLOAT32)
        value = object->via.f64;
    else if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        value = (double)object->via.u64;
    else if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        value = (double)object->via.i64;
    else
        return false;
    *ret_value = value;
    return isfinite(value);
}

// --- to a JSON tree ------------------------------------------------------------------------------

static fallible tree_from(struct arena *arena, const msgpack_object *object, struct json *value);

static fallible
tree_from_number(const msgpack_object *object, struct json *value)
{
    value->type = JSON_INTEGER;
    if (get_integer(object, &value->integer))
        return OK;
    value->type = JSON_NUMBER;
    value->count = object->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    return get_number(object, &value->number) ? OK : malformed("has a number that is not finite");
}

static fallible
tree_from_array(struct arena *arena, const msgpack_object_array *array, struct json *value)
{
    struct json *items = arena_alloc(arena, array->size * sizeof(*items));
    *value = (struct json){.type = JSON_ARRAY, .count = array->size, .items = items};
    for (uint32_t i = 0; i < array->size; i++)
        TRY(tree_from(arena, &array->ptr[i], &items[i]));
    return OK;
}

static const struct text *
name_from(struct arena *arena, const msgpack_object *key)
{
    if (key->type == MSGPACK_OBJECT_STR)
        return text_new(arena, key->via.str.ptr, key->via.str.size);
    if (key->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        return text_format(arena, "%llu", (unsigned long long)key->via.u64);
    return NULL;
}

static fallible
tree_from_map(struct arena *arena, const msgpack_object_map *map, struct json *value)
{
    struct json_member *members = arena_alloc(arena, map->size * sizeof(*members));
    *value = (struct json){.type = JSON_OBJECT, .count = map->size, .members = members};
    for (uint32_t i = 0; i < map->size; i++) {
        members[i].name = name_from(arena, &map->ptr[i].key);
        if (!members[i].name)
            return malformed("has a map whose key is neither text nor number");
        TRY(tree_from(arena, &map->ptr[i].val, &members[i].value));
    }
    return OK;
}

static fallible
tree_from_text(struct arena *arena, const char *data, size_t size, struct json *value)
{
    *value = (struct json){.type = JSON_TEXT, .text = text_new(arena, data, size)};
    return OK;
}

// The recursion ends at LIMIT_JSON_DEPTH: the scan refuses anything deeper.
static fallible
tree_from(struct arena *arena, const msgpack_object *object, struct json *value)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        *value = (struct json){.type = JSON_NULL};
        return OK;
    case MSGPACK_OBJECT_BOOLEAN:
        *value = (struct json){.type = JSON_BOOL, .boolean = object->via.boolean};
        return OK;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return tree_from_number(object, value);
    case MSGPACK_OBJECT_STR:
        return tree_from_text(arena, object->via.str.ptr, object->via.str.size, value);
    case MSGPACK_OBJECT_BIN:
        return tree_from_text(arena, object->via.bin.ptr, object->via.bin.size, value);
    case MSGPACK_OBJECT_ARRAY:
        return tree_from_array(arena, &object->via.array, value);
    case MSGPACK_OBJECT_MAP:
        return tree_from_map(arena, &object->via.map, value);
    case MSGPACK_OBJECT_EXT:
        break;
    }
    return malformed("has a value of a type unknown here");
}

fallible
msgpack_to_json(struct arena *arena, const void *data, size_t size, const struct json **ret_value)
{
    msgpack_unpacked unpacked = {0};
    struct json *value = arena_new(arena, struct json);
    enum error error = unpack(&unpacked, data, size);
    if (error == OK)
        error = tree_from(arena, &unpacked.data, value);
    msgpack_unpacked_destroy(&unpacked);
    if (error == OK)
        *ret_value = value;
    return error;
}

// --- stored maps to records ----------------------------------------------------------------------

static fallible members_from(struct arena *arena, const msgpack_object *object,
                             struct record *record);

static bool
text_from_object(struct arena *arena, const msgpack_object *object, const struct text **ret_text)
{
    if (object->type != MSGPACK_OBJECT_STR)
        return false;
    *ret_text = text_new(arena, object->via.str.ptr, object->via.str.size);
    return true;
}

static bool
numbers_from(const msgpack_object *object, double *ret_numbers, size_t count)
{
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!get_number(&object->via.array.ptr[i], &ret_numbers[i]))
            return false;
    return true;
}

static bool
texts_from(struct arena *arena, const msgpack_object *object, const struct texts **ret_list)
{
    if (object->type != MSGPACK_OBJECT_ARRAY)
        return false;
    uint32_t count = object->via.array.size;
    struct texts *list = arena_alloc(arena, sizeof(*list) + count * sizeof(list->items[0]));
    for (list->count = 0; list->count < count; list->count++)
        if (!text_from_object(arena, &object->via.array.ptr[list->count],
                              &list->items[list->count]))
            return false;
    *ret_list = list;
    return true;
}

// An item that was stored as a plain number stays one.
static fallible
item_from(struct arena *arena, const struct field *field, const msgpack_object *object,
          struct record *record)
{
    const struct field *first = field->of->fields;
    if (!(field->flags & FIELD_SCALAR_ITEMS) || object->type == MSGPACK_OBJECT_MAP)
        return members_from(arena, object, record);
    if (!get_number(object, record_member(record, first)))
        return malformed("has an item of a wrong type");
    record->present = FIELD_BIT(first->id) | RECORD_SCALAR;
    return OK;
}

static fallible
records_from(struct arena *arena, const struct field *field, const msgpack_object *object,
             const struct records **ret_list)
{
    if (object->type != MSGPACK_OBJECT_ARRAY)
        return malformed("has a list that is none");
    struct records *list = records_new(arena, object->via.array.size);
    for (; list->count < object->via.array.size; list->count++) {
        list->items[list->count] = record_new(arena, field->of);
        TRY(item_from(arena, field, &object->via.array.ptr[list->count], list->items[list->count]));
    }
    *ret_list = list;
    return OK;
}

static bool
bool_from(const msgpack_object *object, bool *ret_value)
{
    if (object->type != MSGPACK_OBJECT_BOOLEAN)
        return false;
    *ret_value = object->via.boolean;
    return true;
}

static fallible
member_from(struct arena *arena, const struct field *field, const msgpack_object *object,
            void *ret_member)
{
    bool fits = false;
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        fits = text_from_object(arena, object, ret_member);
        break;
    case FIELD_BOOL:
        fits = bool_from(object, ret_member);
        break;
    case FIELD_INTEGER:
        fits = get_integer(object, ret_member);
        break;
    case FIELD_NUMBER:
        fits = get_number(object, ret_member);
        break;
    case FIELD_NUMBERS:
        fits = numbers_from(object, ret_member, field->capacity);
        break;
    case FIELD_TEXTS:
        fits = texts_from(arena, object, ret_member);
        break;
    case FIELD_RECORD: {
        struct record *nested = record_new(arena, field->of);
        *(const struct record **)ret_member = nested;
        return members_from(arena, object, nested);
    }
    case FIELD_RECORDS:
        return records_from(arena, field, object, ret_member);
    }
    return fits ? OK : malformed("has a member of a wrong type");
}

static fallible
members_from(struct arena *arena, const msgpack_object *object, struct record *record)
{
    if (object->type != MSGPACK_OBJECT_MAP)
        return malformed("has no map in the place of a record");
    for (uint32_t i = 0; i < object->via.map.size; i++) {
        const msgpack_object_kv *entry = &object->via.map.ptr[i];
        if (entry->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            return malformed("has a field id that is none");
        const struct field *field = entry->key.via.u64 <= UINT8_MAX
                                        ? schema_field(record->schema, (unsigned)entry->key.via.u64)
                                        : NULL;
        if (!field)
            continue;
        TRY(member_from(arena, field, &entry->val, record_member(record, field)));
        record_mark(record, field->id);
    }
    return OK;
}

fallible
record_from_stored(struct arena *arena, const struct schema *schema, const void *data, size_t size,
                   struct record **ret_record)
{
    msgpack_unpacked unpacked = {0};
    struct record *record = record_new(arena, schema);
    enum error error = unpack(&unpacked, data, size);
    if (error == OK)
        error = members_from(arena, &unpacked.data, record);
    msgpack_unpacked_destroy(&unpacked);
    if (error == OK)
        *ret_record = record;
    return error;
}

fallible
record_frozen_from_stored(const struct schema *schema, const void *data, size_t size,
                          const frozen_t **ret_frozen)
{
    struct arena arena = {0};
    struct record *record;
    enum error error = record_from_stored(&arena, schema, data, size, &record);
    if (error == OK)
        *ret_frozen = record_freeze(schema, record);
    arena_finish(&arena);
    return error;
}
