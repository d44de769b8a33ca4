// verbs.c - the table of nouns and verbs, and how to look them up.
#include "tools/cli/verbs.h"

#include <assert.h>
#include <string.h>

#include "tools/cli/asset_thumbnail.h"
#include "tools/cli/asset_transfer.h"
#include "tools/cli/backup_commands.h"
#include "tools/cli/profile_commands.h"
#include "tools/cli/scene_archive.h"
#include "tools/cli/user_export.h"

#define SCENES "/v1/scene"
#define SCENE SCENES "/{scene}"
#define CORRECTION SCENE "/alignment/{correction}"
#define OBJECTS SCENE "/object"
#define OBJECT OBJECTS "/{object}"
#define PROPERTIES SCENE "/property"
#define PROPERTY PROPERTIES "/{property}"
#define ASSETS "/v1/asset"
#define PROJECTS "/v1/project"
#define PROJECT PROJECTS "/{project}"
#define GROUPS PROJECT "/groups"
#define GROUP GROUPS "/{group}"
#define COLLECTIONS "/v1/collection"
#define COLLECTION COLLECTIONS "/{collection}"
#define RELATIONSHIPS "/v1/relationship"
#define USERS "/v1/users"
#define USER USERS "/{user}"

// Bodies: where the record goes.
#define BARE "*"
#define WRAPPED(array) "{\"" array "\":[*]}"
#define DEVICES "{\"scenes\":[{\"devices\":[*]}]}"

// clang-format off
#define COLUMN(member_)        {.title = (member_), .member = (member_)}
#define PICK(title_, member_, ...) {.title = (title_), .member = (member_), .picks = {__VA_ARGS__}}

static const struct column scene_columns[] = {
    COLUMN("key"), COLUMN("name"), COLUMN("region"), COLUMN("latitude"), COLUMN("longitude"), COLUMN("distance"), COLUMN("tags"), {0}};
static const struct column object_columns[] = {
    COLUMN("key"), COLUMN("name"), COLUMN("type"), COLUMN("subtype"), COLUMN("owner"), PICK("position", "transform", 3, 7, 11), {0}};
static const struct column property_columns[] = {
    COLUMN("key"), COLUMN("name"), COLUMN("parent"), COLUMN("frame"), COLUMN("values"), {0}};
static const struct column device_columns[] = {
    COLUMN("scene"), COLUMN("key"), COLUMN("state"), COLUMN("form"), COLUMN("rate"), COLUMN("sent_s"), COLUMN("lost_s"), COLUMN("behind"), COLUMN("address"), {0}};
static const struct column asset_columns[] = {
    COLUMN("key"), COLUMN("name"), COLUMN("contentType"), COLUMN("fileType"), COLUMN("assetType"), COLUMN("size"), COLUMN("createdTimestamp"), {0}};
static const struct column project_columns[] = {
    COLUMN("id"), COLUMN("name"), COLUMN("category"), COLUMN("tags"), COLUMN("description"), {0}};
static const struct column relationship_columns[] = {
    COLUMN("id"), COLUMN("assetId"), COLUMN("assetSubId"), COLUMN("relationshipType"), COLUMN("relationshipSubtype"), COLUMN("relatedId"), {0}};
static const struct column user_columns[] = {
    COLUMN("id"), COLUMN("username"), COLUMN("email"), COLUMN("isAdmin"), COLUMN("isActive"), {0}};

static const struct column hit_columns[] = {
    COLUMN("kind"), COLUMN("key"), COLUMN("name"), COLUMN("scene"), {0}};

static const struct column backup_columns[] = {
    COLUMN("key"), COLUMN("state"), COLUMN("files"), COLUMN("bytes"), COLUMN("copied"), COLUMN("took_ms"), COLUMN("reason"), {0}};

static const struct noun scene        = {"scene",        "A place at a latitude and longitude.",   "scenes",     scene_columns, "scene create key=plaza name=Plaza latitude=50.92 longitude=6.36\nscene find q=pla\nscene get plaza"};
static const struct noun object       = {"object",       "An item with a transform in a scene.",     "objects",    object_columns, "object create plaza name=cube translation=[1,2,3]\nobject list plaza --convention=unity\nobject query plaza name=cube --json"};
static const struct noun property     = {"property",     "One to four numbers of a scene or object.",  "properties", property_columns, "property create plaza name=wind values=[3.5,0.5]\nproperty list plaza"};
static const struct noun device       = {"device",       "A client that is registered to a scene.",     NULL,         device_columns, "device list\ndevice query scene=plaza"};
static const struct noun asset        = {"asset",        "A file with versions, such as a mesh.",         NULL,         asset_columns, "asset upload cube.glb\nasset list\nasset count file-type=glb"};
static const struct noun use          = {"use",          "An object or a scene that names an asset.",   "uses",       hit_columns, "use list 1f83a5c2d4e6f708192a3b4c limit=100"};
static const struct noun relationship = {"relationship", "A link from an asset to another record, such as a scene.",                  NULL,         relationship_columns, "relationship query related=plaza type=scene"};
static const struct noun project      = {"project",      "Groups of scenes, and collections of assets.",         NULL,         project_columns, "project create name=Museum\nproject find q=mus sort=-name"};
static const struct noun collection   = {"collection",   "A set of assets.",                           NULL,         project_columns, "collection create name=Chairs 'tags=[\"oak\"]'\ncollection query tag=oak"};
static const struct noun user         = {"user",         "An account.",                                NULL,         user_columns, "user create username=alice --password-file=alice.txt\nuser query username=alice"};
static const struct noun session      = {"session",      "Who one is to the server.",                  NULL,         NULL, "session get"};
static const struct noun server       = {"server",       "What runs there.",                           NULL,         NULL, "server get\nserver series names=events,http_p99 seconds=60"};
static const struct noun backup       = {"backup",       "All that a server stores, at one moment.",   NULL,         backup_columns, "backup create\nbackup list"};
static const struct noun bulk         = {"bulk",         "Many things of a scene, changed in one commit.", NULL,     NULL, "bulk apply plaza 'create=[{\"name\":\"left\"},{\"name\":\"right\"}]'"};
static const struct noun graph        = {"graph",        "How the coordinates of scenes relate.",      NULL,         NULL, "graph get scene=plaza hops=3"};
static const struct noun search       = {"search",       "Whatever has a name.",                       NULL,         hit_columns, "search find q=pla limit=20"};
static const struct noun profile      = {"profile",      "A named server and the login to it.",     NULL,         NULL, "profile add studio --url=https://scenes.example.org\nprofile use studio"};

static const struct paging by_start  = {"num_records", "start_record", "start", "Skip the first N."};
static const struct paging by_page   = {"num_records", "page",         "page",  "Page to show; the first is 0."};
static const struct paging by_offset = {"limit",       "offset",       "start", "Skip the first N."};

const struct noun *const nouns[] = {
    &scene, &object, &property, &device, &asset, &use, &relationship, &project, &collection, &user, &session, &server, &backup, &bulk, &graph, &search, &profile,
};

#define VERB(noun_, name_, method_, path_, body_, input_, output_, about_, ...) \
    {.noun = &noun_, .name = (name_), .method = (method_), .path = (path_), .body = (body_), \
     .input = INPUT_##input_, .output = OUTPUT_##output_, .about = (about_), __VA_ARGS__}
#define COMMAND(noun_, name_, command_) \
    {.noun = &noun_, .name = (name_), .command = &command_}
#define PAGED(paging_) .paging = &paging_
#define PAGES(array_)  .array = (array_)
#define BY_DEVICE      .takes_device = true
#define ONCE           .is_once = true
#define IN_AXES        .takes_convention = true
#define IN_FORMS       .takes_form = true
#define ACTION_VERBS(noun_, ENTITY, in_axes_, ...) \
    VERB (noun_, "put-action",      "POST",   ENTITY "/action",                           BARE, RECORD, NOTHING, "Create an action or replace the one of this name: name, description, keyframes, fps, loop.", .takes_convention = in_axes_, ONCE, __VA_ARGS__), \
    VERB (noun_, "update-action",   "POST",   ENTITY "/action/{action}",                  BARE, RECORD, NOTHING, "Update the given members of an action.", .takes_convention = in_axes_, ONCE, __VA_ARGS__), \
    VERB (noun_, "drop-action",     "DELETE", ENTITY "/action/{action}",                  NULL, NONE,   NOTHING, "Remove an action and its keyframes.", __VA_ARGS__), \
    VERB (noun_, "put-keyframe",    "POST",   ENTITY "/action/{action}/keyframe",         BARE, RECORD, NOTHING, "Create a keyframe or replace the one at this frame.", .takes_convention = in_axes_, ONCE, __VA_ARGS__), \
    VERB (noun_, "update-keyframe", "POST",   ENTITY "/action/{action}/keyframe/{frame}", BARE, RECORD, NOTHING, "Update the given members of a keyframe.", .takes_convention = in_axes_, ONCE, __VA_ARGS__), \
    VERB (noun_, "drop-keyframe",   "DELETE", ENTITY "/action/{action}/keyframe/{frame}", NULL, NONE,   NOTHING, "Remove a keyframe.", __VA_ARGS__)

const struct verb verbs[] = {
    VERB (scene, "get",        "GET",    SCENE,                     NULL,               NONE,   RECORD,  "Read a scene and its devices.", IN_AXES, IN_FORMS),
    VERB (scene, "list",       "POST",   SCENES "/query",           WRAPPED("scenes"),  NONE,   TABLE,   "List scenes.", PAGED(by_start)),
    VERB (scene, "query",      "POST",   SCENES "/query",           WRAPPED("scenes"),  RECORD, TABLE,   "Find scenes by name, region, tags, assets, or latitude, longitude and distance (km).", PAGED(by_start)),
    VERB (scene, "find",       "GET",    SCENES,                    NULL,               QUERY,  TABLE,   "Find scenes: q=\"be wo\" name= region= tag= created=FROM..TO changed= box=SOUTH,WEST,NORTH,EAST near=LATITUDE,LONGITUDE,KM sort=-changed limit=50 after=.", PAGES("scenes")),
    VERB (scene, "create",     "POST",   SCENES,                    WRAPPED("scenes"),  RECORD, KEYS,    "Create a scene; without key= a key is generated.", ONCE),
    VERB (scene, "put",        "PUT",    SCENE,                     WRAPPED("scenes"),  RECORD, KEYS,    "Create a scene with this key, or update its given members."),
    VERB (scene, "update",     "POST",   SCENE,                     WRAPPED("scenes"),  RECORD, NOTHING, "Update the given members of a scene.", ONCE),
    VERB (scene, "delete",     "DELETE", SCENE,                     NULL,               NONE,   NOTHING, "Delete a scene and everything in it."),
    VERB (scene, "register",   "POST",   SCENE "/register",         DEVICES,            RECORD, RECORD,  "Register a device: key, hostname, port, transform.", IN_AXES, IN_FORMS),
    VERB (scene, "deregister", "POST",   SCENE "/deregister",       DEVICES,            RECORD, NOTHING, "Deregister a device: key.", IN_AXES),
    VERB (scene, "drop-device","DELETE", SCENE "/device/{device}", NULL,               NONE,   NOTHING, "Deregister the device of this key; its locks end."),
    VERB (scene, "align",      "POST",   SCENE "/align",            DEVICES,            RECORD, RECORD,  "Correct a device's transform: key, transform.", IN_AXES),
    VERB (scene, "pin-correction",   "PUT",    CORRECTION,          NULL,               NONE,   NOTHING, "Pin a correction of a device (diorama alignment SCENE --all), so that it is never rejected."),
    VERB (scene, "unpin-correction", "PUT",    CORRECTION "?operation=11", NULL,        NONE,   NOTHING, "Remove the pin of a correction."),
    VERB (scene, "drop-correction",  "DELETE", CORRECTION,          NULL,               NONE,   NOTHING, "Remove a correction."),
    COMMAND (scene, "export",   scene_export_command),
    COMMAND (scene, "import",   scene_import_command),
    VERB (scene, "add-asset",  "PUT",    SCENE "/asset/{asset}",    NULL,               NONE,   NOTHING, "Add one asset key to a scene."),
    VERB (scene, "drop-asset", "DELETE", SCENE "/asset/{asset}",    NULL,               NONE,   NOTHING, "Remove one asset key from a scene."),

    VERB (object, "get",        "GET",    OBJECT,                   NULL,               NONE,   RECORD,  "Read an object.", IN_AXES, IN_FORMS),
    VERB (object, "list",       "POST",   OBJECTS "/query",         WRAPPED("objects"), NONE,   TABLE,   "List the objects of a scene.", PAGED(by_start), IN_AXES),
    VERB (object, "query",      "POST",   OBJECTS "/query",         WRAPPED("objects"), RECORD, TABLE,   "Find objects of a scene by name, type, subtype, owner, parent, frame, assets, tags.", PAGED(by_start), IN_AXES),
    VERB (object, "find",       "GET",    OBJECTS,                  NULL,               QUERY,  TABLE,   "Find objects of a scene: q=\"be wo\" name= type= parent= tag= changed=FROM..TO sort=-changed limit=50 after=.", PAGES("objects"), IN_AXES, IN_FORMS),
    VERB (object, "create",     "POST",   OBJECTS,                  WRAPPED("objects"), RECORD, KEYS,    "Create objects in a scene, which is created if absent.", IN_AXES, ONCE),
    VERB (object, "update",     "POST",   OBJECT,                   WRAPPED("objects"), RECORD, RECORD,  "Update the given members of an object.", BY_DEVICE, IN_AXES, ONCE),
    VERB (object, "delete",     "DELETE", OBJECT,                   NULL,               NONE,   NOTHING, "Delete an object.", BY_DEVICE),
    VERB (object, "lock",       "PUT",    OBJECT "/lock?device={device}", NULL,         NONE,   NOTHING, "Lock an object for a device."),
    VERB (object, "unlock",     "DELETE", OBJECT "/lock?device={device}", NULL,         NONE,   NOTHING, "Release the lock of a device on an object."),
    VERB (object, "lease",      "PUT",    OBJECT "/lock",           BARE,               RECORD, REPLY,   "Lock an object for a while: device, lease_s (30), renew, force. Again: renew it."),
    VERB (object, "ask",        "POST",   OBJECT "/lock/ask",       BARE,               RECORD, NOTHING, "Ask the holder of an object's lock for it: device, message."),
    VERB (object, "add-asset",  "PUT",    OBJECT "/asset/{asset}",  NULL,               NONE,   NOTHING, "Add one asset key to an object.", BY_DEVICE),
    VERB (object, "drop-asset", "DELETE", OBJECT "/asset/{asset}",  NULL,               NONE,   NOTHING, "Remove one asset key from an object.", BY_DEVICE),
    ACTION_VERBS (object, OBJECT, true, BY_DEVICE),

    VERB (property, "get",    "GET",    PROPERTY,                   NULL,                  NONE,   RECORD,  "Read a property."),
    VERB (property, "list",   "POST",   PROPERTIES "/query",        WRAPPED("properties"), NONE,   TABLE,   "List the properties of a scene.", PAGED(by_start)),
    VERB (property, "query",  "POST",   PROPERTIES "/query",        WRAPPED("properties"), RECORD, TABLE,   "Find properties of a scene by name, parent, asset_sub_id, frame, timestamp.", PAGED(by_start)),
    VERB (property, "create", "POST",   PROPERTIES,                 WRAPPED("properties"), RECORD, KEYS,    "Create properties in a scene, which is created if absent.", ONCE),
    VERB (property, "update", "POST",   PROPERTY,                   WRAPPED("properties"), RECORD, RECORD,  "Update the given members of a property.", ONCE),
    VERB (property, "delete", "DELETE", PROPERTY,                   NULL,                  NONE,   NOTHING, "Delete a property."),
    ACTION_VERBS (property, PROPERTY, false, .takes_device = false),

    VERB (device, "list",   "GET",    "/v1/device",                 NULL,                  NONE,   TABLE,   "List the devices of all scenes, and how the feeds of your own fare.", PAGED(by_start)),
    VERB (device, "query",  "GET",    "/v1/device",                 NULL,                  QUERY,  TABLE,   "Find devices by scene, by state of their feed (active, paused, …), after the place of another.", PAGED(by_start)),

    COMMAND (asset, "upload",   asset_upload_command),
    COMMAND (asset, "download", asset_download_command),
    COMMAND (asset, "thumbnail", asset_thumbnail_command),
    VERB (asset, "restore", "POST",   ASSETS "/{asset}/restore",    BARE,               RECORD, KEYS,    "Make an old version (version=KEY) of an asset the current one again; prints its new key.", .is_once = true),
    VERB (asset, "get",     "GET",    ASSETS "?key={asset}",        NULL,               NONE,   RECORD,  "Show the record of an asset."),
    VERB (asset, "list",    "GET",    ASSETS,                       NULL,               NONE,   TABLE,   "List assets, oldest first.", PAGED(by_offset)),
    VERB (asset, "query",   "GET",    ASSETS,                       NULL,               QUERY,  TABLE,   "Find assets by name, content-type, file-type, asset-type.", PAGED(by_offset)),
    VERB (asset, "find",    "GET",    ASSETS "?after=",             NULL,               QUERY,  TABLE,   "Find assets: q=\"be wo\" name= type= created=FROM..TO sort=-created limit=100 after=.", PAGES("assets")),
    VERB (asset, "count",   "GET",    ASSETS "/count",              NULL,               QUERY,  RECORD,  "Count assets by name, content-type, file-type, asset-type."),
    VERB (asset, "history", "GET",    "/v1/asset-history/{asset}",  NULL,               NONE,   RECORDS, "Show all versions of an asset, newest first; the key may be that of any version."),
    VERB (asset, "delete",  "DELETE", ASSETS "/{asset}",            NULL,               NONE,   NOTHING, "Delete one version of an asset."),

    VERB (use, "list",      "GET",    ASSETS "/{asset}/uses",       NULL,               QUERY,  TABLE,   "List the objects and scenes that name an asset, of those that you may see: limit=50 after=.", PAGES("uses")),

    VERB (relationship, "list",   "GET",    RELATIONSHIPS,          NULL,               NONE,   TABLE,   "List relationships.", PAGED(by_page)),
    VERB (relationship, "query",  "GET",    RELATIONSHIPS,          NULL,               QUERY,  TABLE,   "Find relationships by asset, related, type, subtype.", PAGED(by_page)),
    VERB (relationship, "create", "PUT",    RELATIONSHIPS,          BARE,               RECORD, KEYS,    "Create or update a relationship: assetId, assetSubId, relationshipType, relationshipSubtype, relatedId."),
    VERB (relationship, "delete", "DELETE", RELATIONSHIPS "?type={type}&related={related}&asset={asset}", NULL, NONE, NOTHING, "Delete the relationships of this type between an asset and another record."),

    VERB (project, "get",          "GET",    PROJECT,               NULL,               NONE,   RECORD,  "Read a project."),
    VERB (project, "list",         "GET",    PROJECTS,              NULL,               NONE,   TABLE,   "List projects.", PAGED(by_page)),
    VERB (project, "query",        "GET",    PROJECTS,              NULL,               QUERY,  TABLE,   "Find projects by name, category, tag, description.", PAGED(by_page)),
    VERB (project, "find",         "GET",    PROJECTS "?after=",    NULL,               QUERY,  TABLE,   "Find projects: q=\"be wo\" name= type= tag= sort=-name limit=10 after=.", PAGES("projects")),
    VERB (project, "create",       "POST",   PROJECTS,              BARE,               RECORD, KEYS,    "Create a project.", ONCE),
    VERB (project, "update",       "POST",   PROJECT,               BARE,               RECORD, RECORD,  "Change name, description or category.", ONCE),
    VERB (project, "delete",       "DELETE", PROJECT,               NULL,               NONE,   NOTHING, "Delete a project."),
    VERB (project, "add-tag",      "PUT",    PROJECT "/tags/{tag}", NULL,              NONE,   NOTHING, "Add one tag."),
    VERB (project, "drop-tag",     "DELETE", PROJECT "/tags/{tag}", NULL,              NONE,   NOTHING, "Remove one tag."),
    VERB (project, "add-collection",  "PUT",    PROJECT "/collections/{collection}", NULL, NONE, NOTHING, "Add a collection."),
    VERB (project, "drop-collection", "DELETE", PROJECT "/collections/{collection}", NULL, NONE, NOTHING, "Remove a collection."),
    VERB (project, "add-group",    "POST",   GROUPS,                BARE,               RECORD, NOTHING, "Add a group of scenes: name, description, category.", ONCE),
    VERB (project, "update-group", "POST",   GROUP,                 BARE,               RECORD, NOTHING, "Change a group.", ONCE),
    VERB (project, "drop-group",   "DELETE", GROUP,                 NULL,               NONE,   NOTHING, "Remove a group."),
    VERB (project, "add-scene",    "PUT",    GROUP "/scenes/{scene}", NULL,             NONE,   NOTHING, "Add a scene to a group."),
    VERB (project, "drop-scene",   "DELETE", GROUP "/scenes/{scene}", NULL,             NONE,   NOTHING, "Remove a scene from a group."),

    VERB (collection, "get",    "GET",    COLLECTION,               NULL,               NONE,   RECORD,  "Read a collection."),
    VERB (collection, "list",   "GET",    COLLECTIONS,              NULL,               NONE,   TABLE,   "List collections.", PAGED(by_page)),
    VERB (collection, "query",  "GET",    COLLECTIONS,              NULL,               QUERY,  TABLE,   "Find collections by name, category, tag, description.", PAGED(by_page)),
    VERB (collection, "find",   "GET",    COLLECTIONS "?after=",    NULL,               QUERY,  TABLE,   "Find collections: q=\"be wo\" name= type= tag= sort=-name limit=10 after=.", PAGES("collections")),
    VERB (collection, "create", "POST",   COLLECTIONS,              BARE,               RECORD, KEYS,    "Create a collection.", ONCE),
    VERB (collection, "update", "POST",   COLLECTION,               BARE,               RECORD, RECORD,  "Change name, description, category or tags.", ONCE),
    VERB (collection, "delete", "DELETE", COLLECTION,               NULL,               NONE,   NOTHING, "Delete a collection."),
    VERB (collection, "add-tag",  "PUT",    COLLECTION "/tags/{tag}", NULL,             NONE,   NOTHING, "Add one tag."),
    VERB (collection, "drop-tag", "DELETE", COLLECTION "/tags/{tag}", NULL,             NONE,   NOTHING, "Remove one tag."),

    VERB (user, "get",        "GET",    USER,                       NULL,               NONE,   RECORD,  "Read an account."),
    VERB (user, "list",       "GET",    "/users",                   NULL,               NONE,   TABLE,   "List accounts.", PAGED(by_page)),
    VERB (user, "query",      "GET",    "/users",                   NULL,               QUERY,  TABLE,   "Find an account by username or email."),
    VERB (user, "find",       "GET",    USERS "?after=",            NULL,               QUERY,  TABLE,   "Find accounts: q=be username= sort=-name limit=100 after=.", PAGES("users")),
    VERB (user, "create",     "POST",   USERS "/sign-up",           BARE,               RECORD, KEYS,    "Create an account: username, email, isAdmin; asks for the password.", .password = PASSWORD_REQUIRED),
    VERB (user, "update",     "PUT",    USER,                       BARE,               RECORD, RECORD,  "Change username or email, with --password-file the password; your own needs --file with currentPassword too, unless you are an administrator.", .password = PASSWORD_OPTIONAL),
    VERB (user, "delete",     "DELETE", USER,                       NULL,               NONE,   NOTHING, "Delete an account."),
    VERB (user, "activate",   "PUT",    USER "/active",             NULL,               NONE,   NOTHING, "Allow an account to log in."),
    VERB (user, "deactivate", "DELETE", USER "/active",             NULL,               NONE,   NOTHING, "Revoke all access of an account."),
    VERB (user, "promote",    "PUT",    USER "/admin",              NULL,               NONE,   NOTHING, "Give an account the rights of an administrator."),
    VERB (user, "demote",     "DELETE", USER "/admin",              NULL,               NONE,   NOTHING, "Take the rights of an administrator from an account."),
    VERB (user, "budget",     "GET",    USER "/budget",             NULL,               NONE,   RECORD,  "Show the budgets that were set for an account."),
    VERB (user, "set-budget", "PUT",    USER "/budget",             BARE,               RECORD, RECORD,  "Set the budgets of an account, 0 = no limit: scenes, streams and the like; others are as for everybody."),
    VERB (user, "erase",      "DELETE", USER "/data",               NULL,               NONE,   NOTHING, "Delete an account and everything stored about it; public scenes and items stay without an owner."),
    COMMAND (user, "export",    user_export_command),
    VERB (user, "add-scene",    "PUT",    USER "/scenes/{scene}",     NULL,             NONE,   NOTHING, "Add a favourite scene."),
    VERB (user, "drop-scene",   "DELETE", USER "/scenes/{scene}",     NULL,             NONE,   NOTHING, "Remove a favourite scene."),
    VERB (user, "add-project",  "PUT",    USER "/projects/{project}", NULL,             NONE,   NOTHING, "Add a favourite project."),
    VERB (user, "drop-project", "DELETE", USER "/projects/{project}", NULL,             NONE,   NOTHING, "Remove a favourite project."),

    VERB (session, "get",     "GET",    "/v1/session",              NULL,               NONE,   RECORD,  "Tell who is logged in, and which version the server has."),
    VERB (server, "rotate-tokens",  "POST", "/v1/rotate/tokens",    NULL,               NONE,   RECORD,  "Replace the secret of tokens: all sessions end at once, your own too."),
    VERB (server, "promote",        "POST", "/v1/promote",          NULL,               NONE,   NOTHING, "Make a server that follows another one lead."),
    VERB (server, "rotate-pub-key", "POST", "/v1/rotate/pub-key",   NULL,               NONE,   RECORD,  "Replace PUB's CURVE key; shows the new public key, which subscribers need."),
    VERB (server, "series",   "GET",    "/v1/server/series",        NULL,               QUERY,  RECORD,  "Show what the server did in each of the last seconds: names=events,http_p99 seconds=60."),
    VERB (server, "get",      "GET",    "/v1/server",               NULL,               NONE,   RECORD,  "Show version, places, disk, counts, limits and budgets; to administrators the settings too."),
    COMMAND (backup, "create",  backup_create_command),
    VERB (backup, "list",     "GET",    "/v1/backup",               NULL,               NONE,   TABLE,   "List the backups of a server, newest first."),
    COMMAND (backup, "verify",  backup_verify_command),
    COMMAND (backup, "restore", backup_restore_command),
    COMMAND (backup, "log",     backup_log_command),
    VERB (bulk, "apply",      "POST",   SCENE "/bulk",             BARE,               RECORD, RECORD,  "Change them all, or none: create, update, delete, properties, if, fence.", BY_DEVICE, IN_AXES, ONCE),

    VERB (graph, "get",       "GET",    "/v1/alignment/graph",      NULL,               QUERY,  RECORD,  "Show the scenes around one, where each is, and the links between them: scene=hall hops=3.", IN_AXES),
    VERB (graph, "relate",    "GET",    "/v1/alignment?from={from}&to={to}", NULL,      NONE,   RECORD,  "Show where one scene is in the coordinates of another, and how sure that is.", IN_AXES),

    VERB (search, "find",     "GET",    "/v1/search",               NULL,               QUERY,  TABLE,   "Find everything with a word that begins like this: q=pu limit=20; of a scene the objects too: scene=mill."),

    COMMAND (profile, "add",    profile_add_command),
    COMMAND (profile, "list",   profile_list_command),
    COMMAND (profile, "use",    profile_use_command),
    COMMAND (profile, "remove", profile_remove_command),
};
// clang-format on

const size_t nouns_count = sizeof nouns / sizeof nouns[0];
const size_t verbs_count = sizeof verbs / sizeof verbs[0];

const struct noun *
noun_find(const char *name)
{
    for (size_t i = 0; i < nouns_count; i++)
        if (strcmp(nouns[i]->name, name) == 0)
            return nouns[i];
    return NULL;
}

const struct verb *
verb_find(const struct noun *noun, const char *name)
{
    for (size_t i = 0; i < verbs_count; i++)
        if (verbs[i].noun == noun && strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

size_t
verb_operands(const struct verb *self, const char *ret_names[VERB_OPERANDS_MAX],
              size_t ret_sizes[VERB_OPERANDS_MAX])
{
    size_t count = 0;
    for (const char *brace = strchr(self->path, '{'); brace; brace = strchr(brace + 1, '{')) {
        assert(count < VERB_OPERANDS_MAX);
        ret_names[count] = brace + 1;
        ret_sizes[count++] = strcspn(brace + 1, "}");
    }
    return count;
}
