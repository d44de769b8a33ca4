// body.c - reads wrapped and bare bodies into records. Pure but for the message that it fills.
#include "gateway/request/body.h"

#include <stdio.h>
#include <strings.h>

#include "gateway/request/params.h"
#include "gateway/request/query.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/record_json.h"

enum {
    POINTER_SIZE = 64,
    SMALL_BYTES = 4096, // bodies up to this size are bounded by the number of workers
};

struct body_rule {
    bool wrapped;  // its records may stand in their array
    bool bare;     // it may be the one record itself
    bool required; // a body is needed, and its array too unless it is bare
    bool query;    // the query string is the record
};

static const struct body_rule rules[BODY_SHAPE_COUNT] = {
    [BODY_NONE] = {.required = false},
    [BODY_WRAPPED] = {.wrapped = true, .required = true},
    [BODY_WRAPPED_OR_BARE] = {.wrapped = true, .bare = true, .required = true},
    [BODY_FILTERS] = {.wrapped = true},
    [BODY_FILTERS_OR_BARE] = {.wrapped = true, .bare = true},
    [BODY_BARE] = {.bare = true, .required = true},
    [BODY_QUERY] = {.query = true},
    [BODY_UPLOAD] = {.query = true},
};

bool
body_is_json(enum body_shape shape)
{
    return rules[shape].wrapped || rules[shape].bare;
}

bool
body_is_required(enum body_shape shape)
{
    return rules[shape].required;
}

fallible
body_check_media(const struct http_request *request)
{
    static const char json[] = "application/json";
    const char *type = http_header(request, "Content-Type");
    const char *coding = http_header(request, "Content-Encoding");
    if (coding && strcasecmp(coding, "identity") != 0)
        return fail(ERR_MEDIA_TYPE, "", "bodies must not be compressed");
    if (!type)
        return OK;
    size_t size = strcspn(type, "; \t");
    if (size != sizeof json - 1 || strncasecmp(type, json, size) != 0)
        return fail(ERR_MEDIA_TYPE, "", "the body must be application/json");
    return OK;
}

// Filters are fewer, because each is compared with every record.
static uint32_t
most_records(const struct body_rule *rule)
{
    return rule->required ? LIMIT_RECORDS : LIMIT_FILTERS;
}

uint32_t
body_most_records(enum body_shape shape)
{
    return most_records(&rules[shape]);
}

static fallible
read_items(const struct record_reader *reader, const struct schema *schema,
           const struct json *array, uint32_t most, struct message *message)
{
    char pointer[POINTER_SIZE];
    snprintf(pointer, sizeof pointer, "/%s", schema->array);
    if (array->type != JSON_ARRAY)
        return fail(ERR_MALFORMED, pointer, "must be an array");
    if (array->count > most)
        return fail(ERR_INVALID, pointer, "must have at most %u records", most);
    struct records *records = records_new(&message->arena, array->count);
    for (uint32_t i = 0; i < array->count; i++) {
        snprintf(pointer, sizeof pointer, "/%s/%u", schema->array, i);
        TRY(record_read_json(reader, schema, &array->items[i], pointer, &records->items[i]));
        records->count++;
    }
    message->records = records;
    message->array = schema->array;
    return OK;
}

static void
take_record(struct record *record, struct message *message)
{
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = record;
}

static fallible
read_bare(const struct record_reader *reader, const struct schema *schema, const struct json *body,
          struct message *message)
{
    struct record *record;
    TRY(record_read_json(reader, schema, body, "", &record));
    take_record(record, message);
    return OK;
}

static fallible
read_query(const struct schema *schema, const char *query, struct message *message)
{
    struct record *record;
    TRY(query_read(&message->arena, schema, NULL, query, &record));
    take_record(record, message);
    return OK;
}

static const struct json *
array_of(const struct body_rule *rule, const struct schema *schema, const struct json *body)
{
    const struct json *array = rule->wrapped ? json_find(body, schema->array) : NULL;
    return array && array->type != JSON_NULL ? array : NULL;
}

static fallible
read_records(const struct record_reader *reader, const struct body_rule *rule,
             const struct schema *schema, const struct json *body, struct message *message)
{
    const struct json *array = array_of(rule, schema, body);
    struct record_reader of_items = *reader;
    of_items.beside = NULL;
    of_items.names_beside = NULL;
    if (array)
        return read_items(&of_items, schema, array, most_records(rule), message);
    if (rule->bare)
        return read_bare(reader, schema, body, message);
    if (!rule->required)
        return OK;
    char pointer[POINTER_SIZE];
    snprintf(pointer, sizeof pointer, "/%s", schema->array);
    return fail(ERR_MISSING, pointer, "is needed");
}

static bool
is_blank(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", data[i]) || data[i] == '\0')
            return false;
    return true;
}

size_t
body_cost(const struct route *route, const char *data, size_t size)
{
    const struct operation_row *operation = route_operation(route);
    if (size <= SMALL_BYTES || !body_is_json(route->body) || !operation || !operation->request)
        return 0;
    return json_cost(data, size, schema_room_most(operation->request));
}

// Whether the query string is the record: also for a GET with a filter and without a body.
static bool
query_is_record(const struct route *route, const char *data, size_t size)
{
    return rules[route->body].query ||
           (route->method == HTTP_GET && body_is_json(route->body) && is_blank(data, size));
}

// The tree takes more than what the records keep of it, so it has an arena of its own.
static fallible
read_json(const struct route *route, const char *data, size_t size, struct arena *tree,
          struct message *message)
{
    const struct json *body;
    TRY(json_parse(tree, data, size, &body));
    if (body->type != JSON_OBJECT)
        return fail(ERR_MALFORMED, "", "the body must be an object");
    const struct body_rule *rule = &rules[route->body];
    const struct schema *schema = route_operation(route)->request;
    // An answer that comes back as a request has members that say nothing here.
    const char *const names[] = {schema->array, "msg_type", "err_code", "warnings", NULL};
    const struct schema *const beside[] = {&params_body_schema, &envelope_schema, NULL};
    struct record_reader reader = {.arena = &message->arena,
                                   .takes_numerals = route->takes_numerals,
                                   .by_columns = text_is(message->params->layout, "column"),
                                   .warnings = &message->warnings,
                                   .beside = beside,
                                   .names_beside = names};
    bool is_bare = rule->bare && !array_of(rule, schema, body);
    TRY(params_from_body(&reader, is_bare, body, message->params));
    return read_records(&reader, rule, schema, body, message);
}

fallible
body_read(const struct route *route, const char *query, const char *data, size_t size,
          struct message *message)
{
    const struct body_rule *rule = &rules[route->body];
    const struct operation_row *operation = route_operation(route);
    if (!operation || !operation->request)
        return OK;
    const struct schema *schema = operation->request;
    if (query_is_record(route, data, size))
        return read_query(schema, query, message);
    if (!body_is_json(route->body))
        return OK;
    if (is_blank(data, size))
        return rule->required && !route->may_lack_body ? fail(ERR_MISSING, "", "a body is needed")
                                                       : OK;
    owned(arena_finish) struct arena tree = {0};
    return read_json(route, data, size, &tree, message);
}

// The key of a record that the path names, or NULL.
static const struct text *
key_of_path(const struct route *route, const struct params *params)
{
    for (uint32_t i = 0; i < params_schema.count; i++)
        if (route->names & FIELD_BIT(params_schema.fields[i].id))
            return MEMBER_CONST(const struct text *, &params->base, &params_schema.fields[i]);
    return NULL;
}

fallible
body_check_keys(const struct route *route, struct message *message)
{
    const struct text *key = key_of_path(route, message->params);
    for (uint32_t i = 0; key && message->records && i < message->records->count; i++) {
        const struct text *own = record_key(message->records->items[i]);
        if (own && !text_equal(own, key))
            return fail(ERR_INVALID, message_pointer(message, i, "/key"),
                        "must be that of the path, or absent");
    }
    return OK;
}

fallible
body_check_strict(const struct message *message)
{
    const struct warning *first = message->warnings.first;
    if (!first || !message->params->strict)
        return OK;
    return fail(ERR_INVALID, text_chars(first->pointer), "%s", text_chars(first->detail));
}
