// reply.c - writes answers as JSON. Pure.
#include "gateway/reply/reply.h"

#include <math.h>
#include <stdio.h>

#include "gateway/http/percent.h"
#include "gateway/reply/reply_warnings.h"
#include "gateway/request/projection.h"
#include "proto/base/chars.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/scene.h"

static void
put_chars(struct buffer *out, const char *chars)
{
    json_put_text(out, chars, strlen(chars));
}

static int
msg_type_of(const struct route *route)
{
    const struct operation_row *operation = route ? route_operation(route) : NULL;
    return operation ? operation->msg_type : 0;
}

static const struct text *
text_member(const struct record *record, const char *name, size_t size)
{
    const struct field *field = schema_find(record->schema, name, size);
    if (!field || field->type != FIELD_TEXT || !record_has(record, field->id))
        return NULL;
    return *(const struct text *const *)record_member_const(record, field);
}

// Writes the body of one form; `ret_etag` is "" at first.
typedef enum error form_writer(const struct route *route, const struct message *message,
                               struct buffer *out, struct etag *ret_etag);

// How many of the reply's records the envelope shows.
static uint32_t
count_shown(const struct route *route, const struct message *message)
{
    switch (route->reply.shown) {
    case SHOWN_NONE:
        return 0;
    case SHOWN_IF_WRAPPED:
        return message->array ? message->reply.count : 0;
    case SHOWN_ALL:
        break;
    }
    return message->reply.count;
}

bool
reply_is_page(const struct route *route, const struct params *params)
{
    return route->reply.page &&
           (route->reply.is_always_page || record_has(&params->base, PARAMS_AFTER));
}

// What an answer shows of its records.
static struct view
view_of(const struct route *route, const struct params *params, const struct reply *reply)
{
    static const struct view everything;
    const struct operation_row *operation = route_operation(route);
    struct view view = operation && operation->reply ? *operation->reply : everything;
    if (reply->has_keys_only)
        view.fields = FIELD_BIT(schema_key_field(view.of)->id);
    if (reply_is_page(route, params))
        error_ignore(projection_apply(params, &view), "the request was checked");
    return view;
}

// The tag of the one record that is shown: of its JSON, or as it was if only its key was kept.
static void
take_tag(const struct reply *reply, const char *json, size_t size, struct etag *ret_etag)
{
    if (!reply->has_keys_only)
        etag_of_json(json, size, ret_etag);
    else if (reply->etag)
        chars_copy(ret_etag->chars, sizeof ret_etag->chars, reply->etag);
}

// The record as the answer shows it, in `room` or where it is: a scene that a query found near a
// point with its distance. Who found it has not opened it.
static const struct record *
shown_record(const struct reply *reply, uint32_t index, struct opened *room)
{
    const struct record *record = reply_open(reply, index, room);
    const double distance_km = reply_distance(reply, index);
    if (isinf(distance_km))
        return record;
    struct scene *scratch = (void *)room->bytes;
    if (&scratch->base != record)
        *scratch = *scene_of(record);
    scratch->distance = distance_km;
    record_mark(&scratch->base, SCENE_DISTANCE);
    return &scratch->base;
}

// The records of many scenes lie anywhere in memory: what will be written is fetched ahead, so that
// its first look does not wait (two thirds of the time of a large answer).
static void
fetch_ahead(const struct reply *reply, uint32_t index)
{
    if (index < reply->count)
        packed_fetch(reply->records[index]);
}

// Writes the first `count` records, commas between. The tag is that of the one record.
static void
put_records(const struct route *route, const struct message *message, uint32_t count,
            struct buffer *out, struct etag *ret_etag)
{
    const struct view view = view_of(route, message->params, &message->reply);
    enum { FETCHED_AHEAD = 8 };
    size_t start = out->size;
    struct record_json_writer writer = {.view = &view};
    struct opened room;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            buffer_put_char(out, ',');
        fetch_ahead(&message->reply, i + FETCHED_AHEAD);
        record_json_writer_put(&writer, shown_record(&message->reply, i, &room), out);
    }
    if (route->is_tagged && count == 1)
        take_tag(&message->reply, out->data + start, out->size - start, ret_etag);
}

static void
put_numbered(struct buffer *out, const char *name, int64_t value)
{
    buffer_put_chars(out, name);
    json_put_integer(out, value);
}

static void
put_array(const struct route *route, const char *name, const struct message *message,
          uint32_t count, struct buffer *out, struct etag *ret_etag)
{
    buffer_put_char(out, '"');
    buffer_put_chars(out, name);
    buffer_put_chars(out, "\":[");
    put_records(route, message, count, out, ret_etag);
    buffer_put_char(out, ']');
}

static fallible
write_envelope(const struct route *route, const struct message *message, struct buffer *out,
               struct etag *ret_etag)
{
    uint32_t count = count_shown(route, message);
    const struct params *params = message->params;
    put_numbered(out, "{\"msg_type\":", msg_type_of(route));
    put_numbered(out, ",\"err_code\":", error_code(OK));
    put_numbered(out, ",\"num_records\":", count);
    buffer_put_char(out, ',');
    record_members_to_json(&params->base, &params_view_echoed, out);
    if (route->reply.is_paged)
        buffer_put_format(out, "\"start_record\":%lld,", (long long)params->start_record);
    if (message->reply.envelope)
        record_members_to_json(message->reply.envelope, NULL, out);
    put_array(route, route->reply.array, message, count, out, ret_etag);
    if (route->reply.also) {
        buffer_put_char(out, ',');
        put_array(route, route->reply.also, message, count, out, ret_etag);
    }
    reply_warnings_put(&message->warnings, out);
    buffer_put_char(out, '}');
    return OK;
}

static fallible
write_record(const struct route *route, const struct message *message, struct buffer *out,
             struct etag *ret_etag)
{
    if (message->reply.count == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such record");
    put_records(route, message, 1, out, ret_etag);
    return OK;
}

// Whether the request filters records.
static bool
has_filter(const struct message *message)
{
    const struct record *filter =
        message->records && message->records->count ? message->records->items[0] : NULL;
    for (uint32_t i = 0; filter && i < filter->schema->count; i++)
        if ((filter->schema->fields[i].flags & FIELD_FILTER) &&
            record_has(filter, filter->schema->fields[i].id))
            return true;
    return false;
}

// A page of a list: the records, and what the envelope says of the others.
static fallible
write_page(const struct route *route, const struct message *message, struct buffer *out,
           struct etag *ret_etag)
{
    buffer_put_char(out, '{');
    if (message->reply.envelope)
        record_members_to_json(message->reply.envelope, NULL, out);
    put_array(route, route->reply.page, message, message->reply.count, out, ret_etag);
    buffer_put_char(out, '}');
    return OK;
}

static fallible
write_array(const struct route *route, const struct message *message, struct buffer *out,
            struct etag *ret_etag)
{
    if (reply_is_page(route, message->params))
        return write_page(route, message, out, ret_etag);
    if (route->reply.one_by_filter && has_filter(message))
        return write_record(route, message, out, ret_etag);
    buffer_put_char(out, '[');
    put_records(route, message, message->reply.count, out, ret_etag);
    buffer_put_char(out, ']');
    return OK;
}

// The key of the first record, under the name that its schema has; NULL if there is none.
static const struct text *
key_of(const struct message *message)
{
    const struct text *key = NULL;
    if (message->reply.count)
        key = text_member(reply_record(&message->reply, 0), "key", 3);
    if (message->reply.count && !key)
        key = text_member(reply_record(&message->reply, 0), "id", 2);
    return key;
}

static fallible
write_text(const struct route *route, const struct message *message, struct buffer *out,
           struct etag *ret_etag)
{
    (void)ret_etag;
    const struct text *key = key_of(message);
    if (route->reply.word)
        buffer_put_chars(out, route->reply.word);
    else
        buffer_put(out, text_bytes(key), text_size(key));
    return OK;
}

struct form {
    const char *media_type;
    form_writer *write; // NULL: no body, or it is written elsewhere
};

static const struct form forms[REPLY_FORM_COUNT] = {
    [REPLY_ENVELOPE] = {"application/json", write_envelope},
    [REPLY_RECORD] = {"application/json", write_record},
    [REPLY_ARRAY] = {"application/json", write_array},
    [REPLY_TEXT] = {"text/plain", write_text},
    [REPLY_FILE] = {NULL, NULL},
    [REPLY_SESSION] = {NULL, NULL},
    [REPLY_PROBE] = {NULL, NULL},
    [REPLY_STREAM] = {"text/event-stream", NULL},
};

const char *
reply_media_type(const struct route *route)
{
    return forms[route->reply.form].media_type ? forms[route->reply.form].media_type
                                               : route->reply.media_type;
}

fallible
reply_write(const struct route *route, const struct message *message, struct buffer *out,
            struct etag *ret_etag)
{
    const struct form *form = &forms[route->reply.form];
    ret_etag->chars[0] = '\0';
    return form->write ? form->write(route, message, out, ret_etag) : OK;
}

// Writes err_msg: pointer and detail in one sentence, for clients that read nothing else.
static void
put_sentence(const struct fault *fault, struct buffer *out)
{
    char sentence[sizeof fault->pointer + sizeof fault->detail + 3];
    snprintf(sentence, sizeof sentence, "%s%s%s", fault->pointer, fault->pointer[0] ? ": " : "",
             fault->detail);
    put_chars(out, sentence);
}

static bool
is_about_input(enum error error)
{
    return error == ERR_MALFORMED || error == ERR_INVALID || error == ERR_MISSING;
}

static void
put_errors(const struct fault *fault, struct buffer *out)
{
    buffer_put_chars(out, "\"errors\":[");
    if (is_about_input(fault->error) || fault->pointer[0]) {
        buffer_put_chars(out, "{\"pointer\":");
        put_chars(out, fault->pointer);
        buffer_put_chars(out, ",\"detail\":");
        put_chars(out, fault->detail);
        buffer_put_char(out, '}');
    }
    buffer_put_chars(out, "],");
}

static void
put_empty_arrays(const struct route *route, struct buffer *out)
{
    if (route && route->reply.array)
        buffer_put_format(out, "\"%s\":[],", route->reply.array);
    if (route && route->reply.also)
        buffer_put_format(out, "\"%s\":[],", route->reply.also);
}

void
reply_write_failure(const struct reply_failure *failure, struct buffer *out)
{
    const struct fault *fault = failure->fault;
    buffer_put_format(out, "{\"type\":\"/problems/%s\",\"title\":", error_slug(fault->error));
    put_chars(out, error_sentence(fault->error));
    buffer_put_format(out, ",\"status\":%d,\"detail\":", error_status(fault->error));
    put_chars(out, fault->detail);
    buffer_put_format(out,
                      ",\"msg_type\":%d,\"err_code\":%d,\"err_msg\":", msg_type_of(failure->route),
                      error_code(fault->error));
    put_sentence(fault, out);
    buffer_put_chars(out, ",\"num_records\":0,");
    if (failure->envelope)
        record_members_to_json(failure->envelope, NULL, out);
    if (fault->budget)
        buffer_put_format(out, "\"budget\":\"%s\",", fault->budget);
    put_empty_arrays(failure->route, out);
    put_errors(fault, out);
    buffer_put_chars(out, "\"request_id\":");
    put_chars(out, failure->request_id);
    buffer_put_char(out, '}');
}

// The value of `{name}` in a Location: the key of the first record, or a parameter.
static const struct text *
location_part(const struct message *message, const char *name, size_t size)
{
    if (size == 3 && memcmp(name, "key", 3) == 0)
        return key_of(message);
    return text_member(&message->params->base, name, size);
}

void
reply_write_location(const struct route *route, const struct message *message, struct buffer *out)
{
    size_t before = out->size;
    for (const char *at = route->location ? route->location : ""; *at;) {
        if (*at != '{') {
            buffer_put_char(out, *at++);
            continue;
        }
        size_t size = strcspn(++at, "}");
        const struct text *part = location_part(message, at, size);
        if (!part) {
            out->size = before;
            return;
        }
        percent_encode(out, part);
        at += size + 1;
    }
}
