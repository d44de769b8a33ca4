// route_catalogue.c - derives words and lists from rows of the table of routes. Pure.
#include "gateway/docs/route_catalogue.h"

#include <ctype.h>

#include "gateway/request/body.h"
#include "gateway/request/query.h"
#include "proto/records/params.h"

// clang-format off
const struct noun route_catalogue_nouns[] = {
    {"scenes",        "/v1/scene",        "Places on the map that hold objects and properties."},
    {"features",      "/ogc",             "Scenes, objects and devices for maps: OGC API - Features."},
    {"features",      "/objects",         ""},
    {"features",      "/devices",         ""},
    {"objects",       "/object",          "Items of a scene, each with a transform, assets and a lock."},
    {"properties",    "/property",        "One to four values of a scene, with or without an object."},
    {"actions",       "/action",          "Animations of an object or a property, and their keyframes."},
    {"devices",       "/register",        "Registration of devices to scenes, and corrections of their transforms."},
    {"devices",       "/deregister",      ""},
    {"devices",       "/align",           ""},
    {"devices",       "/device",          ""},
    {"events",        "/events",          "Streams of the changes of scenes."},
    {"alignment",     "/alignment",       "Relations between the coordinates of scenes, solved from corrections of devices."},
    {"projects",      "/v1/project",      "Groups of scenes, and collections of assets."},
    {"collections",   "/v1/collection",   "Assets that belong together."},
    {"collections",   "/bulk/collection", ""},
    {"assets",        "/v1/asset",        "Files with versions, and their records."},
    {"assets",        "/bulk/asset",      ""},
    {"assets",        "/v1/history",      ""},
    {"relationships", "/relationship",    "Links between an asset and another record, such as a scene."},
    {"users",         "/users",           "Accounts and their favourites."},
    {"sessions",      "/login",           "Logging in and out."},
    {"sessions",      "/logout",          ""},
    {"sessions",      "/session",         ""},
    {"secrets",       "/rotate",          "Keys of the server, replaced while it runs."},
    {"audit",         "/audit",           "Who did what, for administrators."},
    {"search",        "/search",          "Everything that has a name, by beginnings of words."},
    {"server",        "/",                "State and description of the server."},
};
// clang-format on

const size_t route_catalogue_noun_count =
    sizeof route_catalogue_nouns / sizeof route_catalogue_nouns[0];

const struct view *
route_catalogue_view(const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    return operation && operation->reply && operation->reply->of ? operation->reply : NULL;
}

const struct noun *
route_catalogue_noun(const struct route *route)
{
    const struct noun *best = NULL;
    const char *latest = NULL;
    for (const struct noun *noun = route_catalogue_nouns;
         noun < route_catalogue_nouns + route_catalogue_noun_count; noun++) {
        const char *at = strstr(route->path, noun->path);
        if (at && (!best || at > latest)) {
            best = noun;
            latest = at;
        }
    }
    return best;
}

const char *
route_catalogue_sentence(const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    if (route->sentence || !operation)
        return route->sentence ? route->sentence : "";
    return operation->sentence;
}

// "OBJECT_ADD_ASSET" and "/v1/scene/{scene}" become "objectAddAsset" and "v1SceneScene".
static void
put_camel(struct buffer *out, const char *words, bool is_start)
{
    for (; *words; words++) {
        bool is_letter = isalnum((unsigned char)*words);
        int letter = is_start ? toupper((unsigned char)*words) : tolower((unsigned char)*words);
        if (is_letter)
            buffer_put_char(out, (char)letter);
        is_start = !is_letter;
    }
}

// Whether it is called after its operation, unless a route before it is.
static bool
has_name(const struct route *route)
{
    return route_operation(route) && route->reply.form != REPLY_PROBE && !route->called;
}

const struct route *
route_catalogue_alias_of(const struct route_table *routes, const struct route *route)
{
    if (!has_name(route))
        return NULL;
    for (const struct route *other = routes->rows; other < route; other++)
        if (has_name(other) && other->operation == route->operation)
            return other;
    return NULL;
}

void
route_catalogue_put_id(const struct route_table *routes, const struct route *route,
                       struct buffer *out)
{
    if (route->called) {
        buffer_put_chars(out, route->called);
    } else if (has_name(route) && !route_catalogue_alias_of(routes, route)) {
        put_camel(out, operation_rows[route->operation].name, false);
    } else {
        put_camel(out, http_method_name(route->method), false);
        put_camel(out, route->path, true);
    }
}

static void
add(struct parameters *parameters, struct parameter parameter)
{
    for (unsigned i = 0; i < parameters->count; i++)
        if (strcmp(parameters->items[i].name, parameter.name) == 0)
            return;
    if (parameters->count < ROUTE_CATALOGUE_PARAMETERS_MAX)
        parameters->items[parameters->count++] = parameter;
}

static void
add_from_path(const char *path, struct parameters *parameters)
{
    while ((path = strchr(path, '{')) != NULL) {
        size_t size = strcspn(++path, "}");
        const struct field *field = schema_find(&params_schema, path, size);
        if (field)
            add(parameters, (struct parameter){field, field->name, true, true});
    }
}

// Adds the members of params that the row names, and those of pages.
static void
add_params(const struct route *route, struct parameters *parameters)
{
    const uint64_t pages = FIELD_BIT(PARAMS_NUM_RECORDS) | FIELD_BIT(PARAMS_START_RECORD);
    const uint64_t aliased = pages | (route->is_exact ? FIELD_BIT(PARAMS_FORM) : UINT64_C(0));
    uint64_t takes = route->takes | route->needs;
    if (route->page && route->reply.is_always_page)
        takes |= FIELD_BIT(PARAMS_NUM_RECORDS);
    else if (route->page)
        takes |= pages | (route->reply.form == REPLY_ARRAY ? FIELD_BIT(PARAMS_PAGE) : 0);
    if (route->reply.form == REPLY_ENVELOPE)
        takes |= FIELD_BIT(PARAMS_TRANSACTION_ID);
    if (body_is_json(route->body))
        takes |= FIELD_BIT(PARAMS_STRICT);
    for (uint32_t i = 0; i < params_schema.count; i++) {
        const struct field *field = &params_schema.fields[i];
        bool required = (route->needs & FIELD_BIT(field->id)) != 0;
        if (takes & FIELD_BIT(field->id))
            add(parameters, (struct parameter){field, field->name, false, required});
        if ((takes & aliased & FIELD_BIT(field->id)) && field->alias) // limit, offset, f
            add(parameters, (struct parameter){field, field->alias, false, false});
    }
}

// Whether the query string is a filter, or the record itself.
static bool
has_query_record(const struct route *route)
{
    return route->body == BODY_QUERY || route->body == BODY_UPLOAD ||
           (route->method == HTTP_GET && body_is_json(route->body));
}

// Whether the query string may have the member: filters for a GET, else all that the server does
// not set.
static bool
is_read(const struct route *route, const struct field *field)
{
    if (route->method == HTTP_GET)
        return field->flags & FIELD_FILTER;
    return !(field->flags & (FIELD_DERIVED | FIELD_HIDDEN | FIELD_FIXED));
}

static void
add_members(const struct route *route, struct parameters *parameters)
{
    const struct operation_row *operation = route_operation(route);
    if (!operation || !operation->request || !has_query_record(route))
        return;
    for (uint32_t i = 0; i < operation->request->count; i++) {
        const struct field *field = &operation->request->fields[i];
        if (!query_takes(NULL, field) || !is_read(route, field))
            continue;
        add(parameters, (struct parameter){field, field->name, false, false});
        if (field->alias)
            add(parameters, (struct parameter){field, field->alias, false, false});
    }
}

void
route_catalogue_parameters(const struct route *route, struct parameters *ret_parameters)
{
    ret_parameters->count = 0;
    add_from_path(route->path, ret_parameters);
    add_params(route, ret_parameters);
    add_members(route, ret_parameters);
}

// --- which columns imply which failures ---

static bool
is_route(const struct route *route)
{
    return route != NULL;
}

static bool
asks_actor(const struct route *route)
{
    return route_operation(route) != NULL;
}

static bool
has_json_body(const struct route *route)
{
    return body_is_json(route->body);
}

static bool
needs_body(const struct route *route)
{
    return body_is_required(route->body) && !route->may_lack_body;
}

static bool
names_record(const struct route *route)
{
    const struct operation_row *operation = route_operation(route);
    bool is_list = operation && operation->target == ALL_LISTS; // a list may be empty
    return asks_actor(route) && !is_list &&
           (strchr(route->path, '{') || route->reply.one_by_filter);
}

static bool
needs_parameter(const struct route *route)
{
    return route->needs != 0;
}

static bool
needs_user(const struct route *route)
{
    return route->for_operators || route_access(route) != ACCESS_OPEN;
}

// Whether the route writes; a query by POST does not.
static bool
stores(const struct route *route)
{
    bool is_query = route->body == BODY_FILTERS || route->body == BODY_FILTERS_OR_BARE ||
                    route_access(route) == ACCESS_LIST;
    bool is_told = route_operation(route) && route_operation(route)->audit.kind != AUDIT_NONE;
    return is_told && route_changes(route) && !is_query;
}

static bool
is_limited(const struct route *route)
{
    return route_access(route) != ACCESS_OPEN || route->operation == LOGIN;
}

static bool
is_budgeted(const struct route *route)
{
    return route_access(route) != ACCESS_OPEN;
}

static bool
is_file(const struct route *route)
{
    return route->reply.form == REPLY_FILE;
}

// Whether entity tags may be used; records that are answered as an array have none.
static bool
is_conditional(const struct route *route)
{
    return route->is_tagged || is_file(route) ||
           (stores(route) && route->reply.form != REPLY_ARRAY &&
            route->reply.form != REPLY_SESSION);
}

static bool
is_upload(const struct route *route)
{
    return route->body == BODY_UPLOAD;
}

static bool
needs_accounts(const struct route *route)
{
    return route->needs_accounts;
}

static bool
keeps_answer(const struct route *route)
{
    return route->keeps_answer;
}

static bool
is_for_leader(const struct route *route)
{
    return route->operation < OPERATION_COUNT &&
           operation_is_for_leader((enum operation)route->operation);
}

// clang-format off
static const struct {
    bool (*applies)(const struct route *route);
    uint32_t errors;
} rules[] = {
    {is_route,        ERROR_BIT(ERR_MALFORMED) | ERROR_BIT(ERR_INVALID) | ERROR_BIT(ERR_FORBIDDEN) | ERROR_BIT(ERR_TOO_SLOW) | ERROR_BIT(ERR_TOO_LARGE) |
                      ERROR_BIT(ERR_URI_TOO_LONG) | ERROR_BIT(ERR_HEADERS_TOO_LARGE) | ERROR_BIT(ERR_INTERNAL) | ERROR_BIT(ERR_UNAVAILABLE)},
    {is_limited,      ERROR_BIT(ERR_THROTTLED)},
    {is_budgeted,     ERROR_BIT(ERR_OVER_BUDGET)},
    {has_json_body,   ERROR_BIT(ERR_MEDIA_TYPE)},
    {needs_body,      ERROR_BIT(ERR_MISSING)},
    {is_upload,       ERROR_BIT(ERR_MISSING) | ERROR_BIT(ERR_MEDIA_TYPE)},
    {needs_parameter, ERROR_BIT(ERR_MISSING)},
    {names_record,    ERROR_BIT(ERR_NOT_FOUND)},
    {needs_accounts,  ERROR_BIT(ERR_NOT_FOUND)},
    {needs_user,      ERROR_BIT(ERR_UNAUTHENTICATED)},
    {is_conditional,  ERROR_BIT(ERR_PRECONDITION)},
    {keeps_answer,    ERROR_BIT(ERR_CONFLICT)},
    {stores,          ERROR_BIT(ERR_STORAGE_FULL) | ERROR_BIT(ERR_OVER_STORED_BUDGET)},
    {is_file,         ERROR_BIT(ERR_RANGE)},
    {is_for_leader,   ERROR_BIT(ERR_FOLLOWER)},
};
// clang-format on

uint32_t
route_catalogue_errors(const struct route *route)
{
    uint32_t errors = route->fails;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].applies(route))
            errors |= rules[i].errors;
    return route->is_exact ? errors & ~ERROR_BIT(ERR_INVALID) : errors;
}
