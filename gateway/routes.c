// routes.c - THE table of routes. A new endpoint is a row.
#include "gateway/routes.h"

#include "gateway/console/console.h"
#include "gateway/docs/docs.h"
#include "gateway/docs/docs_files.h"
#include "gateway/docs/docs_style.h"
#include "gateway/docs/openapi.h"
#include "gateway/ogc/collections.h"
#include "gateway/ogc/features.h"
#include "gateway/ogc/links.h"
#include "gateway/reply/probes.h"
#include "gateway/reply/series_page.h"
#include "gateway/reply/server_page.h"
#include "gateway/tiles/tileset.h"
#include "proto/base/limits.h"
#include "proto/message/list_query.h"
#include "proto/records/params.h"

#define SCENES "/v1/scene"
#define SCENE SCENES "/{scene}"
#define ALIGNMENT SCENE "/alignment"
#define OBJECTS SCENE "/object"
#define OBJECT OBJECTS "/{object}"
#define PROPERTIES SCENE "/property"
#define PROPERTY PROPERTIES "/{property}"
#define PROJECTS "/v1/project"
#define PROJECT PROJECTS "/{project}"
#define GROUP PROJECT "/groups/{group}"
#define COLLECTIONS "/v1/collection"
#define ASSETS "/v1/asset"
#define ASSET ASSETS "/{asset}"
#define COLLECTION COLLECTIONS "/{collection}"
#define RELATIONSHIPS "/v1/relationship"

// clang-format off
// The variants of an envelope follow the name of its array: ENVELOPE("scenes", PAGED).
#define ANSWER_ENVELOPE(...)              {.form = REPLY_ENVELOPE, .array = __VA_ARGS__}
#define ANSWER_RECORD                     {.form = REPLY_RECORD}
#define ANSWER_ARRAY                      {.form = REPLY_ARRAY}
#define ANSWER_ARRAY_OR_PAGE(array_)      {.form = REPLY_ARRAY, .page = (array_)}
#define ANSWER_USERS                      {.form = REPLY_ARRAY, .page = "users", .one_by_filter = true}
#define ANSWER_LIST(array_)               {.form = REPLY_ARRAY, .page = (array_), .is_always_page = true}
#define ANSWER_KEY                        {.form = REPLY_TEXT}
#define ANSWER_WORD(word_)                {.form = REPLY_TEXT, .word = (word_)}
#define ANSWER_FILE                       {.form = REPLY_FILE}
#define ANSWER_PICTURE                    {.form = REPLY_FILE, .may_change = true}
#define ANSWER_SESSION                    {.form = REPLY_SESSION}
#define ANSWER_STREAM                     {.form = REPLY_STREAM}
#define ANSWER_PROBE(print_, media_type_) {.form = REPLY_PROBE, .print = (print_), .media_type = (media_type_)}
#define ANSWER_SCRIPTED(print_)           {.form = REPLY_PROBE, .print = (print_), .media_type = "text/html; charset=utf-8", .policy = docs_files_policy}

#define ANSWER_MADE(serve_, media_type_)  {.form = REPLY_PROBE, .serve = (serve_), .media_type = (media_type_)}
#define ANSWER_FEATURES(serve_)           {.form = REPLY_PROBE, .serve = (serve_), .media_type = LINKS_GEOJSON, .page = "features", .is_always_page = true}
#define ANSWER_FEATURE                    ANSWER_MADE(feature_serve, LINKS_GEOJSON), TAGGED, EXACT, TAKES(FORM)

#define ANSWER_PAGE(serve_)               {.form = REPLY_PROBE, .serve = (serve_), .media_type = "text/html; charset=utf-8"}

#define PAGED             .is_paged = true
#define EMPTY             .shown = SHOWN_NONE
#define IF_WRAPPED        .shown = SHOWN_IF_WRAPPED
#define TELLS_DESTINATION .tells_destination = true
#define ALSO(array_)      .also = (array_)

#define ROUTE(method_, path_, operation_, body_, reply_, ...) \
    {.method = HTTP_##method_, .path = (path_), .operation = (operation_), \
     .body = BODY_##body_, .reply = ANSWER_##reply_, __VA_ARGS__}

// A route without an actor: the row itself says who may use it.
#define PLAIN(method_, path_, access_, reply_, ...) \
    {.method = HTTP_##method_, .path = (path_), .operation = NO_OPERATION, \
     .access = ACCESS_##access_, .reply = ANSWER_##reply_, __VA_ARGS__}

#define CALLED(name_) .called = (name_)
#define AT(pattern)  .location = (pattern)
#define IMAGE(most_) .image_most = (most_)
#define TAGGED       .is_tagged = true
#define ONCE         .keeps_answer = true
#define NUMERALS     .takes_numerals = true
#define NAMES(field) .names = FIELD_BIT(PARAMS_##field)
#define NEEDS(field) .needs = FIELD_BIT(PARAMS_##field)
#define TAKES(field) .takes = FIELD_BIT(PARAMS_##field)
#define AND(field)   | FIELD_BIT(PARAMS_##field)
#define ENDS         (FIELD_BIT(PARAMS_ASSET) | FIELD_BIT(PARAMS_TYPE) | FIELD_BIT(PARAMS_RELATED))
#define TAKES_ENDS   .takes = ENDS
#define LISTED       TAKES(Q) AND(SORT) AND(AFTER) AND(FIELDS)
#define LISTS        .page = LIST_LIMIT, .page_most = LIST_LIMIT_MOST, LISTED AND(TAG)
#define MAPPED       .page = LIST_LIMIT_MOST, .page_most = LIST_LIMIT_MOST, .takes_any_page = true, TAGGED, EXACT
#define PLACED       .is_placed = true
#define EXACT        .is_exact = true
#define ACCOUNTS     .needs_accounts = true
#define OF_STREAMS   TAKES(RATE) AND(LAST_EVENT) AND(CONVENTION) AND(LAYOUT) AND(FORM) AND(PARTS) AND(PRECISION)
#define NEEDS_ENDS   .needs = ENDS
#define FAILS(error) .fails = ERROR_BIT(ERR_##error)
#define OR(error) | ERROR_BIT(ERR_##error)
#define SAYS(words)  .sentence = (words)

// Old samples use the same paths without the version. One answer differs: a user who is looked up
// by name is in an array there.
#define USER_ROUTES(users_, found_) \
    ROUTE(POST,   users_ "/sign-up",                  SIGN_UP,           BARE,  RECORD, TAGGED, AT("/v1/users/{key}"), .body_limit = LIMIT_LOGIN_BODY_BYTES, FAILS(CONFLICT)), \
    ROUTE(GET,    users_,                             USER_FIND,         QUERY, found_, .page = 100, .page_most = 1000, LISTED), \
    ROUTE(GET,    users_ "/{user}",                   USER_GET,          NONE,  RECORD, TAGGED), \
    ROUTE(PUT,    users_ "/{user}",                   USER_UPDATE,       BARE,  RECORD, FAILS(CONFLICT)), \
    ROUTE(DELETE, users_ "/{user}",                   USER_DELETE,       NONE,  RECORD, FAILS(CONFLICT)), \
    ROUTE(PUT,    users_ "/{user}/projects/{project}", USER_ADD_PROJECT,  NONE,  RECORD), \
    ROUTE(DELETE, users_ "/{user}/projects/{project}", USER_DROP_PROJECT, NONE,  RECORD), \
    ROUTE(PUT,    users_ "/{user}/scenes/{scene}",    USER_ADD_SCENE,    NONE,  RECORD), \
    ROUTE(DELETE, users_ "/{user}/scenes/{scene}",    USER_DROP_SCENE,   NONE,  RECORD), \
    ROUTE(PUT,    users_ "/{user}/admin",             USER_PROMOTE,      NONE,  RECORD), \
    ROUTE(DELETE, users_ "/{user}/admin",             USER_DEMOTE,       NONE,  RECORD, FAILS(CONFLICT)), \
    ROUTE(PUT,    users_ "/{user}/active",            USER_ACTIVATE,     NONE,  RECORD), \
    ROUTE(DELETE, users_ "/{user}/active",            USER_DEACTIVATE,   NONE,  RECORD, FAILS(CONFLICT))

const struct route routes[] = {
    ROUTE(POST,   SCENES,                    SCENE_CREATE,     WRAPPED,         ENVELOPE("scenes"),               AT(SCENES "/{key}"), FAILS(CONFLICT), ONCE),
    ROUTE(GET,    SCENES,                    SCENE_LIST,       QUERY,           LIST("scenes"),                   LISTS AND(TYPE) AND(CREATED) AND(CHANGED) AND(BOX) AND(NEAR)),
    ROUTE(POST,   SCENES "/query",           SCENE_QUERY,      FILTERS,         ENVELOPE("scenes", PAGED),        .page = 10, NUMERALS, FAILS(MISSING)),
    PLAIN(PUT,    SCENES "/cache/{scene}",   ADMIN,                             ENVELOPE("scenes", EMPTY),        CALLED("sceneLoad"), SAYS("Does nothing: scenes are loaded automatically.")),
    PLAIN(DELETE, SCENES "/cache/{scene}",   ADMIN,                             ENVELOPE("scenes", EMPTY),        CALLED("sceneUnload"), SAYS("Does nothing: scenes are unloaded automatically.")),

    ROUTE(PUT,    SCENE,                     SCENE_PUT,        WRAPPED,         ENVELOPE("scenes"),               AT(SCENE)),
    ROUTE(POST,   SCENE,                     SCENE_UPDATE,     WRAPPED,         ENVELOPE("scenes"), ONCE),
    ROUTE(GET,    SCENE,                     SCENE_GET,        NONE,            ENVELOPE("scenes", PAGED),        TAGGED, TAKES(CONVENTION) AND(FORM)),
    ROUTE(DELETE, SCENE,                     SCENE_DELETE,     NONE,            ENVELOPE("scenes")),
    ROUTE(GET,    SCENE "/tileset.json",     SCENE_LAYOUT,     NONE,            MADE(tileset_serve, "application/json"), TAGGED, TAKES(PLACED_IN) AND(NODE), FAILS(CONFLICT), CALLED("sceneTileset"), SAYS("The scene as a tileset (3D Tiles 1.1): its objects that show a glTF model, where they are on Earth.")),
    ROUTE(GET,    SCENE "/events",           SCENE_WATCH,      NONE,            STREAM,                           OF_STREAMS),
    ROUTE(GET,    "/v1/events",              SCENE_WATCH,      NONE,            STREAM,                           OF_STREAMS AND(SCENES) AND(TOPICS), FAILS(NOT_FOUND) OR(MISSING), CALLED("scenesWatch")),
    ROUTE(PUT,    SCENE "/asset/{asset}",    SCENE_ADD_ASSET,  NONE,            ENVELOPE("scenes", EMPTY)),
    ROUTE(DELETE, SCENE "/asset/{asset}",    SCENE_DROP_ASSET, NONE,            ENVELOPE("scenes", EMPTY)),

    ROUTE(POST,   SCENE "/register",         REGISTER,         WRAPPED,         ENVELOPE("scenes", TELLS_DESTINATION), TAKES(CONVENTION) AND(FORM) AND(COVARIANCE)),
    ROUTE(POST,   SCENE "/deregister",       DEREGISTER,       WRAPPED,         ENVELOPE("scenes"), TAKES(CONVENTION)),
    ROUTE(DELETE, SCENE "/device/{device}",  DEVICE_DELETE,    NONE,            ENVELOPE("scenes", EMPTY)),
    ROUTE(GET,    "/v1/device",              DEVICE_LIST,      QUERY,           ARRAY,                            .page = 100, .page_most = 1000),
    ROUTE(POST,   SCENE "/align",            ALIGN,            WRAPPED,         ENVELOPE("scenes"), TAKES(CONVENTION)),
    ROUTE(PUT,    SCENE "/align",            ALIGN,            WRAPPED,         ENVELOPE("scenes"), TAKES(CONVENTION)),

    ROUTE(GET,    ALIGNMENT,                 ALIGNMENT_GET,    NONE,            RECORD,                           TAKES(CONVENTION)),
    ROUTE(PUT,    ALIGNMENT "/{evidence}",   ALIGNMENT_PIN,    NONE,            RECORD,                           TAKES(OPERATION), FAILS(CONFLICT)),
    ROUTE(DELETE, ALIGNMENT "/{evidence}",   ALIGNMENT_REMOVE, NONE,            RECORD),
    ROUTE(GET,    "/v1/alignment",           ALIGNMENT_RELATE, NONE,            RECORD,                           NEEDS(FROM) AND(TO), TAKES(CONVENTION) AND(COVARIANCE), FAILS(NOT_FOUND)),
    ROUTE(GET,    "/v1/alignment/graph",     ALIGNMENT_GRAPH,  NONE,            RECORD,                           NEEDS(SCENE), TAKES(HOPS) AND(CONVENTION), FAILS(NOT_FOUND)),

    ROUTE(POST,   SCENE "/bulk",             SCENE_BULK,       BARE,            RECORD,                           .body_limit = LIMIT_STEPS_BODY_BYTES, TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(NOT_FOUND) OR(LOCKED) OR(CONFLICT) OR(PRECONDITION), ONCE),
    ROUTE(POST,   OBJECTS,                   OBJECT_CREATE,    WRAPPED,         ENVELOPE("objects"),              AT(OBJECTS "/{key}"), .body_limit = LIMIT_BULK_BODY_BYTES, TAKES(CONVENTION) AND(LAYOUT), ONCE),
    ROUTE(GET,    OBJECTS,                   OBJECT_LIST,      QUERY,           LIST("objects"),                  LISTS AND(CHANGED) AND(CONVENTION) AND(LAYOUT) AND(FORM)),
    ROUTE(POST,   OBJECTS "/query",          OBJECT_QUERY,     FILTERS_OR_BARE, ENVELOPE("objects", PAGED),       AT(OBJECTS), .page = LIMIT_RECORDS, TAKES(CONVENTION) AND(LAYOUT)),
    ROUTE(POST,   OBJECT,                    OBJECT_UPDATE,    WRAPPED_OR_BARE, ENVELOPE("objects", IF_WRAPPED),  AT(OBJECT), TAGGED, NAMES(OBJECT), TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(LOCKED), ONCE),
    ROUTE(GET,    OBJECT,                    OBJECT_GET,       NONE,            ENVELOPE("objects"),              AT(OBJECT), TAGGED, TAKES(CONVENTION) AND(LAYOUT) AND(FORM)),
    ROUTE(DELETE, OBJECT,                    OBJECT_DELETE,    NONE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), TAKES(DEVICE), FAILS(LOCKED)),
    ROUTE(PUT,    OBJECT "/lock",            OBJECT_LOCK,      BARE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), .may_lack_body = true, TAKES(DEVICE) AND(FORCE), FAILS(LOCKED) OR(MISSING)),
    ROUTE(GET,    OBJECT "/lock",            OBJECT_LOCK,      NONE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), .get_that_changes = true, NEEDS(DEVICE), FAILS(LOCKED)),
    ROUTE(DELETE, OBJECT "/lock",            OBJECT_UNLOCK,    NONE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), NEEDS(DEVICE), FAILS(LOCKED)),
    ROUTE(POST,   OBJECT "/lock/ask",        OBJECT_ASK,       BARE,            ENVELOPE("objects", EMPTY),       FAILS(CONFLICT)),
    ROUTE(PUT,    OBJECT "/asset/{asset}",   OBJECT_ADD_ASSET, NONE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), TAKES(DEVICE), FAILS(LOCKED)),
    ROUTE(DELETE, OBJECT "/asset/{asset}",   OBJECT_DROP_ASSET,NONE,            ENVELOPE("objects", EMPTY),       AT(OBJECT), TAKES(DEVICE), FAILS(LOCKED)),
    ROUTE(POST,   OBJECT "/action",                              OBJECT_ACTION_PUT,      BARE, ENVELOPE("objects", EMPTY), AT(OBJECT), .body_limit = LIMIT_BULK_BODY_BYTES, TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(LOCKED), ONCE),
    ROUTE(POST,   OBJECT "/action/{action}",                     OBJECT_ACTION_UPDATE,   BARE, ENVELOPE("objects", EMPTY), AT(OBJECT), .body_limit = LIMIT_BULK_BODY_BYTES, TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(LOCKED), ONCE),
    ROUTE(DELETE, OBJECT "/action/{action}",                     OBJECT_ACTION_DROP,     NONE, ENVELOPE("objects", EMPTY), AT(OBJECT), TAKES(DEVICE), FAILS(LOCKED)),
    ROUTE(POST,   OBJECT "/action/{action}/keyframe",            OBJECT_KEYFRAME_PUT,    BARE, ENVELOPE("objects", EMPTY), AT(OBJECT), TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(LOCKED), ONCE),
    ROUTE(POST,   OBJECT "/action/{action}/keyframe/{frame}",    OBJECT_KEYFRAME_UPDATE, BARE, ENVELOPE("objects", EMPTY), AT(OBJECT), TAKES(DEVICE) AND(CONVENTION) AND(LAYOUT), FAILS(LOCKED), ONCE),
    ROUTE(DELETE, OBJECT "/action/{action}/keyframe/{frame}",    OBJECT_KEYFRAME_DROP,   NONE, ENVELOPE("objects", EMPTY), AT(OBJECT), TAKES(DEVICE), FAILS(LOCKED)),

    ROUTE(POST,   PROPERTIES,                PROPERTY_CREATE,  WRAPPED,         ENVELOPE("properties", ALSO("objects")), AT(PROPERTIES "/{key}"), .body_limit = LIMIT_BULK_BODY_BYTES, FAILS(CONFLICT), ONCE),
    ROUTE(POST,   PROPERTIES "/query",       PROPERTY_QUERY,   FILTERS,         ENVELOPE("properties", PAGED),    .page = LIMIT_RECORDS),
    ROUTE(GET,    PROPERTIES "/query",       PROPERTY_QUERY,   FILTERS,         ENVELOPE("properties", PAGED),    .page = LIMIT_RECORDS),
    ROUTE(POST,   PROPERTY,                  PROPERTY_UPDATE,  WRAPPED,         ENVELOPE("properties"),           TAGGED, NAMES(PROPERTY), ONCE),
    ROUTE(GET,    PROPERTY,                  PROPERTY_GET,     NONE,            ENVELOPE("properties"),           TAGGED),
    ROUTE(DELETE, PROPERTY,                  PROPERTY_DELETE,  NONE,            ENVELOPE("properties", EMPTY)),
    ROUTE(POST,   PROPERTY "/action",                            PROPERTY_ACTION_PUT,      BARE, ENVELOPE("properties", EMPTY), .body_limit = LIMIT_BULK_BODY_BYTES, ONCE),
    ROUTE(POST,   PROPERTY "/action/{action}",                   PROPERTY_ACTION_UPDATE,   BARE, ENVELOPE("properties", EMPTY), .body_limit = LIMIT_BULK_BODY_BYTES, ONCE),
    ROUTE(DELETE, PROPERTY "/action/{action}",                   PROPERTY_ACTION_DROP,     NONE, ENVELOPE("properties", EMPTY)),
    ROUTE(POST,   PROPERTY "/action/{action}/keyframe",          PROPERTY_KEYFRAME_PUT,    BARE, ENVELOPE("properties", EMPTY), ONCE),
    ROUTE(POST,   PROPERTY "/action/{action}/keyframe/{frame}",  PROPERTY_KEYFRAME_UPDATE, BARE, ENVELOPE("properties", EMPTY), ONCE),
    ROUTE(DELETE, PROPERTY "/action/{action}/keyframe/{frame}",  PROPERTY_KEYFRAME_DROP,   NONE, ENVELOPE("properties", EMPTY)),

    ROUTE(POST,   PROJECTS,                  PROJECT_CREATE,   BARE,            RECORD,               AT(PROJECTS "/{key}"), TAGGED, FAILS(CONFLICT), ONCE),
    ROUTE(GET,    PROJECTS,                  PROJECT_LIST,     QUERY,           ARRAY_OR_PAGE("projects"), .page = 10, .page_most = 1000, LISTED AND(TYPE)),
    ROUTE(GET,    PROJECT,                   PROJECT_GET,      NONE,            RECORD,               TAGGED),
    ROUTE(POST,   PROJECT,                   PROJECT_UPDATE,   BARE,            RECORD,               TAGGED, ONCE),
    ROUTE(DELETE, PROJECT,                   PROJECT_DELETE,   NONE,            RECORD),
    ROUTE(PUT,    PROJECT "/tags/{tag}",     PROJECT_ADD_TAG,  NONE,            RECORD),
    ROUTE(DELETE, PROJECT "/tags/{tag}",     PROJECT_DROP_TAG, NONE,            RECORD),
    ROUTE(PUT,    PROJECT "/collections/{collection}", PROJECT_ADD_COLLECTION,  NONE, RECORD),
    ROUTE(DELETE, PROJECT "/collections/{collection}", PROJECT_DROP_COLLECTION, NONE, RECORD),

    ROUTE(POST,   PROJECT "/groups",         GROUP_CREATE,     BARE,            RECORD,               TAGGED, FAILS(CONFLICT), ONCE),
    ROUTE(POST,   GROUP,                     GROUP_UPDATE,     BARE,            RECORD,               TAGGED, FAILS(CONFLICT), ONCE),
    ROUTE(DELETE, GROUP,                     GROUP_DELETE,     NONE,            RECORD),
    ROUTE(PUT,    GROUP "/scenes/{scene}",   GROUP_ADD_SCENE,  NONE,            RECORD),
    ROUTE(DELETE, GROUP "/scenes/{scene}",   GROUP_DROP_SCENE, NONE,            RECORD),
    ROUTE(PUT,    GROUP "/{scene}",          GROUP_ADD_SCENE,  NONE,            RECORD),
    ROUTE(DELETE, GROUP "/{scene}",          GROUP_DROP_SCENE, NONE,            RECORD),

    ROUTE(POST,   COLLECTIONS,               COLLECTION_CREATE, BARE,           RECORD,               AT(COLLECTIONS "/{key}"), TAGGED, ONCE),
    ROUTE(GET,    COLLECTIONS,               COLLECTION_LIST,  QUERY,           ARRAY_OR_PAGE("collections"), .page = 10, .page_most = 1000, LISTED AND(TYPE)),
    ROUTE(POST,   "/v1/bulk/collection",     COLLECTION_BULK,  BARE,            ARRAY),
    ROUTE(GET,    COLLECTION,                COLLECTION_GET,   NONE,            RECORD,               TAGGED),
    ROUTE(POST,   COLLECTION,                COLLECTION_UPDATE, BARE,           RECORD,               TAGGED, ONCE),
    ROUTE(DELETE, COLLECTION,                COLLECTION_DELETE, NONE,           RECORD),
    ROUTE(PUT,    COLLECTION "/tags/{tag}",  COLLECTION_ADD_TAG,  NONE,         RECORD),
    ROUTE(DELETE, COLLECTION "/tags/{tag}",  COLLECTION_DROP_TAG, NONE,         RECORD),

    ROUTE(PUT,    RELATIONSHIPS,             RELATIONSHIP_PUT, BARE,            ARRAY,                TAKES_ENDS, FAILS(CONFLICT) OR(NOT_FOUND)),
    ROUTE(GET,    RELATIONSHIPS,             RELATIONSHIP_LIST, NONE,           ARRAY,                .page = LIMIT_RECORDS, TAKES_ENDS | FIELD_BIT(PARAMS_SUBTYPE)),
    ROUTE(DELETE, RELATIONSHIPS,             RELATIONSHIP_DELETE, NONE,         ARRAY,                NEEDS_ENDS),
    ROUTE(POST,   "/v1/bulk/relationship",   RELATIONSHIP_BULK, BARE,           ARRAY,                .page = LIMIT_RECORDS),

    ROUTE(POST,   ASSETS,                    ASSET_CREATE,     UPLOAD,          KEY,                  AT(ASSETS "/{key}"), ONCE),
    ROUTE(GET,    ASSETS,                    ASSET_LIST,       QUERY,           ARRAY_OR_PAGE("assets"), .page = 100, LISTED AND(TYPE) AND(CREATED)),
    ROUTE(GET,    ASSETS "/count",           ASSET_COUNT,      QUERY,           RECORD),
    ROUTE(POST,   "/v1/bulk/asset",          ASSET_BULK,       BARE,            ARRAY),
    ROUTE(POST,   ASSET,                     ASSET_UPDATE,     UPLOAD,          KEY,                  AT(ASSETS "/{key}"), FAILS(CONFLICT), ONCE),
    ROUTE(GET,    ASSET,                     ASSET_GET,        NONE,            FILE),
    ROUTE(DELETE, ASSET,                     ASSET_DELETE,     NONE,            WORD("Success")),
    ROUTE(POST,   ASSET "/restore",          ASSET_RESTORE,    BARE,            RECORD,               AT(ASSETS "/{key}"), FAILS(CONFLICT), ONCE),
    ROUTE(GET,    ASSET "/uses",             ASSET_USES,       NONE,            LIST("uses"),                     .page = LIST_LIMIT, .page_most = LIST_LIMIT_MOST, TAKES(AFTER)),
    ROUTE(PUT,    ASSET "/thumbnail",        THUMBNAIL_PUT,    UPLOAD,          RECORD,               IMAGE(LIMIT_THUMBNAIL_BYTES)),
    ROUTE(GET,    ASSET "/thumbnail",        THUMBNAIL_GET,    NONE,            PICTURE),
    ROUTE(GET,    ASSET "/{filename}",       ASSET_GET,        NONE,            FILE,                 CALLED("assetGetFile")),
    ROUTE(GET,    "/v1/asset-history/{asset}", HISTORY_GET,    NONE,            ARRAY),
    ROUTE(GET,    "/v1/history/{asset}",     HISTORY_GET,      NONE,            ARRAY),

    USER_ROUTES("/v1/users", USERS),
    ROUTE(GET,    "/v1/users/{user}/budget", USER_BUDGET_GET,  NONE,            RECORD),
    ROUTE(PUT,    "/v1/users/{user}/budget", USER_BUDGET_PUT,  BARE,            RECORD),
    ROUTE(DELETE, "/v1/users/{user}/data",   USER_ERASE,       NONE,            RECORD,               FAILS(CONFLICT)),
    ROUTE(GET,    "/v1/users/{user}/export", USER_EXPORT,      QUERY,           ARRAY,                .page = 100, .page_most = 1000),
    ROUTE(GET,    "/v1/users/{user}/export/scenes",  SCENE_EXPORT,   QUERY,     ARRAY,                .page = 100, .page_most = 1000),
    ROUTE(GET,    "/v1/users/{user}/export/library", LIBRARY_EXPORT, QUERY,     ARRAY,                .page = 100, .page_most = 1000),
    ROUTE(GET,    "/v1/users/{user}/export/audit",   AUDIT_EXPORT,   QUERY,     ARRAY,                .page = 100, .page_most = 1000),
    USER_ROUTES("/users", ARRAY_OR_PAGE("users")),
    ROUTE(GET,    "/v1/search",              SEARCH,           NONE,            ARRAY,                FAILS(NOT_FOUND), .page = 20, .page_most = 100, NEEDS(Q), TAKES(SCENE)),
    ROUTE(GET,    "/v1/session",             SESSION_GET,      NONE,            RECORD),
    ROUTE(POST,   "/v1/login",               LOGIN,            BARE,            SESSION, .body_limit = LIMIT_LOGIN_BODY_BYTES, FAILS(UNAUTHENTICATED)),
    ROUTE(POST,   "/login",                  LOGIN,            BARE,            SESSION, .body_limit = LIMIT_LOGIN_BODY_BYTES, FAILS(UNAUTHENTICATED)),
    ROUTE(POST,   "/v1/logout",              LOGOUT,           NONE,            SESSION),
    ROUTE(POST,   "/logout",                 LOGOUT,           NONE,            SESSION),

    ROUTE(POST,   "/v1/rotate/tokens",       TOKENS_ROTATE,    NONE,            RECORD),
    ROUTE(POST,   "/v1/rotate/pub-key",      PUB_KEY_ROTATE,   NONE,            RECORD,               FAILS(CONFLICT)),
    ROUTE(GET,    "/v1/audit",               AUDIT_LIST,       QUERY,           ARRAY,                .page = 100, .page_most = 1000),

    ROUTE(POST,   "/v1/backup",              BACKUP_CREATE,    NONE,            RECORD,               FAILS(CONFLICT)),
    ROUTE(GET,    "/v1/backup",              BACKUP_LIST,      NONE,            ARRAY,                FAILS(CONFLICT), .page = 100, .page_most = 1000),
    ROUTE(POST,   "/v1/promote",             PROMOTE,          NONE,            WORD("promoted")),

    PLAIN(GET,    LINKS_ROOT,                OPEN,                              MADE(landing_serve, LINKS_JSON), EXACT, CALLED("ogcLanding"), SAYS("Where map clients begin: OGC API - Features.")),
    PLAIN(GET,    LINKS_ROOT "/conformance", OPEN,                              MADE(conformance_serve, LINKS_JSON), EXACT, CALLED("ogcConformance"), SAYS("Which parts of OGC API - Features this is.")),
    PLAIN(GET,    LINKS_ROOT "/api",         OPEN,                              PROBE(openapi_print_features, LINKS_OPENAPI), TAGGED, EXACT, CALLED("ogcApi"), SAYS("These operations for maps, as OpenAPI 3.0.")),
    ROUTE(GET,    LINKS_COLLECTIONS,         SCENE_LIST,       NONE,            MADE(collections_serve, LINKS_JSON), TAGGED, EXACT, .page = COLLECTIONS_SCENES_MOST, CALLED("ogcCollections"), SAYS("The collections: scenes, objects, devices where there are accounts, and the objects of each of the first scenes.")),
    PLAIN(GET,    LINKS_SCENES,              OPEN,                              MADE(scenes_collection_serve, LINKS_JSON), EXACT, CALLED("ogcSceneCollection"), SAYS("The collection of scenes.")),
    ROUTE(GET,    LINKS_SCENES "/items",     SCENE_LIST,       QUERY,           FEATURES(features_serve), MAPPED, LISTED AND(TAG) AND(TYPE) AND(BBOX) AND(DATETIME), CALLED("ogcScenes"), SAYS("Scenes as features, where their origins are.")),
    ROUTE(GET,    LINKS_SCENES "/items/{scene}", SCENE_GET,    NONE,            FEATURE,                          CALLED("ogcScene"), SAYS("A scene as a feature.")),
    PLAIN(GET,    LINKS_ALL_OBJECTS,         OPEN,                              MADE(all_objects_collection_serve, LINKS_JSON), EXACT, CALLED("ogcAllObjectCollection"), SAYS("The collection of all objects.")),
    ROUTE(GET,    LINKS_ALL_OBJECTS "/items", OBJECTS_LIST,    QUERY,           FEATURES(features_serve), MAPPED, PLACED, TAKES(Q) AND(AFTER) AND(FIELDS) AND(TAG) AND(SCENE) AND(BBOX) AND(DATETIME), CALLED("ogcAllObjects"), SAYS("Objects of all scenes as features, scene after scene.")),
    ROUTE(GET,    LINKS_ALL_OBJECTS "/items/{object}", OBJECT_GET, NONE,        FEATURE,                          PLACED, CALLED("ogcAnyObject"), SAYS("An object of any scene as a feature.")),
    PLAIN(GET,    LINKS_DEVICES,             OPEN,                              MADE(devices_collection_serve, LINKS_JSON), EXACT, ACCOUNTS, CALLED("ogcDeviceCollection"), SAYS("The collection of devices; with accounts only.")),
    ROUTE(GET,    LINKS_DEVICES "/items",    DEVICE_LIST,      QUERY,           FEATURES(features_serve), MAPPED, PLACED, ACCOUNTS, TAKES(BBOX) AND(DATETIME), CALLED("ogcDevices"), SAYS("Devices that are aligned to a scene with a place as features; with accounts only.")),
    ROUTE(GET,    LINKS_DEVICES "/items/{feature}", DEVICE_LIST, NONE,          FEATURE,                          PLACED, ACCOUNTS, .page = 1, CALLED("ogcDevice"), SAYS("A device in a scene as a feature; with accounts only.")),
    ROUTE(GET,    LINKS_OBJECTS "{scene}",   SCENE_GET,        NONE,            MADE(objects_collection_serve, LINKS_JSON), EXACT, CALLED("ogcObjectCollection"), SAYS("The collection of the objects of a scene.")),
    ROUTE(GET,    LINKS_OBJECTS "{scene}/items", OBJECT_LIST,  QUERY,           FEATURES(features_serve), MAPPED, PLACED, LISTED AND(TAG) AND(BBOX) AND(DATETIME), CALLED("ogcObjects"), SAYS("Objects of a scene as features, where they are on Earth.")),
    ROUTE(GET,    LINKS_OBJECTS "{scene}/items/{object}", OBJECT_GET, NONE,     FEATURE,                          PLACED, CALLED("ogcObject"), SAYS("An object as a feature.")),

    PLAIN(GET,    "/livez",                  OPEN,                              PROBE(probe_live, "application/json"), SAYS("Whether the process is alive.")),
    ROUTE(GET,    "/readyz",                 PING,             NONE,            PROBE(probe_ready, "application/json"), SAYS("Whether the server is ready: every actor answered.")),
    PLAIN(GET,    "/health",                 OPEN,                              PROBE(probe_health, "application/json"), SAYS("The same for old clients.")),
    PLAIN(GET,    "/metrics",                OPEN,                              PROBE(probe_metrics, "text/plain; version=0.0.4; charset=utf-8"), .for_operators = true, SAYS("All metrics as Prometheus text.")),
    PLAIN(GET,    "/v1/server",              USER,                              PROBE(server_page_print, "application/json"), CALLED("serverGet"), SAYS("What the server is, where it listens, what it holds and may hold; for administrators its settings too.")),
    PLAIN(GET,    "/v1/server/series",       ADMIN,                             PROBE(series_page_print, "application/json"), TAKES(SERIES) AND(SECONDS), CALLED("serverSeries"), SAYS("What the server did and held in each of the last seconds, an hour at most: requests, times, events, memory.")),
    PLAIN(GET,    "/v1/server/events",       USER,                              STREAM,                           TAKES(SERIES) AND(SECONDS), CALLED("serverWatch"), SAYS("Stream how much the server holds and whether its disk is full, an event `sample` each second; to administrators also what `GET /v1/server/series` tells, from `seconds` ago on.")),
    PLAIN(GET,    "/openapi.json",           OPEN,                              PROBE(openapi_print, "application/json"), TAGGED, SAYS("This interface, as OpenAPI 3.1.")),
    PLAIN(GET,    "/docs",                   OPEN,                              SCRIPTED(docs_print), TAGGED, SAYS("This interface, as a page for people.")),
    PLAIN(GET,    "/docs/style.css",         OPEN,                              PROBE(docs_style_print, "text/css; charset=utf-8"), TAGGED, SAYS("The style sheet of that page.")),
    PLAIN(GET,    "/",                       OPEN,                              PAGE(console_redirect)),
    PLAIN(GET,    "/console",                OPEN,                              PAGE(console_serve)),
    PLAIN(GET,    "/console/*",              OPEN,                              PAGE(console_serve)),
    PLAIN(GET,    "/docs/*",                 OPEN,                              PAGE(docs_files_serve)),
};
// clang-format on

enum { PAGES = 4 }; // the last rows

const size_t routes_count = sizeof routes / sizeof routes[0];
const size_t routes_described_count = sizeof routes / sizeof routes[0] - PAGES;
