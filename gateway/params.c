// params.c - path, query string and body envelope become struct params. Pure.
// What a URI says is gathered into a JSON object and read by the record codec: types, ranges and
// the rule of keys are the schema's business alone.
#include "gateway/params.h"

#include <errno.h>
#include <stdlib.h>
#include "gateway/percent.h"
#include "proto/record_json.h"

// Members gathered from a URI.
struct gathered {
    struct json object;
    struct json_member *members;
};

static void
gathered_init(struct gathered *self, struct arena *arena, size_t capacity)
{
    self->members = arena_alloc(arena, capacity * sizeof *self->members);
    self->object = (struct json){.type = JSON_OBJECT, .members = self->members};
}

static void
gathered_add(struct gathered *self, const struct text *name, struct json value)
{
    self->members[self->object.count++] = (struct json_member){name, value};
}

// Puts the members present in `source` over `params`.
static void
params_merge(struct params *params, const struct record *source)
{
    for (uint32_t i = 0; i < source->schema->count; i++) {
        const struct field *field = &source->schema->fields[i];
        if (!record_has(source, field->id))
            continue;
        memcpy(record_member(&params->base, field), record_member_const(source, field),
               field_size(field));
        record_mark(&params->base, field->id);
    }
}

fallible
params_from_body(struct arena *arena, const struct json *body, struct params *params)
{
    struct record *record;
    TRY(record_from_json(arena, &params_body_schema, body, "", &record));
    params_merge(params, record);
    return OK;
}

// A URI has no JSON Pointers: the parameter's name moves into the detail.
static fallible
params_take(struct arena *arena, const struct gathered *gathered, struct params *params)
{
    struct record *record;
    enum error error = record_from_json(arena, &params_schema, &gathered->object, "", &record);
    if (error == OK) {
        params_merge(params, record);
        return OK;
    }
    struct fault fault;
    fault_take(error, &fault);
    return fail(error, "", "%s %s", fault.pointer[0] ? fault.pointer + 1 : "the request",
                fault.detail);
}

// The members that a query string may have; records, scenes and objects are named elsewhere.
static bool
is_query_member(const struct field *field)
{
    return field->id == PARAMS_DEVICE || schema_field(&params_body_schema, field->id);
}

// A value of the query string as JSON of the field's type. What is no integer stays a text, which
// the codec refuses in its own words.
static struct json
value_from_text(const struct field *field, const struct text *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text_chars(text), &end, 10);
    if (field->type == FIELD_INTEGER && errno == 0 && end == text_chars(text) + text_size(text))
        return (struct json){.type = JSON_INTEGER, .integer = number};
    return (struct json){.type = JSON_TEXT, .text = text};
}

// One `name=value` of the query string, `size` bytes; names that nobody knows are ignored.
static fallible
gather_pair(struct arena *arena, const char *pair, size_t size, struct gathered *gathered)
{
    const char *equals = memchr(pair, '=', size);
    if (!equals)
        return OK;
    const struct text *name, *value;
    size_t name_size = (size_t)(equals - pair);
    TRY(percent_decode(arena, pair, name_size, PERCENT_QUERY, &name));
    TRY(percent_decode(arena, equals + 1, size - name_size - 1, PERCENT_QUERY, &value));
    const struct field *field = schema_find(&params_schema, text_chars(name), text_size(name));
    if (field && is_query_member(field) && text_size(value))
        gathered_add(gathered, name, value_from_text(field, value));
    return OK;
}

static size_t
count_pairs(const char *query)
{
    size_t count = 1;
    for (; *query; query++)
        count += *query == '&';
    return count;
}

fallible
params_from_query(struct arena *arena, const char *query, struct params *params)
{
    if (!*query)
        return OK;
    struct gathered gathered;
    gathered_init(&gathered, arena, count_pairs(query));
    while (*query) {
        size_t size = strcspn(query, "&");
        TRY(gather_pair(arena, query, size, &gathered));
        query += size + (query[size] == '&');
    }
    return params_take(arena, &gathered, params);
}

fallible
params_from_place(struct arena *arena, const struct place *place, struct params *params)
{
    if (place->param_count == 0)
        return OK;
    struct gathered gathered;
    gathered_init(&gathered, arena, place->param_count);
    // Copies: an actor may be at the message when the request has long been answered as late.
    for (unsigned i = 0; i < place->param_count; i++) {
        const struct text *value = place->params[i].value;
        gathered_add(&gathered, place->params[i].name,
                     (struct json){.type = JSON_TEXT,
                                   .text = text_new(arena, text_chars(value), text_size(value))});
    }
    return params_take(arena, &gathered, params);
}

void
params_settle(struct params *params, unsigned page)
{
    if (params->num_records)
        return;
    params->base.present &= ~FIELD_BIT(PARAMS_NUM_RECORDS);
    if (page)
        record_set_integer(&params->base, PARAMS_NUM_RECORDS, page);
}
