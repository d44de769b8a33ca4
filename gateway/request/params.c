// params.c - fills struct params from path, query string and body envelope. Pure.
#include "gateway/request/params.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/http/header_fields.h"
#include "gateway/http/percent.h"
#include "gateway/request/projection.h"
#include "gateway/request/query.h"
#include "proto/codec/record_json.h"

// Forgets all types of the member: rows of one name are types of one member, and the last one
// counts.
static void
params_forget(struct params *params, const struct field *member)
{
    for (uint32_t i = 0; i < params_schema.count; i++)
        if (params_schema.fields[i].label_size == member->label_size &&
            strcmp(params_schema.fields[i].name, member->name) == 0)
            params->base.present &= ~FIELD_BIT(params_schema.fields[i].id);
}

// Puts the members present in `source` over `params`.
static void
params_merge(struct params *params, const struct record *source)
{
    for (uint32_t i = 0; i < source->schema->count; i++) {
        const struct field *field = &source->schema->fields[i];
        if (!record_has(source, field->id))
            continue;
        params_forget(params, field);
        memcpy(record_member(&params->base, field), record_member_const(source, field),
               field_size(field));
        record_mark(&params->base, field->id);
    }
}

fallible
params_from_body(const struct record_reader *reader, bool is_bare, const struct json *body,
                 struct params *params)
{
    struct record_reader of_params = *reader;
    struct record *record;
    if (is_bare)
        of_params.warnings = NULL;
    TRY(record_read_json(&of_params, &params_body_schema, body, "", &record));
    params_merge(params, record);
    return OK;
}

uint64_t
params_of_query(const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    uint64_t fields = params_view_query.fields;
    bool is_record = route->body == BODY_QUERY && operation && operation->request;
    for (uint32_t i = 0; is_record && i < params_schema.count; i++) {
        const struct field *field = &params_schema.fields[i];
        if (schema_find(operation->request, field->name, strlen(field->name)))
            fields &= ~FIELD_BIT(field->id);
    }
    return fields | route->takes | route->needs;
}

fallible
params_from_query(struct arena *arena, const char *query, uint64_t takes, struct params *params)
{
    if (!*query)
        return OK;
    struct record *record;
    const struct view view = {.fields = takes};
    TRY(query_read(arena, &params_schema, &view, query, &record));
    params_merge(params, record);
    return OK;
}

// Whether an exact route takes a parameter.
static bool
is_named(const struct route *route, const struct text *name)
{
    const struct operation_row *operation = route_operation(route);
    const char *chars = text_bytes(name);
    const struct field *field = schema_find(&params_schema, chars, text_size(name));
    uint64_t named = route->takes | route->needs |
                     (route->page_most ? FIELD_BIT(PARAMS_NUM_RECORDS) : UINT64_C(0));
    if (field && (named & FIELD_BIT(field->id)))
        return true;
    if (route->body != BODY_QUERY || !operation || !operation->request)
        return false;
    field = schema_find(operation->request, chars, text_size(name));
    return field && (field->flags & FIELD_FILTER);
}

fallible
params_check_names(struct arena *arena, const char *query, const struct route *route)
{
    for (size_t size; route->is_exact && *query; query += size + (query[size] == '&')) {
        const struct text *name;
        size = strcspn(query, "&");
        if (size == 0)
            continue;
        TRY(percent_decode(arena, query, strcspn(query, "=&"), PERCENT_QUERY, &name));
        if (!is_named(route, name))
            return fail(ERR_MALFORMED, text_chars(text_format(arena, "/%s", text_chars(name))),
                        "is no parameter of this path");
    }
    return OK;
}

// A parameter of the path has one type: that of the first row of its name. All are read as one
// record with their rows alone.
fallible
params_from_path(struct arena *arena, const struct route_match *match, struct params *params)
{
    struct field fields[ROUTE_PARAMS_MAX];
    struct json_member members[ROUTE_PARAMS_MAX];
    struct record *record;
    if (match->param_count == 0)
        return OK;
    for (unsigned i = 0; i < match->param_count; i++) {
        const struct text *name = match->params[i].name;
        const struct field *field = schema_find(&params_schema, text_bytes(name), text_size(name));
        fields[i] = *field;
        // A copy, because an actor may still use the message after the request was answered as
        // late.
        members[i] = (struct json_member){
            name, query_value(field, text_copy(arena, match->params[i].value))};
    }
    struct schema rows = params_schema;
    rows.fields = fields;
    rows.count = match->param_count;
    const struct json object = {
        .type = JSON_OBJECT, .count = match->param_count, .members = members};
    TRY(query_read_members(arena, &rows, &object, &record));
    params_merge(params, record);
    record->schema = &params_schema; // the rows end here
    return OK;
}

fallible
params_from_header(const struct http_request *request, struct params *params)
{
    const char *fence = http_header(request, header_fields[HEADER_FENCE].name);
    if (!fence)
        return OK;
    char *end;
    errno = 0;
    long long number = strtoll(fence, &end, 10);
    if (*fence < '0' || *fence > '9' || *end || errno)
        return fail(ERR_MALFORMED, "", "%s must be a whole number",
                    header_fields[HEADER_FENCE].name);
    record_set_integer(&params->base, PARAMS_FENCE, number);
    return OK;
}

static fallible
check_projection(const struct params *params, const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    if (!operation || !operation->reply || !operation->reply->of)
        return OK;
    struct view view = *operation->reply;
    return projection_apply(params, &view);
}

static fallible
check_form(const struct params *params, const struct route *route)
{
    bool is_stream = route->reply.form == REPLY_STREAM;
    bool is_of_objects = route->operation == OBJECT_GET || route->operation == OBJECT_LIST;
    const char *form = is_stream ? "delta" : "geopose";
    if (text_size(params->form) == 0 || text_is(params->form, form) ||
        (is_of_objects && !route->is_exact && params_want_parts(params)) ||
        (is_stream && params_want_czml(params)))
        return OK;
    return fail(ERR_INVALID, "", "form must be %s%s", form,
                is_of_objects && !route->is_exact ? " or trs"
                : is_stream                       ? " or czml"
                                                  : "");
}

// The keys of a device and of its scene, of which the id of the feature is made. The device's stays
// in `feature`: a request that says it in `device` acts for that device.
static fallible
take_feature(struct arena *arena, struct params *params)
{
    const char *id = text_chars(params->feature), *at = strchr(id, '@');
    const struct text *device, *scene;
    if (!at)
        return fail(ERR_NOT_FOUND, "", "there is no such feature");
    TRY(percent_decode(arena, id, (size_t)(at - id), PERCENT_PATH, &device));
    TRY(percent_decode(arena, at + 1, strlen(at + 1), PERCENT_PATH, &scene));
    if (text_size(device) == 0 || text_size(scene) == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such feature");
    record_set_text(&params->base, PARAMS_FEATURE, device);
    record_set_text(&params->base, PARAMS_SCENE, scene);
    return OK;
}

static fallible
settle_page(struct params *params, const struct route *route)
{
    if (route->is_exact && record_has(&params->base, PARAMS_NUM_RECORDS) && !params->num_records)
        return fail(ERR_INVALID, "/limit", "must be at least 1");
    if (!route->page_most || params->num_records <= route->page_most)
        return OK;
    if (!route->takes_any_page)
        return fail(ERR_INVALID, "", "num_records must be at most %u", route->page_most);
    params->num_records = route->page_most;
    return OK;
}

fallible
params_settle(struct arena *arena, struct params *params, const struct route *route)
{
    TRY(settle_page(params, route));
    TRY(check_projection(params, route));
    TRY(check_form(params, route));
    if (text_size(params->precision) && !text_is(params->precision, "full"))
        return fail(ERR_INVALID, "", "precision must be full");
    if (route->is_placed)
        params_place(params);
    if (params->feature)
        TRY(take_feature(arena, params));
    if (!params->num_records) {
        params->base.present &= ~FIELD_BIT(PARAMS_NUM_RECORDS);
        if (route->page)
            record_set_integer(&params->base, PARAMS_NUM_RECORDS, route->page);
    }
    if (record_has(&params->base, PARAMS_PAGE) && !record_has(&params->base, PARAMS_START_RECORD))
        record_set_integer(&params->base, PARAMS_START_RECORD, params->page * params->num_records);
    return OK;
}
