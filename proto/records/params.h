// params.h - what a request says outside of its records: in the path, in the query string, beside
// the records of the body, in conditions of the header.
#ifndef DIORAMA_PROTO_RECORDS_PARAMS_H
#define DIORAMA_PROTO_RECORDS_PARAMS_H

#include "proto/record/record.h"

enum params_field {
    PARAMS_SCENE = 0,
    PARAMS_OBJECT = 1,
    PARAMS_DEVICE = 2, // alias owner
    PARAMS_ASSET = 3,
    PARAMS_NUM_RECORDS = 4,
    PARAMS_START_RECORD = 5,
    PARAMS_OPERATION = 6,      // 10 append, 11 remove
    PARAMS_TRANSACTION_ID = 7, // a transaction_id that is a string
    PARAMS_TRANSACTION_INTEGER = 8,
    PARAMS_TRANSACTION_NUMBER = 9,
    PARAMS_IF_MATCH = 10,
    PARAMS_IF_NONE_MATCH = 11,
    PARAMS_PROPERTY = 12,
    PARAMS_PROJECT = 13,
    PARAMS_COLLECTION = 14,
    PARAMS_USER = 15,
    PARAMS_GROUP = 16,
    PARAMS_TAG = 17,
    PARAMS_FILENAME = 18,
    PARAMS_TYPE = 19,
    PARAMS_RELATED = 20,
    PARAMS_SUBTYPE = 21,
    PARAMS_PAGE = 22,
    PARAMS_BOX = 23,
    PARAMS_NEAR = 24,
    PARAMS_BBOX = 25,
    PARAMS_LAYOUT = 26,
    PARAMS_PLACED = 27,
    PARAMS_DATETIME = 28,
    PARAMS_FEATURE = 29,
    PARAMS_ACTION = 30,
    PARAMS_FRAME = 31,
    PARAMS_CONVENTION = 32,
    PARAMS_RATE = 33,
    PARAMS_FROM = 34,
    PARAMS_TO = 35,
    PARAMS_EVIDENCE = 36,
    PARAMS_LAST_EVENT = 37,
    PARAMS_SCENES = 38,
    PARAMS_REPEAT_KEY = 39,
    PARAMS_REPEAT_PRINT = 40,
    PARAMS_STRICT = 41,
    PARAMS_REPEAT_SEED = 42,
    PARAMS_REPEAT_DONE = 43,
    PARAMS_FORM = 44,
    PARAMS_SERIES = 45,
    PARAMS_SECONDS = 46,
    PARAMS_COVARIANCE = 47,
    PARAMS_HOPS = 48,
    PARAMS_PARTS = 49,
    PARAMS_TOPICS = 50,
    PARAMS_NODE = 51,
    PARAMS_PRECISION = 52,
    PARAMS_FENCE = 53,
    PARAMS_FENCES = 54, // the same by the keys of objects
    PARAMS_FORCE = 55,
    PARAMS_Q = 56,
    PARAMS_SORT = 57,
    PARAMS_AFTER = 58,
    PARAMS_FIELDS = 59,
    PARAMS_CREATED = 60,
    PARAMS_CHANGED = 61,
    PARAMS_PLACED_IN = 62,
};

struct params {
    struct record base;
    const struct text *scene;
    const struct text *object;
    const struct text *device;
    const struct text *asset;
    int64_t num_records;
    int64_t start_record;
    int64_t operation;
    const struct text *transaction_id;
    int64_t transaction_integer;
    double transaction_number;
    const struct text *if_match; // lists of entity tags (etag.h), as the header has them
    const struct text *if_none_match;
    const struct text *property;
    const struct text *project;
    const struct text *collection;
    const struct text *user;
    const struct text *group; // its name
    const struct text *tag;
    const struct text *filename;
    const struct text *type; // with `related` and `asset`: names the relationships to overwrite
    const struct text *related;
    const struct text *subtype;
    int64_t page;                  // start_record / num_records
    const struct text *action;     // its name
    int64_t frame;                 // of a keyframe
    const struct text *convention; // axes that the client's transforms are in (convention.h)
    const struct text *layout;     // of matrices: row or column
    const struct text *node;       // of the octree of a tileset: a digit a level
    const struct text *placed_in;  // a scene that has a place, or local
    const struct text *form;       // in which poses are answered besides: geopose
    int64_t rate;                  // of a stream of events: the most messages a second
    const struct text *from;       // scenes of an alignment
    const struct text *to;
    const struct text *evidence;     // id of a correction
    const struct text *last_event;   // id of the last event of a stream that the client has
    const struct texts *scenes;      // to be watched
    const struct texts *topics;      // the same: all things of a kind
    bool covariance;                 // poses are answered with how sure they are in all directions
    bool strict;                     // what would be warned of is refused
    const struct text *repeat_key;   // the Idempotency-Key, and the scene of the path
    const struct text *repeat_print; // of path and body: bytes
    const struct text *repeat_seed;  // of a part of a request that goes to several scenes: bytes
    bool repeat_done;                // all parts were made before
    const struct text *series;       // names of series (series.h), with commas between them
    int64_t seconds;                 // the most that they go back
    int64_t hops;                    // links on the way to the scenes of a graph, at most
    const struct text *parts;        // of a delta stream, with commas between them
    const struct text *precision;    // of its poses
    int64_t fence;                   // of the lock that the client relies on
    const struct records *fences;    // struct fence_of: the same of each object
    bool force;                      // a lock is taken from whoever holds it
    const struct text *q;            // of a list (list_query.h): beginnings of words
    const struct text *sort;         // name of an order, behind a - the other way round
    const struct text *after;        // cursor, "" = the first page
    const struct text *fields;       // names of members to show, with commas between them
    const struct text *created;      // FROM..TO, one of them may be missing
    const struct text *box;
    const struct text *near;
    const struct text *bbox; // the same box, in the order of OGC API
    bool placed;             // poses are answered as GeoPoses too, where there are any
    const struct text *changed;
    const struct text *datetime; // the same, as OGC API says it (list_time.h)
    const struct text *feature;  // a device, by its key; in a path with @ and that of its scene
};

extern const struct schema params_schema;
extern const struct schema params_body_schema; // only what a body says beside its records

// What a query string may say; records, scenes and objects are named by the path alone.
extern const struct view params_view_query;

// What answers repeat: `transaction_id` with the type that it was sent with.
extern const struct view params_view_echoed;

// Whether the answer shows poses as GeoPoses too.
bool params_want_geopose(const struct params *params);
// Has it so where there are any: what has none is shown without one, which is a failure else.
void params_place(struct params *params);
// Whether the answer shows the parts of transforms too: translation, rotation, scale.
bool params_want_parts(const struct params *params);
// Whether a stream is to send changes alone (`form`).
bool params_want_delta(const struct params *params);
// Whether it is to send packets of CZML.
bool params_want_czml(const struct params *params);

// How lists of an update combine: `operation` 10 appends, 11 removes, else they overwrite.
enum list_mode params_list_mode(const struct params *params);

// The fence of the lock of one object.
enum fence_of_field { FENCE_OF_KEY = 0, FENCE_OF_FENCE = 1 };

struct fence_of {
    struct record base;
    const struct text *key;
    int64_t fence;
};

extern const struct schema fence_of_schema;

enum envelope_field {
    ENVELOPE_HOLDER = 0,
    ENVELOPE_NEXT_START_RECORD = 1,
    ENVELOPE_EVENT_DESTINATION_HOST = 2,
    ENVELOPE_EVENT_DESTINATION_PORT = 3,
    ENVELOPE_UDP = 4,
    // 5 was a count, which is a record of its own now
    ENVELOPE_RETRY_AFTER_S = 6,
    ENVELOPE_TOKEN = 7,
    ENVELOPE_EPOCH = 8,
    ENVELOPE_SEQ = 9,
    ENVELOPE_USER = 10,
    ENVELOPE_SINCE = 11,
    ENVELOPE_UNTIL = 12,
    ENVELOPE_FENCE = 13,
    ENVELOPE_TOTAL = 14,
    ENVELOPE_AT_LEAST = 15,
    ENVELOPE_NEXT = 16,
};

enum udp_state_field {
    UDP_STATE = 0,
    UDP_TOKEN = 1,
    UDP_EXPIRES_S = 2,
    UDP_SEAL_ID = 3,
    UDP_SEAL_KEY = 4,
};

// What the answer to a registration says about the device's feed.
struct udp_state {
    struct record base;
    const struct text *state; // active, pending, none
    const struct text *token;
    int64_t expires_s;
    const struct text *seal_id; // in place of a token, if its datagrams are sealed
    const struct text *seal_key;
};

// What an answer may say beside its records.
struct envelope {
    struct record base;
    const struct text *holder;  // device that holds a lock
    const struct text *user;    // who took it
    int64_t since_us, until_us; // of the lock, calendar
    int64_t fence;              // of the newest lock
    int64_t next_start_record;  // where the next page begins
    const struct text *event_destination_host;
    int64_t event_destination_port;
    const struct record *udp; // struct udp_state
    int64_t retry_after_s;    // of a refusal: when it may be tried again
    const struct text *token; // of a new session: sent in a header, not in the body
    int64_t epoch;            // with `seq`: the newest event that the answer's state includes
    int64_t seq;
    int64_t total;           // of a list: how many records it has
    bool at_least;           // or more
    const struct text *next; // cursor of the next page
};

enum count_field { COUNT_COUNT = 0 };

// The number of records, if only that was asked.
struct count {
    struct record base;
    int64_t count;
};

extern const struct schema count_schema;
extern const struct view count_view_full;
extern const struct schema udp_state_schema;
extern const struct schema envelope_schema;

#endif
