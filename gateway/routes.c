// routes.c - THE table of routes (interface 4; decisions 1, 4, 5, 7, 8). A new endpoint is a row.
#include "gateway/routes.h"

#include "gateway/probes.h"
#include "proto/base/limits.h"

#define SCENES "/v1/scene"
#define SCENE SCENES "/{scene}"
#define OBJECTS SCENE "/object"
#define OBJECT OBJECTS "/{object}"

// clang-format off
#define REPLY_WRAPPED(array_)    {.kind = REPLY_KIND_WRAPPED,    .array = (array_)}
#define REPLY_PAGED(array_)      {.kind = REPLY_KIND_PAGED,      .array = (array_)}
#define REPLY_REGISTERED(array_) {.kind = REPLY_KIND_REGISTERED, .array = (array_)}
#define REPLY_FOLLOWS(array_)    {.kind = REPLY_KIND_FOLLOWS,    .array = (array_)}
#define REPLY_EMPTY(array_)      {.kind = REPLY_KIND_EMPTY,      .array = (array_)}
#define REPLY_PROBE(print_, media_type_) \
    {.kind = REPLY_KIND_PROBE, .print = (print_), .media_type = (media_type_)}

#define ROUTE(method_, path_, operation_, body_, reply_, ...) \
    {.method = HTTP_##method_, .path = (path_), .operation = (operation_), \
     .body = BODY_##body_, .reply = REPLY_##reply_, __VA_ARGS__}

#define AT(pattern)  .location = (pattern)
#define TAGGED       .is_tagged = true

const struct route routes[] = {
    ROUTE(POST,   SCENES,                    SCENE_CREATE,     WRAPPED,         WRAPPED("scenes"),    AT(SCENES "/{key}")),
    ROUTE(POST,   SCENES "/query",           SCENE_QUERY,      FILTERS,         PAGED("scenes"),      .page = 10),
    ROUTE(PUT,    SCENES "/cache/{scene}",   NO_OPERATION,     NONE,            EMPTY("scenes")),
    ROUTE(DELETE, SCENES "/cache/{scene}",   NO_OPERATION,     NONE,            EMPTY("scenes")),

    ROUTE(PUT,    SCENE,                     SCENE_PUT,        WRAPPED,         WRAPPED("scenes"),    AT(SCENE)),
    ROUTE(POST,   SCENE,                     SCENE_UPDATE,     WRAPPED,         WRAPPED("scenes")),
    ROUTE(GET,    SCENE,                     SCENE_GET,        NONE,            PAGED("scenes"),      TAGGED),
    ROUTE(DELETE, SCENE,                     SCENE_DELETE,     NONE,            WRAPPED("scenes")),
    ROUTE(PUT,    SCENE "/asset/{asset}",    SCENE_ADD_ASSET,  NONE,            EMPTY("scenes")),
    ROUTE(DELETE, SCENE "/asset/{asset}",    SCENE_DROP_ASSET, NONE,            EMPTY("scenes")),

    ROUTE(POST,   SCENE "/register",         REGISTER,         WRAPPED,         REGISTERED("scenes")),
    ROUTE(POST,   SCENE "/deregister",       DEREGISTER,       WRAPPED,         WRAPPED("scenes")),
    ROUTE(POST,   SCENE "/align",            ALIGN,            WRAPPED,         WRAPPED("scenes")),
    ROUTE(PUT,    SCENE "/align",            ALIGN,            WRAPPED,         WRAPPED("scenes")),

    ROUTE(POST,   OBJECTS,                   OBJECT_CREATE,    WRAPPED,         WRAPPED("objects"),   AT(OBJECTS "/{key}"), .body_limit = LIMIT_BULK_BODY_BYTES),
    ROUTE(POST,   OBJECTS "/query",          OBJECT_QUERY,     FILTERS_OR_BARE, PAGED("objects"),     AT(OBJECTS), .page = LIMIT_RECORDS),
    ROUTE(POST,   OBJECT,                    OBJECT_UPDATE,    WRAPPED_OR_BARE, FOLLOWS("objects"),   AT(OBJECT), TAGGED),
    ROUTE(GET,    OBJECT,                    OBJECT_GET,       NONE,            WRAPPED("objects"),   AT(OBJECT), TAGGED),
    ROUTE(DELETE, OBJECT,                    OBJECT_DELETE,    NONE,            EMPTY("objects"),     AT(OBJECT)),
    ROUTE(GET,    OBJECT "/lock",            OBJECT_LOCK,      NONE,            EMPTY("objects"),     AT(OBJECT), .get_that_changes = true),
    ROUTE(DELETE, OBJECT "/lock",            OBJECT_UNLOCK,    NONE,            EMPTY("objects"),     AT(OBJECT)),
    ROUTE(PUT,    OBJECT "/asset/{asset}",   OBJECT_ADD_ASSET, NONE,            EMPTY("objects"),     AT(OBJECT)),
    ROUTE(DELETE, OBJECT "/asset/{asset}",   OBJECT_DROP_ASSET,NONE,            EMPTY("objects"),     AT(OBJECT)),

    ROUTE(GET,    "/livez",                  NO_OPERATION,     NONE,            PROBE(probe_live, "application/json")),
    ROUTE(GET,    "/readyz",                 PING,             NONE,            PROBE(probe_ready, "application/json")),
    ROUTE(GET,    "/health",                 NO_OPERATION,     NONE,            PROBE(probe_health, "application/json")),
    ROUTE(GET,    "/metrics",                NO_OPERATION,     NONE,            PROBE(probe_metrics, "text/plain; version=0.0.4; charset=utf-8"), .for_operators = true),
};
// clang-format on

const size_t routes_count = sizeof routes / sizeof routes[0];
