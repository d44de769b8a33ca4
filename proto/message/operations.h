// operations.h - the table of everything that an actor can be asked. A row: name, actor that does
// it, how it is found, request schema, reply view, msg_type of the answer, access rule, what the
// audit log says of it, sentence. Only the operations of clients are rows that a route may name;
// messages between actors are rows too, so that every message has one dispatch.
#ifndef DIORAMA_PROTO_MESSAGE_OPERATIONS_H
#define DIORAMA_PROTO_MESSAGE_OPERATIONS_H

#include "proto/record/schema.h"

enum actor_kind {
    SCENE_ACTOR,
    ASSET_ACTOR,    // assets, relationships, collections, projects
    USER_ACTOR,     // users, sessions, devices
    SOLVER_ACTOR,   // alignment
    RELATION_ACTOR, // reports of it
    PASSWORD_ACTOR,
    STREAMER_ACTOR,
    COMMITTER_ACTOR,
    LOADER_ACTOR,
    AUDIT_ACTOR, // reads the audit log
    BACKUP_ACTOR,
    ACTOR_KIND_COUNT
};

enum target {
    BY_SCENE,    // the shard that owns the partition of params.scene
    BY_OBJECT,   // the shard named by the generated key params.object
    BY_PROPERTY, // the shard named by params.property where it is generated, else as BY_SCENE
    ALL_SHARDS,  // every shard; the bridge merges the answers by key
    ALL_LISTS,   // the same; the answers are pages of a list, merged in its order
    ALL_KINDS,   // whoever has records of a kind that lists know; the bridge asks them for lists
    ALL_SCENES,  // the shard of each scene, one after another, until the page is full
    ALL_PARTS,   // whoever has what a scene consists of; the bridge asks them one after another
    SINGLE,      // the one actor of its kind (actor_mailbox)
    DIRECT,      // the sender names the mailbox itself
};

// Who may ask for it if auth.enabled; without it everybody may do everything. An *item* has an
// owner and is public or private (access_item.h); a scene and its content are the scene's item. The
// refusal is ERR_FORBIDDEN if the caller may see the item, else ERR_NOT_FOUND.
enum access {
    ACCESS_OPEN = 1, // everybody, logged in or not
    ACCESS_USER,     // every logged-in user
    ACCESS_READ,     // the item: its owner, administrators; if it is public every logged-in user
    ACCESS_CHANGE,   // the item: its owner, administrators
    ACCESS_SHARE,    // the content of a scene: everybody who may read the scene
    ACCESS_DEVICE,   // the same, and the devices that the request names belong to the caller
    ACCESS_LIST,     // every logged-in user; the answer leaves out what they may not read
    ACCESS_SELF,     // the user params.user itself, administrators
    ACCESS_ADMIN,    // administrators
    ACCESS_OPERATOR, // the same; without auth.enabled callers on this machine
    ACCESS_INTERNAL, // between actors only
};

// What the audit log says of an operation that was done (actors/audit). The macros of the table
// name the kind of thing that it is done to, and the member of params that names the thing; where a
// request does not name it, the answer does.
enum audit_kind {
    AUDIT_NONE,     // UNAUDITED: it changes nothing, or no client can ask for it
    AUDIT_MINUTE,   // BY_MINUTE: one line a user, scene, operation and minute
                    // BY_CREATION: the same, but one line each where it makes the thing
    AUDIT_EACH,     // AUDITED: one line each
    AUDIT_SECURITY, // SECURITY: the same, and one line of the log of events
};

struct audit_rule {
    enum audit_kind kind;
    const char *noun; // "scene"
    unsigned subject; // id of a member of params
    bool may_create;  // it makes the thing where there is none
};

// clang-format off
#define OPERATIONS(X)                                                                                                              \
    X(SCENE_PUT,        SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        0, ACCESS_CHANGE, BY_CREATION("scene", SCENE),  "Create a scene with this key, or update the fields sent.")      \
    X(SCENE_CREATE,     SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        0, ACCESS_USER,   AUDITED("scene", SCENE),      "Create a scene; its key is generated if absent.")                \
    X(SCENE_UPDATE,     SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        1, ACCESS_CHANGE, BY_MINUTE("scene", SCENE),    "Update the fields sent; the state of its objects is streamed.") \
    X(SCENE_GET,        SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_full,       2, ACCESS_READ,   UNAUDITED,                    "Read a scene and its devices.")                                  \
    X(SCENE_LAYOUT,     SCENE_ACTOR,     ALL_PARTS,  NULL,                NULL,                   2, ACCESS_READ,   UNAUDITED,                    "Read a scene with its objects and the files that they show.")    \
    X(SCENE_DELETE,     SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        3, ACCESS_CHANGE, AUDITED("scene", SCENE),      "Delete a scene and everything in it.")                           \
    X(SCENE_QUERY,      SCENE_ACTOR,     ALL_SHARDS, &scene_schema,       &scene_view_found,      2, ACCESS_LIST,   UNAUDITED,                    "Find scenes by their fields; several filters are a union.")      \
    X(SCENE_LIST,       SCENE_ACTOR,     ALL_LISTS,  &scene_schema,       &scene_view_listed,     2, ACCESS_LIST,   UNAUDITED,                    "List scenes in pages: filtered, in any order.")                  \
    X(ASSET_USES,       SCENE_ACTOR,     ALL_LISTS,  NULL,                &asset_use_view_full,   0, ACCESS_LIST,   UNAUDITED,                    "List the objects and scenes that name an asset, of those that one may see.") \
    X(SEARCH,           SCENE_ACTOR,     ALL_KINDS,  NULL,                &search_hit_view_full,  0, ACCESS_LIST,   UNAUDITED,                    "Find scenes, assets, projects, collections, users (administrators) and, of one scene, objects by words that begin like this.") \
    X(SCENE_WATCH,      SCENE_ACTOR,     BY_SCENE,   NULL,                NULL,                   0, ACCESS_SHARE,  UNAUDITED,                    "Stream the state of a scene, then every change.")                \
    X(SCENE_ADD_ASSET,  SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        1, ACCESS_CHANGE, BY_MINUTE("scene", SCENE),    "Add one asset key to a scene.")                                  \
    X(SCENE_DROP_ASSET, SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        1, ACCESS_CHANGE, BY_MINUTE("scene", SCENE),    "Remove one asset key from a scene.")                             \
    X(REGISTER,         SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 4, ACCESS_DEVICE, BY_MINUTE("scene", SCENE),    "Register devices to a scene, which is created if absent.")       \
    X(DEREGISTER,       SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 5, ACCESS_DEVICE, BY_MINUTE("scene", SCENE),    "Deregister devices; their locks end.")                           \
    X(DEVICE_DELETE,    SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_registered, 5, ACCESS_DEVICE, BY_MINUTE("device", DEVICE),  "Deregister one device; its locks end.")                          \
    X(DEVICE_LIST,      SCENE_ACTOR,     ALL_SHARDS, &device_report_schema, &device_report_view_full, 0, ACCESS_LIST, UNAUDITED,                   "List the devices of all scenes, and how the feeds of one's own fare; administrators see those of all.") \
    X(ALIGN,            SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 6, ACCESS_DEVICE, BY_MINUTE("scene", SCENE),    "Correct the transform of registered devices.")                   \
    X(SCENE_BULK,       SCENE_ACTOR,     BY_SCENE,   &bulk_schema,        &bulk_result_view_full, 0, ACCESS_SHARE,  BY_MINUTE("scene", SCENE),    "Create, update and delete objects and properties of a scene in one commit: all of it, or nothing.") \
    X(OBJECT_CREATE,    SCENE_ACTOR,     BY_SCENE,   &object_edit_schema, &object_view_created,   0, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Create objects in a scene, which is created if absent.")         \
    X(OBJECT_UPDATE,    SCENE_ACTOR,     BY_OBJECT,  &object_edit_schema, &object_view_full,      1, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Update the members sent.")                                       \
    X(OBJECT_GET,       SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_placed,    2, ACCESS_SHARE,  UNAUDITED,                    "Read an object.")                                                \
    X(OBJECT_DELETE,    SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      3, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Delete an object.")                                              \
    X(OBJECT_QUERY,     SCENE_ACTOR,     BY_SCENE,   &object_edit_schema, &object_view_full,      4, ACCESS_SHARE,  UNAUDITED,                    "Find objects of a scene; an empty filter finds all.")            \
    X(OBJECT_LIST,      SCENE_ACTOR,     BY_SCENE,   &object_edit_schema, &object_view_listed,    4, ACCESS_SHARE,  UNAUDITED,                    "List objects of a scene in pages: filtered, in any order.")      \
    X(OBJECTS_LIST,     SCENE_ACTOR,     ALL_SCENES, &object_edit_schema, &object_view_listed,    4, ACCESS_LIST,   UNAUDITED,                    "List the objects of all scenes that one may see, scene after scene.") \
    X(OBJECT_LOCK,      SCENE_ACTOR,     BY_OBJECT,  &lock_wish_schema,                &object_view_full,      5, ACCESS_DEVICE, BY_MINUTE("object", OBJECT),  "Lock an object for one device.")                                 \
    X(OBJECT_UNLOCK,    SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      6, ACCESS_DEVICE, BY_MINUTE("object", OBJECT),  "Release the lock of an object.")                                 \
    X(OBJECT_ASK,       SCENE_ACTOR,     BY_OBJECT,  &lock_ask_wish_schema, &object_view_full,   7, ACCESS_DEVICE, UNAUDITED,                    "Ask whoever holds the lock of an object for it; they hear it at most once a second.") \
    X(OBJECT_ADD_ASSET, SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      1, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Add one asset key to an object.")                                \
    X(OBJECT_DROP_ASSET,SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      1, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Remove one asset key from an object.")                           \
    X(PROPERTY_CREATE,  SCENE_ACTOR,     BY_SCENE,   &property_edit_schema, &property_view_created, 8, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Create properties in a scene, which is created if absent.")    \
    X(PROPERTY_UPDATE,  SCENE_ACTOR,     BY_PROPERTY,&property_edit_schema, &property_view_full,    9, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Update the members sent.")                                     \
    X(PROPERTY_GET,     SCENE_ACTOR,     BY_PROPERTY,NULL,                  &property_view_full,   10, ACCESS_SHARE,  UNAUDITED,                    "Read a property.")                                             \
    X(PROPERTY_DELETE,  SCENE_ACTOR,     BY_PROPERTY,NULL,                  &property_view_full,   11, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Delete a property.")                                           \
    X(PROPERTY_QUERY,   SCENE_ACTOR,     BY_SCENE,   &property_edit_schema, &property_view_full,   10, ACCESS_SHARE,  UNAUDITED,                    "Find properties of a scene; an empty filter finds all.")       \
    X(OBJECT_ACTION_PUT,         SCENE_ACTOR, BY_OBJECT,   &object_action_edit_schema,     &object_view_full,   19, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Create an action of an object, or replace the one of the same name.") \
    X(OBJECT_ACTION_UPDATE,      SCENE_ACTOR, BY_OBJECT,   &object_action_edit_schema,     &object_view_full,   20, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Update the members sent of an action of an object.") \
    X(OBJECT_ACTION_DROP,        SCENE_ACTOR, BY_OBJECT,   NULL,                           &object_view_full,   22, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Remove an action of an object.") \
    X(OBJECT_KEYFRAME_PUT,       SCENE_ACTOR, BY_OBJECT,   &object_keyframe_edit_schema,   &object_view_full,   15, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Create a keyframe of an object's action, or replace the one at the same frame.") \
    X(OBJECT_KEYFRAME_UPDATE,    SCENE_ACTOR, BY_OBJECT,   &object_keyframe_edit_schema,   &object_view_full,   16, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Update the members sent of a keyframe of an object's action.") \
    X(OBJECT_KEYFRAME_DROP,      SCENE_ACTOR, BY_OBJECT,   NULL,                           &object_view_full,   18, ACCESS_SHARE,  BY_MINUTE("object", OBJECT),  "Remove a keyframe of an object's action.") \
    X(PROPERTY_ACTION_PUT,       SCENE_ACTOR, BY_PROPERTY, &property_action_schema,        &property_view_full, 27, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Create an action of a property, or replace the one of the same name.") \
    X(PROPERTY_ACTION_UPDATE,    SCENE_ACTOR, BY_PROPERTY, &property_action_schema,        &property_view_full, 28, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Update the members sent of an action of a property.") \
    X(PROPERTY_ACTION_DROP,      SCENE_ACTOR, BY_PROPERTY, NULL,                           &property_view_full, 30, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Remove an action of a property.") \
    X(PROPERTY_KEYFRAME_PUT,     SCENE_ACTOR, BY_PROPERTY, &property_keyframe_schema,      &property_view_full, 23, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Create a keyframe of a property's action, or replace the one at the same frame.") \
    X(PROPERTY_KEYFRAME_UPDATE,  SCENE_ACTOR, BY_PROPERTY, &property_keyframe_schema,      &property_view_full, 24, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Update the members sent of a keyframe of a property's action.") \
    X(PROPERTY_KEYFRAME_DROP,    SCENE_ACTOR, BY_PROPERTY, NULL,                           &property_view_full, 26, ACCESS_SHARE,  BY_MINUTE("property", PROPERTY),"Remove a keyframe of a property's action.") \
    X(ALIGNMENT_GET,    SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_alignment_view_full, 0, ACCESS_SHARE,  UNAUDITED,                    "Read the relations of a scene to others, and the corrections that they rest on.") \
    X(ALIGNMENT_PIN,    SCENE_ACTOR,     BY_SCENE,   NULL,                &correction_view_full,  0, ACCESS_ADMIN,  AUDITED("evidence", EVIDENCE),"Pin a correction, so that it is never rejected; `operation` 11 removes the pin.") \
    X(ALIGNMENT_REMOVE, SCENE_ACTOR,     BY_SCENE,   NULL,                &correction_view_full,  0, ACCESS_ADMIN,  AUDITED("evidence", EVIDENCE),"Remove a correction.")                                           \
    X(ALIGNMENT_RELATE, RELATION_ACTOR,  SINGLE,     NULL,                &relation_view_full,    0, ACCESS_SHARE,  UNAUDITED,                    "Read the relation of one scene to another, and its uncertainty.") \
    X(ALIGNMENT_GRAPH,  RELATION_ACTOR,  SINGLE,     NULL,                &graph_view_full,       0, ACCESS_SHARE,  UNAUDITED,                    "Read which scenes are around one by links, where each is, and all links between them.") \
    X(PROJECT_CREATE,   ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_USER,   AUDITED("project", PROJECT),  "Create a project.")                                              \
    X(PROJECT_GET,      ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_READ,   UNAUDITED,                    "Read a project.")                                                \
    X(PROJECT_UPDATE,   ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Change name, description, category and the like.")               \
    X(PROJECT_DELETE,   ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, AUDITED("project", PROJECT),  "Delete a project; its scenes and collections stay.")             \
    X(PROJECT_LIST,     ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_LIST,   UNAUDITED,                    "List projects.")                                                 \
    X(PROJECT_ADD_TAG,  ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Add a tag to a project.")                                        \
    X(PROJECT_DROP_TAG, ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Remove a tag from a project.")                                   \
    X(PROJECT_ADD_COLLECTION,  ASSET_ACTOR, SINGLE,  NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Add an asset collection to a project.")                          \
    X(PROJECT_DROP_COLLECTION, ASSET_ACTOR, SINGLE,  NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Remove an asset collection from a project.")                     \
    X(COLLECTION_CREATE, ASSET_ACTOR,    SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_USER,   AUDITED("collection", COLLECTION),"Create an asset collection.")                                    \
    X(COLLECTION_GET,   ASSET_ACTOR,     SINGLE,     NULL,                &collection_view_full,  0, ACCESS_READ,   UNAUDITED,                    "Read an asset collection.")                                      \
    X(COLLECTION_UPDATE, ASSET_ACTOR,    SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_CHANGE, BY_MINUTE("collection", COLLECTION),"Change an asset collection.")                                    \
    X(COLLECTION_DELETE, ASSET_ACTOR,    SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, AUDITED("collection", COLLECTION),"Delete an asset collection; its assets stay.")                   \
    X(COLLECTION_LIST,  ASSET_ACTOR,     SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_LIST,   UNAUDITED,                    "List asset collections.")                                        \
    X(COLLECTION_BULK,  ASSET_ACTOR,     SINGLE,     &ids_schema,         &collection_view_full,  0, ACCESS_LIST,   UNAUDITED,                    "Read the asset collections with these ids.")                     \
    X(COLLECTION_ADD_TAG, ASSET_ACTOR,   SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, BY_MINUTE("collection", COLLECTION),"Add a tag to an asset collection.")                              \
    X(COLLECTION_DROP_TAG, ASSET_ACTOR,  SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, BY_MINUTE("collection", COLLECTION),"Remove a tag from an asset collection.")                         \
    X(GROUP_CREATE,     ASSET_ACTOR,     SINGLE,     &scene_group_schema, &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Add a group of scenes to a project.")                            \
    X(GROUP_UPDATE,     ASSET_ACTOR,     SINGLE,     &scene_group_schema, &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Change a group of a project, its name too.")                     \
    X(GROUP_DELETE,     ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Remove a group from a project; its scenes stay.")                \
    X(GROUP_ADD_SCENE,  ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Add a scene to a group of a project.")                           \
    X(GROUP_DROP_SCENE, ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, BY_MINUTE("project", PROJECT),"Remove a scene from a group of a project.")                      \
    X(RELATIONSHIP_PUT, ASSET_ACTOR,     SINGLE,     &relationship_schema, &relationship_view_full, 0, ACCESS_CHANGE, BY_MINUTE("relationship", ASSET),"Relate an asset to a record, or change the relationship.")    \
    X(RELATIONSHIP_LIST, ASSET_ACTOR,    SINGLE,     NULL,                &relationship_view_full, 0, ACCESS_LIST,   UNAUDITED,                    "Find relationships by their ends, type and subtype.")           \
    X(RELATIONSHIP_DELETE, ASSET_ACTOR,  SINGLE,     NULL,                &relationship_view_full, 0, ACCESS_CHANGE, BY_MINUTE("relationship", ASSET),"Delete the relationships of an asset to a record.")            \
    X(RELATIONSHIP_BULK, ASSET_ACTOR,    SINGLE,     &relation_ids_schema, &relationship_view_full, 0, ACCESS_LIST,   UNAUDITED,                    "Find the relationships of these assets, or to these records.")  \
    X(ASSET_CREATE,     ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_USER,   AUDITED("asset", ASSET),      "Upload a file as an asset.")                                     \
    X(ASSET_UPDATE,     ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_CHANGE, AUDITED("asset", ASSET),      "Upload a new version of an asset; it has a new key, and all relationships move to it.") \
    X(ASSET_RESTORE,    ASSET_ACTOR,     SINGLE,     &restoration_schema, &asset_view_full,       0, ACCESS_CHANGE, AUDITED("asset", ASSET),      "Make an old version of an asset the current one again, as a new version; all relationships move to it.") \
    X(THUMBNAIL_PUT,    ASSET_ACTOR,     SINGLE,     &thumbnail_schema,   &asset_view_full,       0, ACCESS_CHANGE, BY_MINUTE("asset", ASSET),    "Set the thumbnail of an asset: a PNG or WebP image of at most 64 KiB.") \
    X(THUMBNAIL_GET,    ASSET_ACTOR,     SINGLE,     NULL,                &asset_view_full,       0, ACCESS_READ,   UNAUDITED,                    "Read the thumbnail of an asset.")                                \
    X(ASSET_GET,        ASSET_ACTOR,     SINGLE,     NULL,                &asset_view_full,       0, ACCESS_READ,   UNAUDITED,                    "Read the bytes of an asset.")                                    \
    X(ASSET_DELETE,     ASSET_ACTOR,     SINGLE,     NULL,                &asset_view_full,       0, ACCESS_CHANGE, AUDITED("asset", ASSET),      "Delete one version of an asset and its relationships.")          \
    X(ASSET_LIST,       ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_LIST,   UNAUDITED,                    "Find assets, oldest first.")                                     \
    X(ASSET_COUNT,      ASSET_ACTOR,     SINGLE,     &asset_schema,       &count_view_full,       0, ACCESS_LIST,   UNAUDITED,                    "Count the assets that a listing would find.")                    \
    X(ASSET_BULK,       ASSET_ACTOR,     SINGLE,     &ids_schema,         &asset_view_full,       0, ACCESS_LIST,   UNAUDITED,                    "Read the records of the assets with these keys.")                \
    X(HISTORY_GET,      ASSET_ACTOR,     SINGLE,     NULL,                &history_view_full,     0, ACCESS_READ,   UNAUDITED,                    "Read all versions of an asset, by the key of any version.")      \
    X(RELATED_GONE,     ASSET_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "End the relationships to what was deleted.") \
    X(EXPEL,            SCENE_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Deregister the devices of a user.")            \
    X(ERASE_SCENES,     SCENE_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Forget a user in scenes.")                     \
    X(ERASE_LIBRARY,    ASSET_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Forget a user in the library.")                \
    X(DEVICES_RELEASE,  USER_ACTOR,      DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Give up the device keys of a user who is gone.")         \
    X(LOCKS_RELEASE,    SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "End locks of devices that left a scene.")                \
    X(LEASES_BEGIN,     SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The server is ready: leases run from now on.")                \
    X(LEASES_END,       SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "End locks whose time has come.")                \
    X(ENTITIES_DROP,    SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Free the entities of a scene that left memory.")         \
    X(REMAINS_DROP,     SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "End the registrations and corrections of a deleted scene.") \
    X(RESTREAM,         SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Stream the objects of a scene that was updated.")        \
    X(CASCADE,          SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Tell of the objects of a scene that was deleted.")        \
    X(LOCATE,           SCENE_ACTOR,     DIRECT,     &ids_schema,    NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Where these keys live, and whether the caller may read it.") \
    X(GREETING,         ASSET_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "A scene actor is there: it can be asked by name now.")  \
    X(EVIDENCE,         SOLVER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Corrections that came or went.")                        \
    X(RELATIONS_REPORT, RELATION_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "How a scene relates to others, and its corrections.")   \
    X(RELATIONS_REPORTED, SCENE_ACTOR,   DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The same, written into the request that waits.")        \
    X(ALIGNMENT_MOVED,  SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Scenes whose links moved.")                             \
    X(DATAGRAMS,        SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Updates that came by UDP, in order of arrival.")        \
    X(COMMIT,           COMMITTER_ACTOR, DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Write a sealed batch.")                                 \
    X(COMMITTED,        SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The sealed batch is durable, or failed.")               \
    X(RECALL,           COMMITTER_ACTOR, DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Read a kept answer.")                                   \
    X(RECALLED,         SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The answer, or why not.")                               \
    X(REPEAT_CLAIM,     SCENE_ACTOR,     BY_SCENE,   NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Keep the print of a request that goes to several scenes.") \
    X(REPEAT_DONE,      SCENE_ACTOR,     BY_SCENE,   NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Keep that all its scenes are made.")                    \
    X(REPEAT_RELEASE,   SCENE_ACTOR,     BY_SCENE,   NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Forget it: nothing was written.")                       \
    X(LOAD,             LOADER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Read a slice of a family.")                             \
    X(LOADED,           SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The slice, or why not.")                                \
    X(COPY_NEED,        SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "What the leader has committed will be stored: have in memory what it changes.") \
    X(COPY_APPLY,       SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "It is stored: show it.")                                \
    X(READ_PAGE,        LOADER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Read a page of records.")                               \
    X(PAGE_READ,        ASSET_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The page, or why not.")                                 \
    X(READ_LIST,        LOADER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Read what a list asks for.")                            \
    X(LIST_READ,        ASSET_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The list, or why not.")                                 \
    X(EVENTS,           STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Changes in their order, to be streamed.")               \
    X(FEED_CONTROL,     STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "What devices say about their feeds by UDP.")            \
    X(FEED_REPORT,      STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "How the feeds of devices fare.")                        \
    X(FEED_REPORTED,    SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The same, beside the request that waits.")              \
    X(UNREACHABLE,      STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Nobody is where these datagrams went.")                 \
    X(CATALOGUE_WATCH,  STREAMER_ACTOR,  SINGLE,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Stream which scenes, assets and so on are created, changed and deleted.") \
    X(CATALOGUE_TELL,   STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Changes of what stands beside scenes, for the catalogue; it comes back.") \
    X(PING,             SCENE_ACTOR,     ALL_SHARDS, NULL, NULL, 0, ACCESS_OPEN,   UNAUDITED,                    "Answer when everything before it was done; readiness.") \
    X(SIGN_UP,          USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Create a user.")                                                 \
    X(USER_FIND,        USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_USER,   UNAUDITED,                    "Find a user by username or e-mail; administrators: list users.") \
    X(USER_GET,         USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   UNAUDITED,                    "Read a user.")                                                   \
    X(USER_UPDATE,      USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_SELF,   SECURITY("user", USER),       "Change username, password or e-mail; a new password ends all sessions.") \
    X(USER_DELETE,      USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   SECURITY("user", USER),       "Delete a user; their items belong to the administrators then.")  \
    X(USER_ADD_PROJECT, USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   BY_MINUTE("user", USER),      "Add a project to a user's favourites.")                          \
    X(USER_DROP_PROJECT,USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   BY_MINUTE("user", USER),      "Remove a project from a user's favourites.")                     \
    X(USER_ADD_SCENE,   USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   BY_MINUTE("user", USER),      "Add a scene to a user's favourites.")                            \
    X(USER_DROP_SCENE,  USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   BY_MINUTE("user", USER),      "Remove a scene from a user's favourites.")                       \
    X(USER_BUDGET_GET,  USER_ACTOR,      SINGLE,     NULL,                &user_budget_view_full, 0, ACCESS_SELF,   UNAUDITED,                    "Read the budgets that were set for one user; others are as in `GET /v1/server`.") \
    X(USER_BUDGET_PUT,  USER_ACTOR,      SINGLE,     &user_budget_schema, &user_budget_view_full, 0, ACCESS_ADMIN,  SECURITY("user", USER),       "Set the budgets of one user, 0 = no limit; those that are absent are as for everybody.") \
    X(USER_ERASE,       USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Delete a user and everything stored about them: private items go, public ones have no owner then.") \
    X(USER_EXPORT,      USER_ACTOR,      SINGLE,     &export_item_schema, &export_item_view_full, 0, ACCESS_SELF,   SECURITY("user", USER),       "What is stored about a user: account, limits, device keys, sessions.") \
    X(SCENE_EXPORT,     SCENE_ACTOR,     ALL_SHARDS, &export_item_schema, &export_item_view_full, 0, ACCESS_SELF,   UNAUDITED,                    "What is stored about a user in scenes: those they own, and their registrations and corrections in any.") \
    X(LIBRARY_EXPORT,   ASSET_ACTOR,     SINGLE,     &export_item_schema, &export_item_view_full, 0, ACCESS_SELF,   UNAUDITED,                    "What is stored about a user in the library: their assets, collections, projects and relationships.") \
    X(AUDIT_EXPORT,     AUDIT_ACTOR,     SINGLE,     &audit_line_schema,  &audit_line_view_full,  0, ACCESS_SELF,   UNAUDITED,                    "What the audit log says of a user: what they did, and what was done to their account.") \
    X(USER_PROMOTE,     USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Make a user an administrator.")                                  \
    X(USER_DEMOTE,      USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Make an administrator an ordinary user; their sessions end.")    \
    X(USER_ACTIVATE,    USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Let a user log in.")                                             \
    X(USER_DEACTIVATE,  USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  SECURITY("user", USER),       "Deactivate a user; their sessions end.")                         \
    X(LOGIN,            USER_ACTOR,      SINGLE,     &user_schema,        NULL,                   0, ACCESS_OPEN,   SECURITY("user", USER),       "Begin a session with username and password.")                    \
    X(SESSION_GET,      USER_ACTOR,      SINGLE,     NULL,                &session_report_view_full, 0, ACCESS_OPEN, UNAUDITED,                   "Tell who the caller is to the server, strangers too.")           \
    X(LOGOUT,           USER_ACTOR,      SINGLE,     NULL,                NULL,                   0, ACCESS_USER,   SECURITY("user", USER),       "End the session of the request.")                                \
    X(TOKENS_ROTATE,    USER_ACTOR,      SINGLE,     NULL,                &rotation_view_full,    0, ACCESS_ADMIN,  SECURITY("tokens", USER),     "Replace the secret of tokens: all sessions end at once, everybody logs in again.") \
    X(PUB_KEY_ROTATE,   STREAMER_ACTOR,  SINGLE,     NULL,                &rotation_view_full,    0, ACCESS_ADMIN,  SECURITY("pub-key", USER),    "Replace PUB's CURVE key: all subscribers reconnect with the new public key.") \
    X(AUDIT_LIST,       AUDIT_ACTOR,     SINGLE,     &audit_line_schema,  &audit_line_view_full,  0, ACCESS_ADMIN,  UNAUDITED,                    "Read the audit log, oldest lines first.")                        \
    X(BACKUP_CREATE,    BACKUP_ACTOR,    SINGLE,     NULL,                &backup_view_full,      0, ACCESS_OPERATOR, SECURITY("backup", USER),   "Begin a backup of the server; its state is `running`.")          \
    X(BACKUP_LIST,      BACKUP_ACTOR,    SINGLE,     NULL,                &backup_view_full,      0, ACCESS_OPERATOR, UNAUDITED,                  "List the backups, newest first, with the one that is being made or failed last before them.") \
    X(PROMOTE,          BACKUP_ACTOR,    SINGLE,     NULL,                NULL,                   0, ACCESS_OPERATOR, SECURITY("server", USER),   "Make a server that follows another one lead: it takes changes from then on.") \
    X(DEVICE_CLAIM,     USER_ACTOR,      SINGLE,     &claim_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Give device keys to the user who registers them first; refuse others'.") \
    X(DEVICE_CHECK,     USER_ACTOR,      SINGLE,     &claim_schema, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Refuse device keys that belong to other users.")           \
    X(PASSWORD_WORK,    PASSWORD_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Hash a password, or compare it with a hash.")           \
    X(PASSWORD_DONE,    USER_ACTOR,      DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "The hash, or whether the password was right.")          \
    X(STOP,             SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, UNAUDITED,                    "Finish what was begun, then end.")
// clang-format on

enum operation {
#define X(name, actor, target, request, reply, msg_type, access, audit, sentence) name,
    OPERATIONS(X)
#undef X
        OPERATION_COUNT
};

struct operation_row {
    const char *name;
    enum actor_kind actor;
    enum target target;
    const struct schema *request; // of the records that it takes, or NULL
    const struct view *reply;     // of the records that it answers
    int msg_type;
    enum access access;
    struct audit_rule audit;
    const char *sentence;
};

// The mailbox of the one actor of a kind: "asset", "user"; NULL for kinds that have several.
const char *actor_mailbox(enum actor_kind kind);

extern const struct operation_row operation_rows[OPERATION_COUNT];

// Whether it changes what is stored, or asks somebody who may: a follower refuses it.
bool operation_is_for_leader(enum operation operation);

#endif
