// message_frame.c - a message as one msgpack frame for a mailbox between processes (message.h).
// Pure; any thread.
#include <string.h>

#include "proto/budget/budgets.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/message.h"

// The frame: an array of these places, in order. Numbers of 64 bits are sent as signed ones, since
// a JSON tree holds no others exactly.
enum frame_place {
    FRAME_OPERATION,
    FRAME_ID,
    FRAME_DEADLINE,
    FRAME_PEER,
    FRAME_LOOPBACK,
    FRAME_ROLE,
    FRAME_USER,
    FRAME_ARRAY,
    FRAME_PROGRESS,
    FRAME_PARAMS,
    FRAME_RECORDS, // empty, or `true` and maps of the operation's request schema
    FRAME_FAULT,   // error, pointer, detail
    FRAME_REPLY,   // schema name and map, alternating
    FRAME_MORE,
    FRAME_ENVELOPE, // no bytes, or a map
    FRAME_SESSION,
    FRAME_TAKES_DEVICE,
    FRAME_REVOCATIONS,
    FRAME_COUNT,
};

static void
put_record(struct buffer *out, const struct record *record)
{
    struct buffer map = {0};
    if (record)
        record_to_frame(record, &map);
    msgpack_put_bytes(out, map.data, map.size);
    buffer_finish(&map);
}

static void
put_chars(struct buffer *out, const char *chars)
{
    msgpack_put_text(out, chars, strlen(chars));
}

static void
put_reply(struct buffer *out, const struct reply *reply)
{
    msgpack_put_array(out, 4);
    msgpack_put_integer(out, reply->fault.error);
    put_chars(out, reply->fault.pointer);
    put_chars(out, reply->fault.detail);
    put_chars(out, reply->fault.budget ? reply->fault.budget : "");
    msgpack_put_array(out, reply->count * 2);
    for (uint32_t i = 0; i < reply->count; i++) {
        const struct record *record = reply_record(reply, i);
        put_chars(out, record->schema->name);
        put_record(out, record);
    }
    msgpack_put_integer(out, reply->more);
    put_record(out, reply->envelope);
}

void
message_to_msgpack(const struct message *self, struct buffer *out)
{
    msgpack_put_array(out, FRAME_COUNT);
    put_chars(out, operation_rows[self->operation].name);
    msgpack_put_integer(out, (int64_t)self->id);
    msgpack_put_integer(out, (int64_t)self->deadline_ms);
    put_chars(out, self->caller.peer);
    msgpack_put_bool(out, self->caller.loopback);
    msgpack_put_integer(out, self->caller.role);
    put_chars(out, self->caller.user);
    put_chars(out, self->array ? self->array : "");
    msgpack_put_integer(out, self->progress);
    put_record(out, &self->params->base);
    uint32_t count = self->records ? self->records->count : 0;
    msgpack_put_array(out, self->records ? count + 1 : 0);
    if (self->records)
        msgpack_put_bool(out, true);
    for (uint32_t i = 0; i < count; i++)
        put_record(out, self->records->items[i]);
    put_reply(out, &self->reply);
    put_chars(out, self->caller.session);
    msgpack_put_bool(out, self->caller.takes_device);
    msgpack_put_integer(out, self->caller.revocations);
}

static fallible
frame_bad(const char *what)
{
    return fail(ERR_MALFORMED, "", "message frame: %s", what);
}

static fallible
get_operation(const struct json *value, enum operation *ret_operation)
{
    if (value->type == JSON_TEXT)
        for (unsigned i = 0; i < OPERATION_COUNT; i++)
            if (text_is(value->text, operation_rows[i].name)) {
                *ret_operation = (enum operation)i;
                return OK;
            }
    return frame_bad("unknown operation");
}

static fallible
get_record(struct arena *arena, const struct json *value, const struct schema *schema,
           struct record **ret_record)
{
    if (value->type != JSON_TEXT || !schema)
        return frame_bad("not a record");
    return record_from_stored(arena, schema, text_bytes(value->text), text_size(value->text),
                              ret_record);
}

// Whether it is a text without NUL: a text that becomes a C string must not end early.
static bool
is_chars(const struct json *value)
{
    return value->type == JSON_TEXT && strlen(text_bytes(value->text)) == text_size(value->text);
}

static fallible
get_chars(const struct json *value, char *ret_chars, size_t size)
{
    if (!is_chars(value) || text_size(value->text) >= size)
        return frame_bad("not a text of that place");
    memcpy(ret_chars, text_bytes(value->text), text_size(value->text) + 1);
    return OK;
}

static fallible
get_bits(const struct json *value, uint64_t *ret_bits)
{
    if (value->type != JSON_INTEGER)
        return frame_bad("not an integer");
    *ret_bits = (uint64_t)value->integer;
    return OK;
}

// A number from 0 to `maximum`.
static fallible
get_number(const struct json *value, uint32_t maximum, uint32_t *ret_number)
{
    if (value->type != JSON_INTEGER || value->integer < 0 || value->integer > maximum)
        return frame_bad("not a number of that place");
    *ret_number = (uint32_t)value->integer;
    return OK;
}

static fallible
get_caller(struct message *self, const struct json *items)
{
    TRY(get_chars(&items[FRAME_PEER], self->caller.peer, sizeof self->caller.peer));
    if (items[FRAME_LOOPBACK].type != JSON_BOOL)
        return frame_bad("not a bool");
    self->caller.loopback = items[FRAME_LOOPBACK].boolean;
    uint32_t role;
    TRY(get_number(&items[FRAME_ROLE], CALLER_ADMIN, &role));
    self->caller.role = (enum caller_role)role;
    TRY(get_chars(&items[FRAME_USER], self->caller.user, sizeof self->caller.user));
    if (items[FRAME_TAKES_DEVICE].type != JSON_BOOL)
        return frame_bad("not a bool");
    self->caller.takes_device = items[FRAME_TAKES_DEVICE].boolean;
    if (items[FRAME_REVOCATIONS].type != JSON_INTEGER)
        return frame_bad("not an integer");
    self->caller.revocations = items[FRAME_REVOCATIONS].integer;
    return get_chars(&items[FRAME_SESSION], self->caller.session, sizeof self->caller.session);
}

static fallible
get_array(struct message *self, const struct json *value)
{
    if (!is_chars(value))
        return frame_bad("not a name of an array");
    if (text_size(value->text))
        self->array = arena_copy(&self->arena, text_bytes(value->text), text_size(value->text) + 1);
    return OK;
}

static fallible
get_records(struct message *self, const struct json *value)
{
    if (value->type != JSON_ARRAY)
        return frame_bad("not a list of records");
    if (value->count == 0)
        return OK;
    struct records *records = records_new(&self->arena, value->count - 1);
    for (uint32_t i = 1; i < value->count; i++)
        TRY(get_record(&self->arena, &value->items[i], operation_rows[self->operation].request,
                       &records->items[records->count++]));
    self->records = records;
    return OK;
}

static fallible
get_request(struct message *self, const struct json *items)
{
    struct record *params;
    TRY(get_bits(&items[FRAME_ID], &self->id));
    TRY(get_bits(&items[FRAME_DEADLINE], &self->deadline_ms));
    TRY(get_caller(self, items));
    TRY(get_array(self, &items[FRAME_ARRAY]));
    TRY(get_number(&items[FRAME_PROGRESS], UINT32_MAX, &self->progress));
    TRY(get_record(&self->arena, &items[FRAME_PARAMS], &params_schema, &params));
    self->params = (struct params *)(void *)params;
    return get_records(self, &items[FRAME_RECORDS]);
}

// The schemas of the records that operations answer with.
static const struct schema *
schema_named(const struct json *name)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++) {
        const struct view *view = operation_rows[i].reply;
        if (view && name->type == JSON_TEXT && text_is(name->text, view->of->name))
            return view->of;
    }
    return NULL;
}

static fallible
get_fault(const struct json *value, struct fault *fault)
{
    uint32_t error;
    char budget[64];
    if (value->type != JSON_ARRAY || value->count != 4)
        return frame_bad("not a fault");
    TRY(get_number(&value->items[0], ERROR_COUNT - 1, &error));
    fault->error = (enum error)error;
    TRY(get_chars(&value->items[1], fault->pointer, sizeof fault->pointer));
    TRY(get_chars(&value->items[2], fault->detail, sizeof fault->detail));
    TRY(get_chars(&value->items[3], budget, sizeof budget));
    if (budget_find(budget) < BUDGET_COUNT)
        fault->budget = budget_rows[budget_find(budget)].name;
    return OK;
}

static fallible
get_reply_records(struct message *self, const struct json *value)
{
    if (value->type != JSON_ARRAY || value->count % 2)
        return frame_bad("not the records of a reply");
    for (uint32_t i = 0; i < value->count; i += 2) {
        const struct schema *schema = schema_named(&value->items[i]);
        struct record *record;
        TRY(get_record(&self->arena, &value->items[i + 1], schema, &record));
        reply_add_loose(self, schema, record);
    }
    return OK;
}

static fallible
get_reply(struct message *self, const struct json *items)
{
    const struct json *envelope = &items[FRAME_ENVELOPE];
    TRY(get_fault(&items[FRAME_FAULT], &self->reply.fault));
    TRY(get_reply_records(self, &items[FRAME_REPLY]));
    TRY(get_number(&items[FRAME_MORE], UINT32_MAX, &self->reply.more));
    if (envelope->type == JSON_TEXT && text_size(envelope->text) == 0)
        return OK;
    return get_record(&self->arena, envelope, &envelope_schema, &self->reply.envelope);
}

fallible
message_from_msgpack(const void *data, size_t size, struct message **ret_message)
{
    struct arena arena = {0};
    const struct json *frame;
    enum operation operation;
    enum error error = msgpack_to_json(&arena, data, size, &frame);
    if (error == OK && (frame->type != JSON_ARRAY || frame->count != FRAME_COUNT))
        error = frame_bad("wrong shape");
    if (error == OK)
        error = get_operation(&frame->items[FRAME_OPERATION], &operation);
    if (error == OK) {
        struct message *message = message_create(operation);
        error = get_request(message, frame->items);
        if (error == OK)
            error = get_reply(message, frame->items);
        if (error == OK)
            *ret_message = message;
        else
            message_destroy(&message);
    }
    arena_finish(&arena);
    return error;
}
