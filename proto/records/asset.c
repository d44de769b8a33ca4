// asset.c - the fields of assets and of their histories.
#include "proto/records/asset.h"

#include "proto/base/limits.h"

// clang-format off
static const struct field asset_fields[] = {
    FIELD(ASSET_KEY,               struct asset, key,               "key",              "Key of this version; it never changes.",           .flags = FIELD_FIXED | FIELD_KEY | FIELD_FILTER),
    FIELD(ASSET_NAME,              struct asset, name,              "name",             "Name for people.",                                 .flags = FIELD_FILTER),
    FIELD(ASSET_DESCRIPTION,       struct asset, description,       "description",      "Description for people."),
    FIELD(ASSET_CONTENT_TYPE,      struct asset, content_type,      "contentType",      "Its media type.",                                  .flags = FIELD_FILTER, .alias = "content-type", .limit = 255),
    FIELD(ASSET_FILE_TYPE,         struct asset, file_type,         "fileType",         "Ending of the file's name.",                       .flags = FIELD_FILTER, .alias = "file-type", .limit = 255),
    FIELD(ASSET_ASSET_TYPE,        struct asset, asset_type,        "assetType",        "Purpose, as agreed among clients.",                .flags = FIELD_FILTER, .alias = "asset-type", .limit = 255),
    FIELD(ASSET_CREATED_TIMESTAMP, struct asset, created_timestamp, "createdTimestamp", "Time of the upload: yyyy.MM.dd.HH.mm.ss, UTC.",     .flags = FIELD_FIXED),
    FIELD(ASSET_SIZE,              struct asset, size,              "size",             "Size.",                                            .flags = FIELD_FIXED, .unit = "bytes"),
    FIELD(ASSET_SHA256,            struct asset, sha256,            "sha256",           "SHA-256 of its bytes, in hex.",                    .flags = FIELD_FIXED),
    FIELD(ASSET_USER,              struct asset, user,              "user",             "Id of the user it belongs to.",                    .flags = FIELD_FIXED | FIELD_OWNER),
    FIELD(ASSET_PUBLIC,            struct asset, is_public,         "public",           "Whether everybody may read it.",                   .flags = FIELD_ACCESS, .alias = "isPublic"),
    FIELD(ASSET_CREATED_US,        struct asset, created_us,        "createdUs",        "When it was stored, since 1970.",                  .flags = FIELD_HIDDEN, .unit = "us"),
    FIELD(ASSET_HISTORY,           struct asset, history,           "history",          "Id of its history; absent where it was never updated.", .flags = FIELD_HIDDEN),
    FIELD(ASSET_RELATED_ID,        struct asset, related_id,        "related-id",       "Of an upload: key or id of the record to relate it to.", .flags = FIELD_INPUT),
    FIELD(ASSET_RELATED_TYPE,      struct asset, related_type,      "related-type",     "Of an upload: kind of that record.",               .flags = FIELD_INPUT),
    FIELD(ASSET_THUMBNAIL,         struct asset, thumbnail,         "thumbnail",        "SHA-256 of its thumbnail, in hex; absent where it has none.", .flags = FIELD_FIXED | FIELD_OPTIONAL),
    FIELD(ASSET_THUMBNAIL_TYPE,    struct asset, thumbnail_type,    "thumbnailType",    "Media type of its thumbnail.",                     .flags = FIELD_HIDDEN),
    FIELD(ASSET_THUMBNAIL_SIZE,    struct asset, thumbnail_size,    "thumbnailSize",    "Size of its thumbnail.",                           .flags = FIELD_HIDDEN, .unit = "bytes"),
    FIELD(ASSET_BOUNDS,            struct asset, bounds,            "bounds",           "Of a glTF model: a sphere around it: x, y, z of its centre and its radius, in the axes of the file; absent where unknown.", .flags = FIELD_FIXED | FIELD_OPTIONAL, .unit = "m"),
};

static const struct field restoration_fields[] = {
    FIELD(RESTORATION_VERSION, struct restoration, version, "version", "Key of the version that becomes the current one again.", .flags = FIELD_KEY),
};

static const struct field thumbnail_fields[] = {
    FIELD(THUMBNAIL_CONTENT_TYPE, struct thumbnail, content_type, "contentType", "Its media type.", .flags = FIELD_FIXED),
};

static const struct field history_fields[] = {
    FIELD(HISTORY_ID,        struct history, id,        "id",       "Identifies the history.",                     .flags = FIELD_FIXED),
    FIELD(HISTORY_SCENE,     struct history, scene,     "scene",    "Always empty.",                               .flags = FIELD_FIXED),
    FIELD(HISTORY_OBJECT,    struct history, object,    "object",   "Always empty.",                               .flags = FIELD_FIXED),
    FIELD(HISTORY_ASSET,     struct history, asset,     "asset",    "Key of the current version.",                 .flags = FIELD_FIXED),
    FIELD(HISTORY_ASSET_IDS, struct history, asset_ids, "assetIds", "Keys of all versions, newest first.",         .flags = FIELD_FIXED),
};
// clang-format on

const struct schema asset_schema = SCHEMA(struct asset, "asset", "assets", asset_fields);
const struct schema restoration_schema =
    SCHEMA(struct restoration, "restoration", "restorations", restoration_fields);
const struct schema thumbnail_schema =
    SCHEMA(struct thumbnail, "thumbnail", "thumbnails", thumbnail_fields);
const struct schema history_schema = SCHEMA(struct history, "history", "histories", history_fields);

const unsigned asset_blobs[ASSET_BLOBS] = {ASSET_SHA256, ASSET_THUMBNAIL};

const struct view asset_view_full = {.of = &asset_schema, .name = ""};
const struct view history_view_full = {.of = &history_schema, .name = ""};

const char *
asset_model_name(const struct asset *self)
{
    if (text_is(self->content_type, "model/gltf-binary"))
        return "model.glb";
    return text_is(self->content_type, "model/gltf+json") ? "model.gltf" : NULL;
}
