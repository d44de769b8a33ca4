// reply.c - answers as JSON (decisions 1, 2). Pure.
#include "gateway/reply.h"

#include "gateway/percent.h"
#include "proto/json_text.h"
#include "proto/record_json.h"

static void
put_chars(struct buffer *out, const char *chars)
{
    json_put_text(out, chars, strlen(chars));
}

static int
msg_type_of(const struct route *route)
{
    return route && route->operation < OPERATION_COUNT ? operation_rows[route->operation].msg_type
                                                       : 0;
}

// How many of the reply's records the answer shows.
static uint32_t
shown_records(const struct route *route, const struct message *message)
{
    bool bare = message->array == NULL;
    if (route->reply.kind == REPLY_KIND_EMPTY || (route->reply.kind == REPLY_KIND_FOLLOWS && bare))
        return 0;
    return message->reply.count;
}

static void
put_envelope(const struct route *route, const struct message *message, uint32_t count,
             struct buffer *out)
{
    const struct params *params = message->params;
    buffer_put_format(out, "{\"msg_type\":%d,\"err_code\":%d,\"num_records\":%u,",
                      msg_type_of(route), error_code(OK), count);
    record_members_to_json(&params->base, &params_view_echoed, out);
    if (route->reply.kind == REPLY_KIND_PAGED)
        buffer_put_format(out, "\"start_record\":%lld,", (long long)params->start_record);
    if (message->reply.envelope)
        record_members_to_json(message->reply.envelope, NULL, out);
}

void
reply_write(const struct route *route, const struct message *message, struct buffer *out,
            struct etag *ret_etag)
{
    uint32_t count = shown_records(route, message);
    const struct view *view =
        route->operation < OPERATION_COUNT ? operation_rows[route->operation].reply : NULL;
    put_envelope(route, message, count, out);
    buffer_put_format(out, "\"%s\":[", route->reply.array);
    size_t start = out->size;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            buffer_put_char(out, ',');
        record_to_json(message->reply.records[i], view, out);
    }
    ret_etag->chars[0] = '\0';
    if (route->is_tagged && count == 1)
        etag_of_json(out->data + start, out->size - start, ret_etag);
    buffer_put_chars(out, "]}");
}

// One sentence with its place: what a client sees that reads nothing else.
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
    if (is_about_input(fault->error)) {
        buffer_put_chars(out, "{\"pointer\":");
        put_chars(out, fault->pointer);
        buffer_put_chars(out, ",\"detail\":");
        put_chars(out, fault->detail);
        buffer_put_char(out, '}');
    }
    buffer_put_chars(out, "],");
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
    if (failure->route && failure->route->reply.array)
        buffer_put_format(out, "\"%s\":[],", failure->route->reply.array);
    put_errors(fault, out);
    buffer_put_chars(out, "\"request_id\":");
    put_chars(out, failure->request_id);
    buffer_put_char(out, '}');
}

static const struct text *
text_member(const struct record *record, const char *name, size_t size)
{
    const struct field *field = schema_find(record->schema, name, size);
    if (!field || field->type != FIELD_TEXT || !record_has(record, field->id))
        return NULL;
    return *(const struct text *const *)record_member_const(record, field);
}

// What `{name}` of a Location stands for: the key of the first record, or a parameter.
static const struct text *
location_part(const struct message *message, const char *name, size_t size)
{
    if (size == 3 && memcmp(name, "key", 3) == 0)
        return message->reply.count ? text_member(message->reply.records[0], name, size) : NULL;
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
