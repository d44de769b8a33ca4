// params.c - the fields of what surrounds records: parameters of requests, envelopes of answers.
#include "proto/records/params.h"

#include "proto/base/limits.h"

// The largest index that a double, and so every JSON client, represents exactly.
#define START_RECORD_MAXIMUM 9007199254740992.0
#define PAGE_MAXIMUM 900719925474.0 // times LIMIT_RECORDS it is no larger

enum { OPERATION_APPEND = 10, OPERATION_REMOVE = 11 };

// The first PARAMS_BODY_ROWS rows are those that a body has beside its records.
// clang-format off
static const struct field params_fields[] = {
    FIELD(PARAMS_NUM_RECORDS,         struct params, num_records,         "num_records",    "Most records to return.",                           .flags = FIELD_OPTIONAL, .alias = "limit", .minimum = 0, .maximum = LIMIT_RECORDS),
    FIELD(PARAMS_START_RECORD,        struct params, start_record,        "start_record",   "Records to skip.",                                  .flags = FIELD_OPTIONAL, .alias = "offset", .minimum = 0, .maximum = START_RECORD_MAXIMUM),
    FIELD(PARAMS_OPERATION,           struct params, operation,           "operation",      "How lists combine: 10 appends, 11 removes.",        .flags = FIELD_OPTIONAL, .minimum = OPERATION_APPEND, .maximum = OPERATION_REMOVE),
    FIELD(PARAMS_TRANSACTION_ID,      struct params, transaction_id,      "transaction_id", "Returned unchanged in the answer.",                 .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_TRANSACTION_INTEGER, struct params, transaction_integer, "transaction_id", "The same as a whole number.",                       .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_TRANSACTION_NUMBER,  struct params, transaction_number,  "transaction_id", "The same as a number with decimals.",               .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_FENCE,               struct params, fence,               "fence",          "Fence of the lock that the client relies on: the write is refused if a newer lock of the object was given out.", .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_FENCES,              struct params, fences,              "fence",          "The same of each object, by key.",                  .flags = FIELD_INPUT | FIELD_MAP, .of = &fence_of_schema, .limit = LIMIT_BULK_STEPS),
    FIELD(PARAMS_SCENE,               struct params, scene,               "scene",          "Key of the scene.",                                 .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_OBJECT,              struct params, object,              "object",         "Key of the object.",                                .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_DEVICE,              struct params, device,              "device",         "Key of the device that makes the request.",         .flags = FIELD_OPTIONAL | FIELD_KEY, .alias = "owner"),
    FIELD(PARAMS_ASSET,               struct params, asset,               "asset",          "Key of the asset.",                                 .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_IF_MATCH,            struct params, if_match,            "if_match",       "Entity tags, one of which the record must have.",   .flags = FIELD_OPTIONAL, .limit = LIMIT_HEADER_BYTES),
    FIELD(PARAMS_IF_NONE_MATCH,       struct params, if_none_match,       "if_none_match",  "Entity tags, none of which the record may have.",   .flags = FIELD_OPTIONAL, .limit = LIMIT_HEADER_BYTES),
    FIELD(PARAMS_PROPERTY,            struct params, property,            "property",       "Key of the property.",                               .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_PROJECT,             struct params, project,             "project",        "Id of the project.",                                 .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_COLLECTION,          struct params, collection,          "collection",     "Id of the asset collection.",                        .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_USER,                struct params, user,                "user",           "Id of the user.",                                    .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_GROUP,               struct params, group,               "group",          "Name of the scene group.",                           .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_TAG,                 struct params, tag,                 "tag",            "The tag.",                                           .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_FILENAME,            struct params, filename,            "filename",       "A name for the file; the server ignores it.",        .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_TYPE,                struct params, type,                "type",           "Type of the relationships.",                         .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_RELATED,             struct params, related,             "related",        "Key or id of the related record.",                   .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_SUBTYPE,             struct params, subtype,             "subtype",        "Subtype of the relationships.",                      .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_PAGE,                struct params, page,                "page",           "Page of num_records records; the first is 0.",       .flags = FIELD_OPTIONAL, .minimum = 0, .maximum = PAGE_MAXIMUM),
    FIELD(PARAMS_ACTION,              struct params, action,              "action",         "Name of the action.",                                .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_FRAME,               struct params, frame,               "frame",          "Frame of the keyframe; may be negative.",            .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_CONVENTION,          struct params, convention,          "convention",     "Axes of transforms: gltf (or godot, three), unity, unreal, ros, enu (or blender), cv, ned.",       .flags = FIELD_OPTIONAL, .limit = 16),
    FIELD(PARAMS_LAYOUT,              struct params, layout,              "layout",         "How the 16 numbers of matrices are written, in the request and its answer: row (as here) or column (as glTF and three.js).", .flags = FIELD_OPTIONAL, .limit = 16),
    FIELD(PARAMS_FORM,                struct params, form,                "form",           "geopose: show poses as GeoPoses too, of a feature nothing else; of objects trs: show the parts of their transforms too; of a stream delta: the state, then what changes of it; czml: packets for CesiumJS.", .alias = "f", .flags = FIELD_OPTIONAL, .limit = 16),
    FIELD(PARAMS_NODE,                struct params, node,                "node",           "Part of a tileset, as the one above it names it: a digit from 0 to 7 a level.", .flags = FIELD_OPTIONAL, .limit = 64),
    FIELD(PARAMS_PLACED_IN,           struct params, placed_in,           "frame",          "Where the tileset stands: local: in the coordinates of its scene; the key of another scene: where alignment says that it is in that one.", .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_COVARIANCE,          struct params, covariance,          "covariance",     "true: show the covariances of poses too.",           .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_RATE,                struct params, rate,                "rate",           "Most messages a second; newer states replace waiting ones.", .flags = FIELD_OPTIONAL, .minimum = 1, .maximum = 240),
    FIELD(PARAMS_FROM,                struct params, from,                "from",           "Key of the scene that is mapped.",                   .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_TO,                  struct params, to,                  "to",             "Key of the scene that it is mapped to.",             .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_EVIDENCE,            struct params, evidence,            "evidence",       "Id of the correction.",                              .flags = FIELD_OPTIONAL | FIELD_KEY),
    FIELD(PARAMS_LAST_EVENT,          struct params, last_event,          "last_event",     "Id of the last event that the client has.",          .flags = FIELD_OPTIONAL, .limit = LIMIT_HEADER_BYTES),
    FIELD(PARAMS_SCENES,              struct params, scenes,              "scene",          "Keys of the scenes to watch.",                       .flags = FIELD_OPTIONAL, .limit = LIMIT_WATCHED_SCENES),
    FIELD(PARAMS_TOPICS,              struct params, topics,              "topic",          "scenes, assets, collections, projects, users: which of them are created, changed and deleted, in place of what happens in scenes.", .flags = FIELD_OPTIONAL, .limit = 8),
    FIELD(PARAMS_SERIES,              struct params, series,              "names",          "Names of the series, with commas between them; all where it is missing.", .flags = FIELD_OPTIONAL, .limit = LIMIT_HEADER_BYTES),
    FIELD(PARAMS_SECONDS,             struct params, seconds,             "seconds",        "How far the series go back; 600 where it is missing.", .flags = FIELD_OPTIONAL, .unit = "s", .minimum = 1, .maximum = LIMIT_SERIES_SECONDS),
    FIELD(PARAMS_HOPS,                struct params, hops,                "hops",           "Most links on the way to a scene; 3 where it is missing.", .flags = FIELD_OPTIONAL, .minimum = 1, .maximum = LIMIT_GRAPH_HOPS),
    FIELD(PARAMS_PARTS,               struct params, parts,               "parts",          "Of a delta stream: objects, devices, properties, with commas between them; all where it is missing.", .flags = FIELD_OPTIONAL, .limit = 64),
    FIELD(PARAMS_PRECISION,           struct params, precision,           "precision",      "full: all digits of poses in a delta stream, not 0.1 mm and 1e-6.", .flags = FIELD_OPTIONAL, .limit = 16),
    FIELD(PARAMS_FORCE,               struct params, force,               "force",          "true: take the lock from the device that holds it.", .flags = FIELD_OPTIONAL | FIELD_ACCESS),
    FIELD(PARAMS_Q,                   struct params, q,                   "q",              "Beginnings of words of names, tags and types; all of them must be there.", .flags = FIELD_OPTIONAL, .limit = 256),
    FIELD(PARAMS_SORT,                struct params, sort,                "sort",           "Order of a list: key, name, type, parent, created or changed; -changed: the latest first.", .flags = FIELD_OPTIONAL, .limit = 64),
    FIELD(PARAMS_AFTER,               struct params, after,               "after",          "`next` of the page before; empty: the first page.",  .flags = FIELD_OPTIONAL | FIELD_EMPTY, .limit = 2048),
    FIELD(PARAMS_FIELDS,              struct params, fields,              "fields",         "Members to show, with commas between them; the key is shown always.", .flags = FIELD_OPTIONAL, .limit = 512),
    FIELD(PARAMS_CREATED,             struct params, created,             "created",        "When it was created: FROM..TO in microseconds since 1970, one of them may be missing.", .flags = FIELD_OPTIONAL, .limit = 64),
    FIELD(PARAMS_CHANGED,             struct params, changed,             "changed",        "When it was changed last: FROM..TO in microseconds since 1970, one of them may be missing.", .flags = FIELD_OPTIONAL, .limit = 64),
    FIELD(PARAMS_BOX,                 struct params, box,                 "box",            "South, west, north and east of what is asked for, in degrees, with commas between them; where west is larger than east it lies over the date line.", .flags = FIELD_OPTIONAL, .limit = 128),
    FIELD(PARAMS_NEAR,                struct params, near,                "near",           "Latitude and longitude in degrees, and how far from there in kilometres, with commas between them.", .flags = FIELD_OPTIONAL, .limit = 128),
    FIELD(PARAMS_BBOX,                struct params, bbox,                "bbox",           "West, south, east and north of what is asked for, in degrees, with commas between them; where west is larger than east it lies over the date line.", .flags = FIELD_OPTIONAL, .limit = 128),
    FIELD(PARAMS_DATETIME,            struct params, datetime,            "datetime",       "When it was changed last: a time as in RFC 3339, or FROM/TO, where .. is an open end. Of devices no time is known: it leaves out none.", .flags = FIELD_OPTIONAL, .limit = 128),
    FIELD(PARAMS_FEATURE,             struct params, feature,             "feature",        "Id of the feature: the key of the device, @ and the key of the scene, both percent-encoded.", .flags = FIELD_OPTIONAL, .limit = 1024),
    FIELD(PARAMS_PLACED,              struct params, placed,              "placed",         "true: poses as GeoPoses, where there are any.",      .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_STRICT,              struct params, strict,              "strict",         "true: refuse what is warned of otherwise.",          .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_REPEAT_KEY,          struct params, repeat_key,          "repeat_key",     "Key under which the answer is kept.",                .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_REPEAT_PRINT,        struct params, repeat_print,        "repeat_print",   "Print of path and body.",                            .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_REPEAT_SEED,         struct params, repeat_seed,         "repeat_seed",    "What this part is known by.",                        .flags = FIELD_OPTIONAL),
    FIELD(PARAMS_REPEAT_DONE,         struct params, repeat_done,         "repeat_done",    "true: it was made before.",                          .flags = FIELD_OPTIONAL),
};

static const struct field fence_of_fields[] = {
    FIELD(FENCE_OF_KEY,   struct fence_of, key,   "key",   "Key of an object of the scene.",          .flags = FIELD_INPUT),
    FIELD(FENCE_OF_FENCE, struct fence_of, fence, "fence", "Fence of the lock that is relied on.",    .flags = FIELD_INPUT),
};

static const struct field udp_state_fields[] = {
    FIELD(UDP_STATE,     struct udp_state, state,     "state",     "active, pending (unproven) or none."),
    FIELD(UDP_TOKEN,     struct udp_state, token,     "token",     "Identifies the registration in datagrams.",                 .flags = FIELD_OPTIONAL),
    FIELD(UDP_EXPIRES_S, struct udp_state, expires_s, "expires_s", "Lifetime of the token: until the registration ends.",       .flags = FIELD_OPTIONAL, .unit = "s"),
    FIELD(UDP_SEAL_ID,   struct udp_state, seal_id,   "seal_id",   "In place of a token: names the registration in sealed datagrams, 16 hex digits.", .flags = FIELD_OPTIONAL),
    FIELD(UDP_SEAL_KEY,  struct udp_state, seal_key,  "seal_key",  "Key of its sealed datagrams, 32 bytes in base64url.",      .flags = FIELD_OPTIONAL),
};

static const struct field count_fields[] = {
    FIELD(COUNT_COUNT, struct count, count, "count", "Number of assets."),
};

static const struct field envelope_fields[] = {
    FIELD(ENVELOPE_HOLDER,                 struct envelope, holder,                 "holder",                 "Key of the device that holds the lock.", .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_USER,                   struct envelope, user,                   "user",                   "Id of the user who took the lock.",      .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_SINCE,                  struct envelope, since_us,               "since_us",               "When the lock was taken.",               .flags = FIELD_OPTIONAL, .unit = "us"),
    FIELD(ENVELOPE_UNTIL,                  struct envelope, until_us,               "until_us",               "When the lock ends, unless it is renewed.", .flags = FIELD_OPTIONAL, .unit = "us"),
    FIELD(ENVELOPE_FENCE,                  struct envelope, fence,                  "fence",                  "Fence of the newest lock.",              .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_NEXT_START_RECORD,      struct envelope, next_start_record,      "next_start_record",      "The start_record of the next page.",     .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_EVENT_DESTINATION_HOST, struct envelope, event_destination_host, "event_destination_host", "Host to send UDP events to.",            .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_EVENT_DESTINATION_PORT, struct envelope, event_destination_port, "event_destination_port", "UDP port of that host.",                 .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_UDP,                    struct envelope, udp,                    "udp",                    "State of the device's feed.",            .flags = FIELD_OPTIONAL, .of = &udp_state_schema),
    FIELD(ENVELOPE_RETRY_AFTER_S,          struct envelope, retry_after_s,          "retry_after_s",          "When it may be tried again.",            .flags = FIELD_OPTIONAL, .unit = "s"),
    FIELD(ENVELOPE_EPOCH,                  struct envelope, epoch,                  "epoch",                  "Start of the server; seq counts within it.", .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_SEQ,                    struct envelope, seq,                    "seq",                    "Number of the newest event that the answer includes.", .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_TOTAL,                  struct envelope, total,                  "total",                  "How many records the list has.",         .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_AT_LEAST,               struct envelope, at_least,               "at_least",               "true: it may have more than that.",      .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_NEXT,                   struct envelope, next,                   "next",                   "What to ask for `after` this page; missing: it is the last.", .flags = FIELD_OPTIONAL),
    FIELD(ENVELOPE_TOKEN,                  struct envelope, token,                  "token",                  "Token of the session that was made.",    .flags = FIELD_OPTIONAL | FIELD_HIDDEN),
};
// clang-format on

enum { PARAMS_BODY_ROWS = 8 };

const struct schema params_schema = SCHEMA(struct params, "params", "params", params_fields);
const struct schema params_body_schema = {.name = "params",
                                          .array = "params",
                                          .size = sizeof(struct params),
                                          .count = PARAMS_BODY_ROWS,
                                          .fields = params_fields};
const struct schema fence_of_schema =
    SCHEMA(struct fence_of, "fence_of", "fences", fence_of_fields);
const struct schema count_schema = SCHEMA(struct count, "count", "counts", count_fields);
const struct view count_view_full = {.of = &count_schema, .name = ""};
const struct schema udp_state_schema =
    SCHEMA(struct udp_state, "udp_state", "udp_states", udp_state_fields);
const struct schema envelope_schema =
    SCHEMA(struct envelope, "envelope", "envelopes", envelope_fields);

const struct view params_view_echoed = {.fields = FIELD_BIT(PARAMS_TRANSACTION_ID) |
                                                  FIELD_BIT(PARAMS_TRANSACTION_INTEGER) |
                                                  FIELD_BIT(PARAMS_TRANSACTION_NUMBER)};

#define PARAMS_OF_PAGES                                                                            \
    (FIELD_BIT(PARAMS_NUM_RECORDS) | FIELD_BIT(PARAMS_START_RECORD) | FIELD_BIT(PARAMS_PAGE))
#define PARAMS_OF_RELATIONSHIPS                                                                    \
    (FIELD_BIT(PARAMS_ASSET) | FIELD_BIT(PARAMS_TYPE) | FIELD_BIT(PARAMS_RELATED) |                \
     FIELD_BIT(PARAMS_SUBTYPE))

const struct view params_view_query = {
    .fields = PARAMS_OF_PAGES | PARAMS_OF_RELATIONSHIPS | FIELD_BIT(PARAMS_OPERATION) |
              FIELD_BIT(PARAMS_TRANSACTION_ID) | FIELD_BIT(PARAMS_DEVICE) |
              FIELD_BIT(PARAMS_STRICT) | FIELD_BIT(PARAMS_CONVENTION) | FIELD_BIT(PARAMS_FROM) |
              FIELD_BIT(PARAMS_TO)};

bool
params_want_geopose(const struct params *params)
{
    return params->placed || text_is(params->form, "geopose");
}

void
params_place(struct params *params)
{
    params->placed = true;
    record_mark(&params->base, PARAMS_PLACED);
}

bool
params_want_parts(const struct params *params)
{
    return text_is(params->form, "trs");
}

bool
params_want_delta(const struct params *params)
{
    return text_is(params->form, "delta");
}

bool
params_want_czml(const struct params *params)
{
    return text_is(params->form, "czml");
}

enum list_mode
params_list_mode(const struct params *params)
{
    if (!record_has(&params->base, PARAMS_OPERATION))
        return LIST_OVERWRITE;
    switch (params->operation) {
    case OPERATION_APPEND:
        return LIST_APPEND;
    case OPERATION_REMOVE:
        return LIST_REMOVE;
    default:
        return LIST_OVERWRITE;
    }
}
