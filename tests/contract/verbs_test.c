// verbs_test.c - what the client's table asks for is what the server's table offers.
#include "tools/cli/verbs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gateway/routes.h"
#include "proto/records/params.h"
#include "tools/cli/command_list.h"
#include "tools/cli/command_table.h"

// Whether both paths are the same, whatever their parameters are called. A query string ends
// `path`.
static bool
is_same_path(const char *path, const char *pattern)
{
    while (*path && *path != '?' && *path == *pattern) {
        bool is_parameter = *path == '{';
        path += is_parameter ? strcspn(path, "}") : 1;
        pattern += is_parameter ? strcspn(pattern, "}") : 1;
    }
    return (*path == '\0' || *path == '?') && *pattern == '\0';
}

// The route that a verb asks for; fails where there is none.
static const struct route *
route_of(const struct verb *verb)
{
    for (size_t i = 0; i < routes_count; i++)
        if (strcmp(http_method_name(routes[i].method), verb->method) == 0 &&
            is_same_path(verb->path, routes[i].path))
            return &routes[i];
    cr_assert_fail("%s %s: there is no route %s %s", verb->noun->name, verb->name, verb->method,
                   verb->path);
    return NULL;
}

// What the arguments become, in the words of the route.
static bool
takes(const struct route *route, const struct verb *verb)
{
    switch (route->body) {
    case BODY_WRAPPED:
    case BODY_FILTERS:
        return verb->body && verb->body[0] == '{';
    case BODY_WRAPPED_OR_BARE:
    case BODY_FILTERS_OR_BARE:
        return verb->body != NULL;
    case BODY_BARE:
        return verb->body ? verb->body[0] == '*' : route->may_lack_body;
    default:
        return !verb->body;
    }
}

Test(verbs, every_verb_has_its_route_and_its_body)
{
    for (size_t i = 0; i < verbs_count; i++) {
        const struct verb *verb = &verbs[i];
        if (!verb->command)
            cr_expect(takes(route_of(verb), verb), "%s %s", verb->noun->name, verb->name);
    }
}

Test(verbs, what_is_sent_again_is_done_once)
{
    for (size_t i = 0; i < verbs_count; i++)
        if (!verbs[i].command)
            cr_expect_eq(verbs[i].is_once, route_of(&verbs[i])->keeps_answer, "%s %s",
                         verbs[i].noun->name, verbs[i].name);
}

Test(verbs, records_stand_where_the_noun_says)
{
    for (size_t i = 0; i < verbs_count; i++) {
        const struct verb *verb = &verbs[i];
        if (verb->command || verb->output == OUTPUT_NOTHING)
            continue;
        const struct reply_shape *reply = &route_of(verb)->reply;
        bool is_page = verb->array != NULL;
        const char *array = is_page                         ? reply->page
                            : reply->form == REPLY_ENVELOPE ? reply->array
                                                            : "";
        const char *expected = is_page ? verb->array : verb->noun->array ? verb->noun->array : "";
        cr_expect_str_eq(array, expected, "%s %s", verb->noun->name, verb->name);
        if (verb->output != OUTPUT_REPLY)
            cr_expect_neq(reply->shown, SHOWN_NONE, "%s %s", verb->noun->name, verb->name);
    }
}

Test(verbs, pages_are_cut_by_parameters_that_the_route_knows)
{
    for (size_t i = 0; i < verbs_count; i++)
        if (verbs[i].paging)
            cr_expect_gt(route_of(&verbs[i])->page, 0, "%s %s", verbs[i].noun->name, verbs[i].name);
}

Test(verbs, columns_are_fields_of_the_records)
{
    for (size_t i = 0; i < verbs_count; i++) {
        const struct verb *verb = &verbs[i];
        if (verb->output != OUTPUT_TABLE)
            continue;
        const struct schema *schema = operation_rows[route_of(verb)->operation].reply->of;
        for (const struct column *column = verb->noun->columns; column->title; column++)
            cr_expect(schema_find(schema, column->member, strlen(column->member)), "%s has no %s",
                      schema->name, column->member);
    }
}

Test(verbs, device_is_named_where_the_route_takes_it)
{
    for (size_t i = 0; i < verbs_count; i++)
        if (!verbs[i].command && strcmp(verbs[i].noun->name, "object") == 0)
            cr_expect(!verbs[i].takes_device || route_of(&verbs[i])->takes, "%s", verbs[i].name);
}

Test(verbs, convention_is_named_where_the_route_takes_it)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (verbs[i].command)
            continue;
        bool takes = route_of(&verbs[i])->takes & FIELD_BIT(PARAMS_CONVENTION);
        cr_expect_eq(verbs[i].takes_convention, takes, "%s %s", verbs[i].noun->name, verbs[i].name);
    }
}

Test(verbs, form_is_named_where_the_route_takes_it)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (verbs[i].command)
            continue;
        bool takes = route_of(&verbs[i])->takes & FIELD_BIT(PARAMS_FORM);
        cr_expect_eq(verbs[i].takes_form, takes, "%s %s", verbs[i].noun->name, verbs[i].name);
    }
}

// What no row of the client's table asks for: which command does ("" = none: people need it as
// little as `why` says).
static const struct {
    const char *method, *path, *command, *why;
} others[] = {
    {"GET", "/v1/events", "events", ""},
    {"GET", "/v1/server/events", "events", ""},
    {"GET", "/v1/scene/{scene}/alignment", "alignment", ""},
    {"GET", "/v1/audit", "audit", ""},
    {"GET", "/readyz", "health", ""},
    {"POST", "/v1/login", "login", ""},
    {"POST", "/v1/logout", "logout", ""},
    {"PUT", "/v1/scene/cache/{scene}", "", "does nothing"},
    {"DELETE", "/v1/scene/cache/{scene}", "", "does nothing"},
    {"GET", "/livez", "", "for supervisors"},
    {"GET", "/health", "", "for old clients"},
    {"GET", "/metrics", "", "for Prometheus; diorama top reads the series"},
    {"GET", "/openapi.json", "", "for programs"},
    {"GET", "/v1/scene/{scene}/tileset.json", "", "for viewers of globes"},
    {"GET", "/docs", "", "for browsers"},
    {"GET", "/docs/style.css", "", "for browsers"},
    {"POST", "/v1/bulk/asset", "", "for old clients: asset get"},
    {"POST", "/v1/bulk/collection", "", "for old clients: collection get"},
    {"POST", "/v1/bulk/relationship", "", "for old clients: relationship query"},
};

// Verbs with a program of their own (asset upload …) name no route; these are theirs.
static const enum operation programs[] = {ASSET_CREATE,   ASSET_UPDATE,  ASSET_GET,   THUMBNAIL_PUT,
                                          THUMBNAIL_GET,  BACKUP_CREATE, USER_EXPORT, SCENE_EXPORT,
                                          LIBRARY_EXPORT, AUDIT_EXPORT};

// Whether a verb asks for what the route does, by this path or another one.
static bool
has_verb(const struct route *route)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (route->operation == programs[i])
            return true;
    for (size_t i = 0; i < verbs_count; i++) {
        const struct route *asked = verbs[i].command ? NULL : route_of(&verbs[i]);
        if (asked == route ||
            (asked && asked->operation == route->operation && asked->operation != NO_OPERATION))
            return true;
    }
    return false;
}

static bool
has_other(const struct route *route, const struct route *same)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(http_method_name(same->method), others[i].method) == 0 &&
            strcmp(same->path, others[i].path) == 0)
            return same == route || same->operation != NO_OPERATION;
    return false;
}

// Whether the route, or another one of its operation, is in the table above.
static bool
is_known_otherwise(const struct route *route)
{
    for (size_t i = 0; i < routes_count; i++)
        if (&routes[i] == route || routes[i].operation == route->operation)
            if (has_other(route, &routes[i]))
                return true;
    return strncmp(route->path, "/ogc", 4) == 0; // for map clients
}

Test(verbs, every_operation_has_a_verb_or_a_command)
{
    for (size_t i = 0; i < routes_described_count; i++)
        cr_expect(has_verb(&routes[i]) || is_known_otherwise(&routes[i]), "%s %s",
                  http_method_name(routes[i].method), routes[i].path);
}

Test(verbs, commands_that_stand_for_operations_are_there)
{
    command_table_install();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect(others[i].command[0] ? command_list_find(others[i].command) != NULL
                                       : others[i].why[0] != '\0',
                  "%s", others[i].path);
}
