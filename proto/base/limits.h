// limits.h - the maximum of whatever a client can make grow. Numbers that an operator chooses are
// settings (config.h).
#ifndef DIORAMA_PROTO_BASE_LIMITS_H
#define DIORAMA_PROTO_BASE_LIMITS_H

enum {
    LIMIT_BODY_BYTES = 1 << 20,       // a JSON body
    LIMIT_LOGIN_BODY_BYTES = 4096,    // of a login or a sign-up, which strangers may send
    LIMIT_BULK_BODY_BYTES = 8 << 20,  // a JSON body that creates many records
    LIMIT_STEPS_BODY_BYTES = 4 << 20, // a JSON body that changes many records in one commit
    LIMIT_ASSET_BYTES = 512 << 20,    // one file that is uploaded
    LIMIT_ASSET_VERSIONS = 4096,      // of one asset
    LIMIT_THUMBNAIL_BYTES = 64 << 10, // the picture of an asset
    LIMIT_FORM_BYTES = 1 << 20,       // the rest of its form: other parts, boundaries
    LIMIT_FORM_PARTS = 64,            // of one form
    LIMIT_PART_HEADER_BYTES = 8192,   // of one part of a form
    LIMIT_SNIFF_BYTES = 4096,         // of a file, looked at to find its type
    LIMIT_JSON_DEPTH = 32,            // nested arrays and objects
    LIMIT_JSON_VALUES = 1 << 20,      // of one document; bounds what its tree takes
    LIMIT_RECORDS = 10000,            // of one answer or one request
    LIMIT_EDITS = 16,                 // records of one request that change the same thing
    LIMIT_FILTERS = 100,              // of one query: each is compared with every record
    LIMIT_SCENE_DEVICES = 10000,      // registered to one scene
    LIMIT_WATCHED_SCENES = 64,        // by one stream of events
    LIMIT_PUB_TOPIC_BYTES = 1024,     // of one message of a subscriber: a topic, a handshake's step
    LIMIT_PUB_TOPICS_BYTES =
        262144, // of all topics: ZeroMQ walks through them when a subscriber leaves
    LIMIT_PUB_HANDSHAKE_MS = 5000, // until a connection must be authenticated
    LIMIT_PUB_KEYS = 10000,        // of clients, in pub.curve_dir
    LIMIT_DEVICE_EVIDENCE = 64,    // corrections of one device in one scene; the oldest are removed
    LIMIT_SCENE_EVIDENCE = 10000,  // corrections of one scene; the oldest are removed
    LIMIT_DEVICE_PINS = 32,        // of them, which are never removed
    LIMIT_SCENE_PINS = 5000,       // the same of one scene
    LIMIT_TAGS = 64,               // of one record
    LIMIT_ASSETS = 256,            // of one record
    LIMIT_ASSET_LINKS = 900, // relationships of one asset, or of any key that stands for one: a new
                             // version moves all of them at once, and a write looks at each
    LIMIT_GROUPS = 256,      // of scenes, of one project
    LIMIT_GROUP_SCENES = 1000,      // of one group
    LIMIT_COLLECTIONS = 256,        // of one project
    LIMIT_RECORD_BYTES = 1 << 20,   // of one record of the asset or user actor, in memory
    LIMIT_ACTIONS = 256,            // of one record
    LIMIT_KEYFRAMES = 10000,        // of one action
    LIMIT_VALUES = 4,               // of a property or of its keyframe
    LIMIT_ENTITY_BYTES = 3 << 20,   // of an object or a property with its actions, in memory
    LIMIT_TEXT_BYTES = 4096,        // of one string
    LIMIT_EXTRAS_BYTES = 4096,      // of the free member of an object, as compact JSON
    LIMIT_EXTRAS_DEPTH = 8,         // of arrays and objects in it
    LIMIT_KEY_BYTES = 128,          // of a key that a client chose
    LIMIT_DATAGRAM_BYTES = 8192,    // UDP in, and UDP out in the plain form
    LIMIT_URI_BYTES = 8192,         // request target, as sent
    LIMIT_HEADER_BYTES = 16384,     // request line and header fields
    LIMIT_BULK_STEPS = 1000,        // things that one request changes in one commit
    LIMIT_COMMIT_OPERATIONS = 1000, // of a store commit that several requests share
    LIMIT_APART_OPERATIONS = 5100,  // of one that a request has for itself
    LIMIT_COMMIT_WRITES = 40000,    // of one store commit, the index records among them
    LIMIT_INDEX_WRITES = 10000,     // index records of a commit that further requests may join
    LIMIT_COMMIT_BYTES = 4 << 20,   // of one store commit
    LIMIT_MAILBOX_MESSAGES = 20000, // waiting for one actor from one sender
    LIMIT_DRAIN_MESSAGES = 512,     // taken from a mailbox before the batch is sealed
    LIMIT_LEASE_S = 3600,           // of the lock of an object, without a renewal
    LIMIT_ASK_BYTES = 256,          // of a message to whoever holds a lock
    LIMIT_SERIES_SECONDS = 3600,    // that the series of the server go back
    LIMIT_GRAPH_HOPS = 8,           // links on the way to a scene of a graph of alignment
    LIMIT_GRAPH_SCENES = 200,       // of one such graph
    LIMIT_GRAPH_LINKS = 2000,       // between them
    LIMIT_SESSIONS = 65536,         // of all users
    LIMIT_NAME_BYTES = 256,         // of a username, of an e-mail address
    LIMIT_EMAILS = 8,               // of one user
    LIMIT_FAVORITES = 10000,        // of one user: projects, scenes
    LIMIT_USER_SESSIONS = 64,       // of one user; the oldest ends
    LIMIT_USER_DEVICES = 100000,    // device keys that belong to one user
    LIMIT_SUPERSEDED = 8,    // corrections of a device session in one scene, the newest of all
    LIMIT_CLAIMS = 500,      // device keys that are claimed at once
    LIMIT_LOOKUP_KEYS = 400, // that one question asks a scene actor about
    LIMIT_IDEMPOTENCY_KEY_BYTES = 128,
    LIMIT_KEPT_ANSWER_BYTES = 4096, // of an answer that is kept for a repeat of its request
    LIMIT_KEPT_ANSWERS = 100000,    // of one actor, whoever asked
};

#endif
