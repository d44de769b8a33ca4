// packets.h - packed datagrams, controls, and lines of server-sent events (diorama.h).
#ifndef DIORAMA_PACKETS_H
#define DIORAMA_PACKETS_H

#include "tools/sdk/c/json.h"
#include "tools/sdk/c/matrix.h"
#include "tools/sdk/c/msgpack.h"

enum {
    DIO_HELLO = 60,
    DIO_CHALLENGE = 61,
    DIO_ECHO = 62,
    DIO_ASK = 63,
    DIO_REFUSED = 64,
    DIO_TAIL = 65,
    DIO_HELLO_BYTES = 256,
    DIO_LAST_FOR_DEVICES = 30,
    DIO_TRUNCATED = 63
};

static bool
dio_is_of_property(double type)
{
    return (type >= 8 && type <= 11) || (type >= 23 && type <= DIO_LAST_FOR_DEVICES);
}

static bool
dio_is_delete(double type)
{
    return (type > 2 && type < 4) || (type > 10 && type < 12);
}

static bool
dio_is_create(double type)
{
    return type < 1 || (type > 7 && type < 9);
}

// A field of the packed form: its number, its name, whose it is, and what of it are records.
struct dio_field {
    unsigned number;
    const char *name;
    char of; // o: objects, p: properties, b: both
};

static const struct dio_field dio_entity_fields[] = {
    {1, "name", 'b'},      {2, "scene", 'b'},      {3, "parent", 'b'},  {4, "asset_sub_id", 'b'},
    {5, "type", 'o'},      {6, "subtype", 'o'},    {7, "owner", 'o'},   {8, "frame", 'b'},
    {9, "timestamp", 'b'}, {10, "transform", 'o'}, {11, "assets", 'o'}, {15, "actions", 'b'},
    {16, "values", 'p'},   {18, "tags", 'o'},      {19, "extras", 'o'}, {20, "visible", 'o'},
    {0, NULL, 0},
};
static const struct dio_field dio_action_fields[] = {
    {0, "name", 'b'}, {1, "description", 'b'}, {2, "keyframes", 'b'},
    {3, "fps", 'b'},  {4, "loop", 'b'},        {0, NULL, 0},
};
static const struct dio_field dio_keyframe_fields[] = {
    {0, "frame", 'b'},
    {1, "values", 'p'},
    {10, "transform", 'o'},
    {12, "translation_handle", 'o'},
    {13, "rotation_handle", 'o'},
    {14, "scale_handle", 'o'},
    {0, NULL, 0},
};
static const struct dio_field dio_value_fields[] = {
    {0, "value", 'b'},      {1, "left_type", 'b'}, {2, "left_x", 'b'},  {3, "left_y", 'b'},
    {4, "right_type", 'b'}, {5, "right_x", 'b'},   {6, "right_y", 'b'}, {0, NULL, 0},
};
static const struct dio_field dio_handle_fields[] = {
    {0, "left_type", 'b'}, {1, "left_x", 'b'},  {2, "left_y", 'b'}, {3, "right_type", 'b'},
    {4, "right_x", 'b'},   {5, "right_y", 'b'}, {0, NULL, 0},
};

// Which members are lists of records.
static const struct {
    const char *name;
    const struct dio_field *fields;
} dio_lists[] = {
    {"actions", dio_action_fields},         {"keyframes", dio_keyframe_fields},
    {"values", dio_value_fields},           {"translation_handle", dio_handle_fields},
    {"rotation_handle", dio_handle_fields}, {"scale_handle", dio_handle_fields},
};

static bool dio_read_record(struct diorama_arena *arena, const struct dio_field *fields, char of,
                            const struct diorama_value *packed, struct diorama_value *out);

static struct diorama_value
dio_text_value(const char *chars)
{
    return (struct diorama_value){.type = DIORAMA_TEXT, .count = strlen(chars), .of.text = chars};
}

static bool
dio_read_matrix(struct diorama_arena *arena, const struct diorama_value *packed,
                struct diorama_value *out)
{
    double matrix[16];
    if (packed->type != DIORAMA_BINARY || !dio_matrix_from(packed->of.text, packed->count, matrix))
        return false;
    struct diorama_value *items = dio_take_items(arena, 16, sizeof *items);
    if (!items)
        return false;
    for (int i = 0; i < 16; i++)
        items[i] = (struct diorama_value){.type = DIORAMA_NUMBER, .of.number = matrix[i]};
    *out = (struct diorama_value){.type = DIORAMA_ARRAY, .count = 16, .of.items = items};
    return true;
}

static bool
dio_read_records(struct diorama_arena *arena, const struct dio_field *fields, char of,
                 const struct diorama_value *packed, struct diorama_value *out)
{
    if (packed->type != DIORAMA_ARRAY)
        return false;
    struct diorama_value *items = dio_take_items(arena, packed->count + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < packed->count; i++) {
        items[i] = packed->of.items[i]; // a plain number
        if (items[i].type != DIORAMA_NUMBER &&
            !dio_read_record(arena, fields, of, &packed->of.items[i], &items[i]))
            return false;
    }
    *out = (struct diorama_value){.type = DIORAMA_ARRAY, .count = packed->count, .of.items = items};
    return true;
}

static bool
dio_read_member(struct diorama_arena *arena, const char *name, char of,
                const struct diorama_value *packed, struct diorama_value *out)
{
    *out = *packed;
    if (packed->type == DIORAMA_NULL)
        return true;
    if (strcmp(name, "transform") == 0)
        return dio_read_matrix(arena, packed, out);
    for (size_t i = 0; i < sizeof dio_lists / sizeof dio_lists[0]; i++)
        if (strcmp(name, dio_lists[i].name) == 0)
            return dio_read_records(arena, dio_lists[i].fields, of, packed, out);
    return true;
}

// The members of a record behind those that `out` has, which has room for all.
static bool
dio_read_members(struct diorama_arena *arena, const struct dio_field *fields, char of,
                 const struct diorama_value *packed, struct diorama_value *out)
{
    for (size_t i = 0; i < packed->count; i++) {
        const struct diorama_pair *pair = &packed->of.pairs[i];
        const struct dio_field *field = fields;
        while (field->name &&
               !(pair->name.type == DIORAMA_NUMBER && pair->name.of.number >= field->number &&
                 pair->name.of.number <= field->number && (field->of == 'b' || field->of == of)))
            field++;
        if (!field->name)
            continue;
        struct diorama_pair *member = &out->of.pairs[out->count++];
        member->name = dio_text_value(field->name);
        if (!dio_read_member(arena, field->name, of, &pair->value, &member->value))
            return false;
    }
    return true;
}

static bool
dio_read_record(struct diorama_arena *arena, const struct dio_field *fields, char of,
                const struct diorama_value *packed, struct diorama_value *out)
{
    if (packed->type != DIORAMA_MAP)
        return false;
    *out = (struct diorama_value){.type = DIORAMA_MAP};
    out->of.pairs = dio_take_items(arena, packed->count + 1, sizeof *out->of.pairs);
    return out->of.pairs && dio_read_members(arena, fields, of, packed, out);
}

static bool
dio_read_change(struct diorama_arena *arena, const struct diorama_value *packed,
                struct diorama_value *out)
{
    if (packed->type != DIORAMA_ARRAY || packed->count < 3)
        return false;
    const struct diorama_value *type = &packed->of.items[0], *key = &packed->of.items[1],
                               *fields = &packed->of.items[2];
    if (type->type != DIORAMA_NUMBER ||
        !(type->of.number >= 0 && type->of.number <= DIO_LAST_FOR_DEVICES) ||
        key->type != DIORAMA_TEXT || fields->type != DIORAMA_MAP)
        return false;
    *out = (struct diorama_value){.type = DIORAMA_MAP, .count = 2};
    out->of.pairs = dio_take_items(arena, fields->count + 3, sizeof *out->of.pairs);
    if (!out->of.pairs)
        return false;
    out->of.pairs[0] = (struct diorama_pair){dio_text_value("msg_type"), *type};
    out->of.pairs[1] = (struct diorama_pair){dio_text_value("key"), *key};
    if (!dio_read_members(arena, dio_entity_fields, dio_is_of_property(type->of.number) ? 'p' : 'o',
                          fields, out))
        return false;
    for (size_t i = 0; i < fields->count; i++) {
        const struct diorama_pair *pair = &fields->of.pairs[i];
        if (pair->name.type == DIORAMA_NUMBER && pair->name.of.number >= DIO_TRUNCATED &&
            pair->name.of.number <= DIO_TRUNCATED)
            out->of.pairs[out->count++] = (struct diorama_pair){
                dio_text_value("truncated"), {.type = DIORAMA_BOOL, .of.boolean = true}};
    }
    return true;
}

// Whether it is a number that a count can be.
static bool
dio_is_count(const struct diorama_value *value)
{
    return value->type == DIORAMA_NUMBER && value->of.number >= 0 &&
           value->of.number < 9007199254740992.0;
}

static void
dio_read_note(const struct diorama_value *items, size_t count, struct diorama_packed *out)
{
    for (size_t i = 6; i < count; i++) {
        const struct diorama_value *note = &items[i];
        if (note->type != DIORAMA_ARRAY || note->count != 3 || !dio_is_count(&note->of.items[0]) ||
            (int)note->of.items[0].of.number != DIO_REFUSED || !dio_is_count(&note->of.items[1]) ||
            !dio_is_count(&note->of.items[2]))
            continue;
        out->is_refusal = true;
        out->refused_from = (uint64_t)note->of.items[1].of.number;
        out->refusal = (uint64_t)note->of.items[2].of.number;
        return;
    }
}

bool
diorama_read_packed(struct diorama_arena *arena, const void *data, size_t size,
                    struct diorama_packed *ret_packed)
{
    struct diorama_value packed;
    if (!diorama_read_msgpack(arena, data, size, &packed) || packed.type != DIORAMA_ARRAY ||
        packed.count < 6)
        return false;
    const struct diorama_value *items = packed.of.items, *changes = &items[5];
    for (int i = 0; i < 5; i++)
        if (!dio_is_count(&items[i]))
            return false;
    if ((int)items[0].of.number != 1 || changes->type != DIORAMA_ARRAY ||
        changes->count != (size_t)items[4].of.number)
        return false;
    *ret_packed = (struct diorama_packed){.epoch = (uint64_t)items[1].of.number,
                                          .prev = (uint64_t)items[2].of.number,
                                          .seq = (uint64_t)items[3].of.number};
    struct diorama_value *told = dio_take_items(arena, changes->count + 1, sizeof *told);
    for (size_t i = 0; told && i < changes->count; i++)
        if (!dio_read_change(arena, &changes->of.items[i], &told[i]))
            return false;
    ret_packed->changes =
        (struct diorama_value){.type = DIORAMA_ARRAY, .count = changes->count, .of.items = told};
    dio_read_note(items, packed.count, ret_packed);
    return told != NULL;
}

// --- controls ---

// `"token":"…",`, or nothing: in a seal there is none.
static int
dio_write_token(char *out, size_t room, int type, const char *token)
{
    bool has_token = token && *token;
    return snprintf(out, room, "{\"msg_type\":%d%s%.128s%s", type, has_token ? ",\"token\":\"" : "",
                    has_token ? token : "", has_token ? "\"" : "");
}

static size_t
dio_write_hello(char *out, const char *token, const char *nonce)
{
    int size = dio_write_token(out, DIO_HELLO_BYTES, DIO_HELLO, token);
    size += snprintf(out + size, DIO_HELLO_BYTES - (size_t)size,
                     *nonce ? ",\"nonce\":\"%.32s\"}" : "}", nonce);
    memset(out + size, ' ', DIO_HELLO_BYTES - (size_t)size);
    return DIO_HELLO_BYTES;
}

size_t
diorama_write_hello(char *out, const char *token)
{
    return dio_write_hello(out, token, "");
}

size_t
diorama_write_echo(char *out, const char *token, const char *challenge)
{
    int size = dio_write_token(out, DIO_HELLO_BYTES, DIO_ECHO, token);
    size += snprintf(out + size, DIO_HELLO_BYTES - (size_t)size, ",\"challenge\":\"%.64s\"}",
                     challenge);
    return (size_t)size;
}

size_t
diorama_write_ask(char *out, const char *token, uint64_t from, uint64_t to)
{
    int size = dio_write_token(out, DIO_HELLO_BYTES, DIO_ASK, token);
    size += snprintf(out + size, DIO_HELLO_BYTES - (size_t)size, ",\"from\":%llu,\"to\":%llu}",
                     (unsigned long long)from, (unsigned long long)to);
    return (size_t)size;
}

// --- server-sent events ---

void
diorama_sse_free(struct diorama_sse *self)
{
    free(self->event);
    free(self->id);
    free(self->data);
    *self = (struct diorama_sse){0};
}

bool
diorama_sse_line(struct diorama_sse *self, const char *line, size_t size)
{
    static const char *const names[] = {"event", "id", "data"};
    char **values[] = {&self->event, &self->id, &self->data};
    if (self->is_told)
        diorama_sse_free(self);
    if (size && line[size - 1] == '\r')
        size--;
    if (size == 0) {
        self->is_told = true;
        return self->data != NULL;
    }
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(names[i]);
        if (size <= length || memcmp(line, names[i], length) != 0 || line[length] != ':')
            continue;
        size_t at = length + 1 + (size > length + 1 && line[length + 1] == ' ');
        char *value = malloc(size - at + 1);
        if (!value)
            return false;
        memcpy(value, line + at, size - at);
        value[size - at] = '\0';
        free(*values[i]);
        *values[i] = value;
    }
    return false;
}

#endif
