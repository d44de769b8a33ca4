// operations.h - the table of everything that an actor can be asked. A row: name, actor that does
// it, how it is found, request schema, reply view, msg_type of the answer, access rule, sentence.
// Only the operations of clients are rows that a route may name; messages between actors are rows
// too, so that every message has one dispatch.
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
    ACTOR_KIND_COUNT
};

enum target {
    BY_SCENE,    // the shard that owns the partition of params.scene
    BY_OBJECT,   // the shard named by the generated key params.object
    BY_PROPERTY, // the shard named by params.property where it is generated, else as BY_SCENE
    ALL_SHARDS,  // every shard; the bridge merges the answers by key
    SINGLE,      // the one actor of its kind (actor_mailbox)
    DIRECT,      // the sender names the mailbox itself
};

// Who may ask for it if auth.enabled; without it everybody may do everything. An *item* has an
// owner and is public or private (access.h); a scene and its content are the scene's item. The
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
    ACCESS_INTERNAL, // between actors only
};

// clang-format off
#define OPERATIONS(X)                                                                                                              \
    X(SCENE_PUT,        SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        0, ACCESS_CHANGE, "Create a scene with this key, or update the fields sent.")      \
    X(SCENE_CREATE,     SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        0, ACCESS_USER,   "Create a scene; its key is generated if absent.")                \
    X(SCENE_UPDATE,     SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_key,        1, ACCESS_CHANGE, "Update the fields sent; the state of its objects is streamed.") \
    X(SCENE_GET,        SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_full,       2, ACCESS_READ,   "Read a scene and its devices.")                                  \
    X(SCENE_DELETE,     SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        3, ACCESS_CHANGE, "Delete a scene and everything in it.")                           \
    X(SCENE_QUERY,      SCENE_ACTOR,     ALL_SHARDS, &scene_schema,       &scene_view_found,      2, ACCESS_LIST,   "Find scenes by their fields; several filters are a union.")      \
    X(SCENE_WATCH,      SCENE_ACTOR,     BY_SCENE,   NULL,                NULL,                   0, ACCESS_SHARE,  "Stream the state of a scene, then every change.")                \
    X(SCENE_ADD_ASSET,  SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        1, ACCESS_CHANGE, "Add one asset key to a scene.")                                  \
    X(SCENE_DROP_ASSET, SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_view_key,        1, ACCESS_CHANGE, "Remove one asset key from a scene.")                             \
    X(REGISTER,         SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 4, ACCESS_DEVICE, "Register devices to a scene, which is created if absent.")       \
    X(DEREGISTER,       SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 5, ACCESS_DEVICE, "Deregister devices; their locks end.")                           \
    X(ALIGN,            SCENE_ACTOR,     BY_SCENE,   &scene_schema,       &scene_view_registered, 6, ACCESS_DEVICE, "Correct the transform of registered devices.")                   \
    X(OBJECT_CREATE,    SCENE_ACTOR,     BY_SCENE,   &object_edit_schema, &object_view_created,   0, ACCESS_SHARE,  "Create objects in a scene, which is created if absent.")         \
    X(OBJECT_UPDATE,    SCENE_ACTOR,     BY_OBJECT,  &object_edit_schema, &object_view_full,      1, ACCESS_SHARE,  "Update the members sent.")                                       \
    X(OBJECT_GET,       SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      2, ACCESS_SHARE,  "Read an object.")                                                \
    X(OBJECT_DELETE,    SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      3, ACCESS_SHARE,  "Delete an object.")                                              \
    X(OBJECT_QUERY,     SCENE_ACTOR,     BY_SCENE,   &object_edit_schema, &object_view_full,      4, ACCESS_SHARE,  "Find objects of a scene; an empty filter finds all.")            \
    X(OBJECT_LOCK,      SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      5, ACCESS_DEVICE, "Lock an object for one device.")                                 \
    X(OBJECT_UNLOCK,    SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      6, ACCESS_DEVICE, "Release the lock of an object.")                                 \
    X(OBJECT_ADD_ASSET, SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      1, ACCESS_SHARE,  "Add one asset key to an object.")                                \
    X(OBJECT_DROP_ASSET,SCENE_ACTOR,     BY_OBJECT,  NULL,                &object_view_full,      1, ACCESS_SHARE,  "Remove one asset key from an object.")                           \
    X(PROPERTY_CREATE,  SCENE_ACTOR,     BY_SCENE,   &property_edit_schema, &property_view_created, 8, ACCESS_SHARE,  "Create properties in a scene, which is created if absent.")    \
    X(PROPERTY_UPDATE,  SCENE_ACTOR,     BY_PROPERTY,&property_edit_schema, &property_view_full,    9, ACCESS_SHARE,  "Update the members sent.")                                     \
    X(PROPERTY_GET,     SCENE_ACTOR,     BY_PROPERTY,NULL,                  &property_view_full,   10, ACCESS_SHARE,  "Read a property.")                                             \
    X(PROPERTY_DELETE,  SCENE_ACTOR,     BY_PROPERTY,NULL,                  &property_view_full,   11, ACCESS_SHARE,  "Delete a property.")                                           \
    X(PROPERTY_QUERY,   SCENE_ACTOR,     BY_SCENE,   &property_edit_schema, &property_view_full,   10, ACCESS_SHARE,  "Find properties of a scene; an empty filter finds all.")       \
    X(OBJECT_ACTION_PUT,         SCENE_ACTOR, BY_OBJECT,   &object_action_edit_schema,     &object_view_full,   19, ACCESS_SHARE, "Create an action of an object, or replace the one of the same name.") \
    X(OBJECT_ACTION_UPDATE,      SCENE_ACTOR, BY_OBJECT,   &object_action_edit_schema,     &object_view_full,   20, ACCESS_SHARE, "Update the members sent of an action of an object.") \
    X(OBJECT_ACTION_DROP,        SCENE_ACTOR, BY_OBJECT,   NULL,                           &object_view_full,   22, ACCESS_SHARE, "Remove an action of an object.") \
    X(OBJECT_KEYFRAME_PUT,       SCENE_ACTOR, BY_OBJECT,   &object_keyframe_edit_schema,   &object_view_full,   15, ACCESS_SHARE, "Create a keyframe of an object's action, or replace the one at the same frame.") \
    X(OBJECT_KEYFRAME_UPDATE,    SCENE_ACTOR, BY_OBJECT,   &object_keyframe_edit_schema,   &object_view_full,   16, ACCESS_SHARE, "Update the members sent of a keyframe of an object's action.") \
    X(OBJECT_KEYFRAME_DROP,      SCENE_ACTOR, BY_OBJECT,   NULL,                           &object_view_full,   18, ACCESS_SHARE, "Remove a keyframe of an object's action.") \
    X(PROPERTY_ACTION_PUT,       SCENE_ACTOR, BY_PROPERTY, &property_action_schema,        &property_view_full, 27, ACCESS_SHARE, "Create an action of a property, or replace the one of the same name.") \
    X(PROPERTY_ACTION_UPDATE,    SCENE_ACTOR, BY_PROPERTY, &property_action_schema,        &property_view_full, 28, ACCESS_SHARE, "Update the members sent of an action of a property.") \
    X(PROPERTY_ACTION_DROP,      SCENE_ACTOR, BY_PROPERTY, NULL,                           &property_view_full, 30, ACCESS_SHARE, "Remove an action of a property.") \
    X(PROPERTY_KEYFRAME_PUT,     SCENE_ACTOR, BY_PROPERTY, &property_keyframe_schema,      &property_view_full, 23, ACCESS_SHARE, "Create a keyframe of a property's action, or replace the one at the same frame.") \
    X(PROPERTY_KEYFRAME_UPDATE,  SCENE_ACTOR, BY_PROPERTY, &property_keyframe_schema,      &property_view_full, 24, ACCESS_SHARE, "Update the members sent of a keyframe of a property's action.") \
    X(PROPERTY_KEYFRAME_DROP,    SCENE_ACTOR, BY_PROPERTY, NULL,                           &property_view_full, 26, ACCESS_SHARE, "Remove a keyframe of a property's action.") \
    X(ALIGNMENT_GET,    SCENE_ACTOR,     BY_SCENE,   NULL,                &scene_alignment_view_full, 0, ACCESS_SHARE, "Read the relations of a scene to others, and the corrections that they rest on.") \
    X(ALIGNMENT_PIN,    SCENE_ACTOR,     BY_SCENE,   NULL,                &correction_view_full,  0, ACCESS_ADMIN,  "Pin a correction, so that it is never rejected; `operation` 11 removes the pin.") \
    X(ALIGNMENT_REMOVE, SCENE_ACTOR,     BY_SCENE,   NULL,                &correction_view_full,  0, ACCESS_ADMIN,  "Remove a correction.")                                           \
    X(ALIGNMENT_RELATE, RELATION_ACTOR,  SINGLE,     NULL,                &relation_view_full,    0, ACCESS_SHARE,  "Read the relation of one scene to another, and its uncertainty.") \
    X(PROJECT_CREATE,   ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_USER,   "Create a project.")                                              \
    X(PROJECT_GET,      ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_READ,   "Read a project.")                                                \
    X(PROJECT_UPDATE,   ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_CHANGE, "Change name, description, category and the like.")               \
    X(PROJECT_DELETE,   ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Delete a project; its scenes and collections stay.")             \
    X(PROJECT_LIST,     ASSET_ACTOR,     SINGLE,     &project_schema,     &project_view_full,     0, ACCESS_LIST,   "List projects.")                                                 \
    X(PROJECT_ADD_TAG,  ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Add a tag to a project.")                                        \
    X(PROJECT_DROP_TAG, ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Remove a tag from a project.")                                   \
    X(PROJECT_ADD_COLLECTION,  ASSET_ACTOR, SINGLE,  NULL,                &project_view_full,     0, ACCESS_CHANGE, "Add an asset collection to a project.")                          \
    X(PROJECT_DROP_COLLECTION, ASSET_ACTOR, SINGLE,  NULL,                &project_view_full,     0, ACCESS_CHANGE, "Remove an asset collection from a project.")                     \
    X(COLLECTION_CREATE, ASSET_ACTOR,    SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_USER,   "Create an asset collection.")                                    \
    X(COLLECTION_GET,   ASSET_ACTOR,     SINGLE,     NULL,                &collection_view_full,  0, ACCESS_READ,   "Read an asset collection.")                                      \
    X(COLLECTION_UPDATE, ASSET_ACTOR,    SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_CHANGE, "Change an asset collection.")                                    \
    X(COLLECTION_DELETE, ASSET_ACTOR,    SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, "Delete an asset collection; its assets stay.")                   \
    X(COLLECTION_LIST,  ASSET_ACTOR,     SINGLE,     &collection_schema,  &collection_view_full,  0, ACCESS_LIST,   "List asset collections.")                                        \
    X(COLLECTION_BULK,  ASSET_ACTOR,     SINGLE,     &ids_schema,         &collection_view_full,  0, ACCESS_LIST,   "Read the asset collections with these ids.")                     \
    X(COLLECTION_ADD_TAG, ASSET_ACTOR,   SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, "Add a tag to an asset collection.")                              \
    X(COLLECTION_DROP_TAG, ASSET_ACTOR,  SINGLE,     NULL,                &collection_view_full,  0, ACCESS_CHANGE, "Remove a tag from an asset collection.")                         \
    X(GROUP_CREATE,     ASSET_ACTOR,     SINGLE,     &scene_group_schema, &project_view_full,     0, ACCESS_CHANGE, "Add a group of scenes to a project.")                            \
    X(GROUP_UPDATE,     ASSET_ACTOR,     SINGLE,     &scene_group_schema, &project_view_full,     0, ACCESS_CHANGE, "Change a group of a project, its name too.")                     \
    X(GROUP_DELETE,     ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Remove a group from a project; its scenes stay.")                \
    X(GROUP_ADD_SCENE,  ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Add a scene to a group of a project.")                           \
    X(GROUP_DROP_SCENE, ASSET_ACTOR,     SINGLE,     NULL,                &project_view_full,     0, ACCESS_CHANGE, "Remove a scene from a group of a project.")                      \
    X(RELATIONSHIP_PUT, ASSET_ACTOR,     SINGLE,     &relationship_schema, &relationship_view_full, 0, ACCESS_CHANGE, "Relate an asset to a record, or change the relationship.")    \
    X(RELATIONSHIP_LIST, ASSET_ACTOR,    SINGLE,     NULL,                &relationship_view_full, 0, ACCESS_LIST,  "Find relationships by their ends, type and subtype.")           \
    X(RELATIONSHIP_DELETE, ASSET_ACTOR,  SINGLE,     NULL,                &relationship_view_full, 0, ACCESS_CHANGE, "Delete the relationships of an asset to a record.")            \
    X(RELATIONSHIP_BULK, ASSET_ACTOR,    SINGLE,     &relation_ids_schema, &relationship_view_full, 0, ACCESS_LIST, "Find the relationships of these assets, or to these records.")  \
    X(ASSET_CREATE,     ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_USER,   "Upload a file as an asset.")                                     \
    X(ASSET_UPDATE,     ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_CHANGE, "Upload a new version of an asset; it has a new key, and all relationships move to it.") \
    X(ASSET_GET,        ASSET_ACTOR,     SINGLE,     NULL,                &asset_view_full,       0, ACCESS_READ,   "Read the bytes of an asset.")                                    \
    X(ASSET_DELETE,     ASSET_ACTOR,     SINGLE,     NULL,                &asset_view_full,       0, ACCESS_CHANGE, "Delete one version of an asset and its relationships.")          \
    X(ASSET_LIST,       ASSET_ACTOR,     SINGLE,     &asset_schema,       &asset_view_full,       0, ACCESS_LIST,   "Find assets, oldest first.")                                     \
    X(ASSET_COUNT,      ASSET_ACTOR,     SINGLE,     &asset_schema,       &count_view_full,       0, ACCESS_LIST,   "Count the assets that a listing would find.")                    \
    X(ASSET_BULK,       ASSET_ACTOR,     SINGLE,     &ids_schema,         &asset_view_full,       0, ACCESS_LIST,   "Read the records of the assets with these keys.")                \
    X(HISTORY_GET,      ASSET_ACTOR,     SINGLE,     NULL,                &history_view_full,     0, ACCESS_READ,   "Read all versions of an asset, by the key of any version.")      \
    X(RELATED_GONE,     ASSET_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, "End the relationships to what was deleted.") \
    X(EXPEL,            SCENE_ACTOR,     DIRECT,     &effect_schema, NULL, 0, ACCESS_INTERNAL, "Deregister the devices of a user.")            \
    X(LOCKS_RELEASE,    SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "End locks of devices that left a scene.")                \
    X(LOCATE,           SCENE_ACTOR,     DIRECT,     &ids_schema,    NULL, 0, ACCESS_INTERNAL, "Where these keys live, and whether the caller may read it.") \
    X(GREETING,         ASSET_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "A scene actor is there: it can be asked by name now.")  \
    X(EVIDENCE,         SOLVER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Corrections that came or went.")                        \
    X(RELATIONS_REPORT, RELATION_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "How a scene relates to others, and its corrections.")   \
    X(RELATIONS_REPORTED, SCENE_ACTOR,   DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "The same, written into the request that waits.")        \
    X(ALIGNMENT_MOVED,  SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Scenes whose links moved.")                             \
    X(DATAGRAMS,        SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Updates that came by UDP, in order of arrival.")        \
    X(COMMIT,           COMMITTER_ACTOR, DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Write a sealed batch.")                                 \
    X(COMMITTED,        SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "The sealed batch is durable, or failed.")               \
    X(LOAD,             LOADER_ACTOR,    DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Read a slice of a family.")                             \
    X(LOADED,           SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "The slice, or why not.")                                \
    X(EVENTS,           STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Changes in their order, to be streamed.")               \
    X(FEED_CONTROL,     STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "What devices say about their feeds by UDP.")            \
    X(UNREACHABLE,      STREAMER_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Nobody is where these datagrams went.")                 \
    X(PING,             SCENE_ACTOR,     ALL_SHARDS, NULL, NULL, 0, ACCESS_OPEN,     "Answer when everything before it was done; readiness.") \
    X(SIGN_UP,          USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_ADMIN,  "Create a user.")                                                 \
    X(USER_FIND,        USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_USER,   "Find a user by username or e-mail; administrators: list users.") \
    X(USER_GET,         USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Read a user.")                                                   \
    X(USER_UPDATE,      USER_ACTOR,      SINGLE,     &user_schema,        &user_view_full,        0, ACCESS_SELF,   "Change username, password or e-mail; a new password ends all sessions.") \
    X(USER_DELETE,      USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Delete a user; their items belong to the administrators then.")  \
    X(USER_ADD_PROJECT, USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Add a project to a user's favourites.")                          \
    X(USER_DROP_PROJECT,USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Remove a project from a user's favourites.")                     \
    X(USER_ADD_SCENE,   USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Add a scene to a user's favourites.")                            \
    X(USER_DROP_SCENE,  USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_SELF,   "Remove a scene from a user's favourites.")                       \
    X(USER_PROMOTE,     USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  "Make a user an administrator.")                                  \
    X(USER_DEMOTE,      USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  "Make an administrator an ordinary user; their sessions end.")    \
    X(USER_ACTIVATE,    USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  "Let a user log in.")                                             \
    X(USER_DEACTIVATE,  USER_ACTOR,      SINGLE,     NULL,                &user_view_full,        0, ACCESS_ADMIN,  "Deactivate a user; their sessions end.")                         \
    X(LOGIN,            USER_ACTOR,      SINGLE,     &user_schema,        NULL,                   0, ACCESS_OPEN,   "Begin a session with username and password.")                    \
    X(LOGOUT,           USER_ACTOR,      SINGLE,     NULL,                NULL,                   0, ACCESS_USER,   "End the session of the request.")                                \
    X(DEVICE_CLAIM,     USER_ACTOR,      SINGLE,     &claim_schema, NULL, 0, ACCESS_INTERNAL, "Give device keys to the user who registers them first; refuse others'.") \
    X(DEVICE_CHECK,     USER_ACTOR,      SINGLE,     &claim_schema, NULL, 0, ACCESS_INTERNAL, "Refuse device keys that belong to other users.")           \
    X(PASSWORD_WORK,    PASSWORD_ACTOR,  DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Hash a password, or compare it with a hash.")           \
    X(PASSWORD_DONE,    USER_ACTOR,      DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "The hash, or whether the password was right.")          \
    X(STOP,             SCENE_ACTOR,     DIRECT,     NULL, NULL, 0, ACCESS_INTERNAL, "Finish what was begun, then end.")
// clang-format on

enum operation {
#define X(name, actor, target, request, reply, msg_type, access, sentence) name,
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
    const char *sentence;
};

// The mailbox of the one actor of a kind: "asset", "user"; NULL for kinds that have several.
const char *actor_mailbox(enum actor_kind kind);

extern const struct operation_row operation_rows[OPERATION_COUNT];

#endif
