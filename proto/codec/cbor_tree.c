// cbor_tree.c - builds a tree of the items that libcbor reads (cbor_tree.h). A stack of open
// containers takes the place of recursion. The items of a container wait on a second stack until it
// is closed, and are copied to their place then: so containers whose length is said and those whose
// end is marked are read alike.
#include "proto/codec/cbor_tree.h"

#include <cbor.h>
#include <math.h>

#include "proto/base/limits.h"

enum { FIRST_ROOM = 64 };

struct open_container {
    bool is_object, is_marked; // its end is marked; else `left` counts
    size_t left;               // values that are still to come, names of members not counted
    uint32_t first;            // of its members on the stack
    const struct text *name;   // of the member that is being read
};

struct reader {
    struct arena *arena;
    enum error error;
    size_t bytes_left; // of the document, with the item that is being read
    bool is_done;
    const struct json *root;
    unsigned depth;
    struct open_container open[LIMIT_JSON_DEPTH];
    struct json_member *members; // that wait for the end of their container
    uint32_t count, room;
};

static void
refuse(struct reader *self, enum error error, const char *reason)
{
    if (self->error == OK)
        self->error = fail(error, "", "%s", reason);
}

static void
push(struct reader *self, const struct text *name, const struct json *value)
{
    if (self->count == CBOR_VALUES_MOST) {
        refuse(self, ERR_TOO_LARGE, "The CBOR has too many values.");
        return;
    }
    if (self->count == self->room) {
        struct json_member *older = self->members;
        self->room = self->room ? 2 * self->room : FIRST_ROOM;
        self->members = arena_alloc(self->arena, self->room * sizeof *older);
        if (older)
            memcpy(self->members, older, self->count * sizeof *older);
    }
    self->members[self->count++] = (struct json_member){name, *value};
}

// The value of the container that was opened last, with its items.
static struct json
gather(struct reader *self, const struct open_container *container)
{
    struct json value = {.type = container->is_object ? JSON_OBJECT : JSON_ARRAY,
                         .count = self->count - container->first};
    if (value.count == 0)
        return value;
    const struct json_member *members = self->members + container->first;
    if (container->is_object) {
        value.members = arena_copy(self->arena, members, value.count * sizeof *members);
        if (json_has_duplicates(self->arena, value.members, value.count))
            refuse(self, ERR_MALFORMED, "The CBOR has the same name twice in one map.");
    } else {
        struct json *items = arena_alloc(self->arena, value.count * sizeof *items);
        for (uint32_t i = 0; i < value.count; i++)
            items[i] = members[i].value;
        value.items = items;
    }
    self->count = container->first;
    return value;
}

// Whether the value is the name of a member.
static bool
take_name(struct reader *self, const struct json *value)
{
    struct open_container *top = &self->open[self->depth - 1];
    if (!top->is_object || top->name)
        return false;
    if (value->type == JSON_TEXT)
        top->name = value->text;
    else
        refuse(self, ERR_MALFORMED, "The CBOR has a name that is no text.");
    return true;
}

// Puts a value where it belongs, and so each container that it completes.
static void
put(struct reader *self, const struct json *item)
{
    struct json value = *item;
    while (self->error == OK && self->depth > 0) {
        struct open_container *top = &self->open[self->depth - 1];
        if (take_name(self, &value))
            return;
        push(self, top->name, &value);
        top->name = NULL;
        if (top->is_marked || --top->left > 0)
            return;
        self->depth--;
        value = gather(self, top);
    }
    if (self->error != OK)
        return;
    self->root = arena_copy(self->arena, &value, sizeof value);
    self->is_done = true;
}

static void
open_container(struct reader *self, bool is_object, bool is_marked, size_t left)
{
    bool is_name = self->depth > 0 && self->open[self->depth - 1].is_object &&
                   !self->open[self->depth - 1].name;
    if (is_name)
        refuse(self, ERR_MALFORMED, "The CBOR has a name that is no text.");
    else if (left > self->bytes_left) // each takes a byte at least
        refuse(self, ERR_MALFORMED, "The CBOR ends too early.");
    else if (self->depth == LIMIT_JSON_DEPTH)
        refuse(self, ERR_MALFORMED, "The CBOR is nested too deep.");
    else if (!is_marked && left == 0)
        put(self, &(struct json){.type = is_object ? JSON_OBJECT : JSON_ARRAY});
    else
        self->open[self->depth++] = (struct open_container){
            .is_object = is_object, .is_marked = is_marked, .left = left, .first = self->count};
}

// --- what libcbor says of each item ---

static void
put_integer(struct reader *self, bool is_negative, uint64_t value)
{
    if (value <= INT64_MAX)
        put(self, &(struct json){.type = JSON_INTEGER,
                                 .integer = is_negative ? -1 - (int64_t)value : (int64_t)value});
    else
        put(self, &(struct json){.type = JSON_NUMBER,
                                 .count = 1,
                                 .number = is_negative ? -1 - (double)value : (double)value});
}

static void
on_double(void *self, double value)
{
    if (isfinite(value))
        put(self, &(struct json){.type = JSON_NUMBER, .number = value});
    else
        put(self, &(struct json){.type = JSON_NULL});
}

static void
on_float(void *self, float value)
{
    on_double(self, (double)value);
}

static void
on_text(void *self, cbor_data data, size_t size)
{
    struct reader *reader = self;
    const char *chars = (const char *)data;
    if (utf8_is_valid(chars, size))
        put(reader,
            &(struct json){.type = JSON_TEXT, .text = text_new(reader->arena, chars, size)});
    else
        refuse(reader, ERR_MALFORMED, "The CBOR has a text that is not UTF-8.");
}

static void
on_bytes(void *self, cbor_data data, size_t size)
{
    (void)data;
    (void)size;
    put(self, &(struct json){.type = JSON_NULL});
}

static void
on_chunks(void *self)
{
    refuse(self, ERR_MALFORMED, "The CBOR has a text in chunks.");
}

static void
on_null(void *self)
{
    put(self, &(struct json){.type = JSON_NULL});
}

static void
on_bool(void *self, bool value)
{
    put(self, &(struct json){.type = JSON_BOOL, .boolean = value});
}

static void
on_array(void *self, size_t count)
{
    open_container(self, false, false, count);
}

static void
on_map(void *self, size_t count)
{
    open_container(self, true, false, count);
}

static void
on_marked_array(void *self)
{
    open_container(self, false, true, 0);
}

static void
on_marked_map(void *self)
{
    open_container(self, true, true, 0);
}

static void
on_break(void *self)
{
    struct reader *reader = self;
    struct open_container *top = reader->depth ? &reader->open[reader->depth - 1] : NULL;
    if (!top || !top->is_marked || top->name) {
        refuse(reader, ERR_MALFORMED, "The CBOR marks an end where there is none.");
        return;
    }
    reader->depth--;
    struct json value = gather(reader, top);
    put(reader, &value);
}

static void
on_tag(void *self, uint64_t tag)
{
    (void)self;
    (void)tag;
}

#define ON_INTEGER(bits_, type_)                                                                   \
    static void on_unsigned##bits_(void *self, type_ value)                                        \
    {                                                                                              \
        put_integer(self, false, value);                                                           \
    }                                                                                              \
    static void on_negative##bits_(void *self, type_ value)                                        \
    {                                                                                              \
        put_integer(self, true, value);                                                            \
    }
ON_INTEGER(8, uint8_t)
ON_INTEGER(16, uint16_t)
ON_INTEGER(32, uint32_t)
ON_INTEGER(64, uint64_t)

static const struct cbor_callbacks callbacks = {
    .uint8 = on_unsigned8,
    .uint16 = on_unsigned16,
    .uint32 = on_unsigned32,
    .uint64 = on_unsigned64,
    .negint8 = on_negative8,
    .negint16 = on_negative16,
    .negint32 = on_negative32,
    .negint64 = on_negative64,
    .byte_string_start = on_chunks,
    .byte_string = on_bytes,
    .string = on_text,
    .string_start = on_chunks,
    .indef_array_start = on_marked_array,
    .array_start = on_array,
    .indef_map_start = on_marked_map,
    .map_start = on_map,
    .tag = on_tag,
    .float2 = on_float,
    .float4 = on_float,
    .float8 = on_double,
    .undefined = on_null,
    .null = on_null,
    .boolean = on_bool,
    .indef_break = on_break,
};

fallible
cbor_parse(struct arena *arena, const char *data, size_t size, const struct json **ret_value)
{
    struct reader reader = {.arena = arena};
    size_t at = 0;
    while (!reader.is_done) {
        reader.bytes_left = size - at;
        struct cbor_decoder_result item =
            cbor_stream_decode((cbor_data)data + at, size - at, &callbacks, &reader);
        if (reader.error == OK && item.status != CBOR_DECODER_FINISHED)
            refuse(&reader, ERR_MALFORMED, "This is not CBOR.");
        if (reader.error != OK)
            return reader.error;
        at += item.read;
    }
    if (at != size)
        return fail(ERR_MALFORMED, "", "There is something behind the CBOR.");
    *ret_value = reader.root;
    return OK;
}
