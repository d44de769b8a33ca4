// asset.h - what is known of a stored file and of its thumbnail, and which files are versions of
// one another. The bytes themselves are blobs (proto/message/blob.h).
#ifndef DIORAMA_PROTO_RECORDS_ASSET_H
#define DIORAMA_PROTO_RECORDS_ASSET_H

#include "proto/record/record.h"

enum asset_field {
    ASSET_KEY = 0,
    ASSET_NAME = 1,
    ASSET_DESCRIPTION = 2,
    ASSET_CONTENT_TYPE = 3,
    ASSET_FILE_TYPE = 4,
    ASSET_ASSET_TYPE = 5,
    ASSET_CREATED_TIMESTAMP = 6,
    ASSET_SIZE = 7,
    ASSET_SHA256 = 8,
    ASSET_USER = 9,
    ASSET_PUBLIC = 10,
    ASSET_CREATED_US = 11,
    ASSET_HISTORY = 12,
    ASSET_RELATED_ID = 13,
    ASSET_RELATED_TYPE = 14,
    ASSET_THUMBNAIL = 15,
    ASSET_THUMBNAIL_TYPE = 16,
    ASSET_THUMBNAIL_SIZE = 17,
    ASSET_BOUNDS = 18,
};

struct asset {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *description;
    const struct text *content_type;
    const struct text *file_type;
    const struct text *asset_type;
    const struct text *created_timestamp; // yyyy.MM.dd.HH.mm.ss, UTC
    int64_t size;
    const struct text *sha256; // names the blob
    const struct text *user;   // id of the owner
    bool is_public;
    int64_t created_us;              // since 1970; listings are ordered by it
    const struct text *history;      // id of the chain that it belongs to; absent: never updated
    const struct text *related_id;   // of an upload, given with the next: what it is related to
    const struct text *related_type; // and how
    const struct text *thumbnail;    // names the blob of a small picture of it; absent: none
    const struct text *thumbnail_type;
    int64_t thumbnail_size;
    double
        bounds[4]; // sphere around a model: x, y, z of its centre and its radius, in its own axes
};

static inline const struct asset *
asset_of(const struct record *record)
{
    return (const struct asset *)(const void *)record;
}

// The name by which clients know a glTF model (by its ending); NULL if the file is none.
const char *asset_model_name(const struct asset *self);

enum { ASSET_BLOBS = 2 };
extern const unsigned asset_blobs[ASSET_BLOBS]; // the members that name blobs, by their SHA-256

extern const struct schema asset_schema;
extern const struct view asset_view_full;

enum history_field {
    HISTORY_ID = 0,
    HISTORY_SCENE = 1,
    HISTORY_OBJECT = 2,
    HISTORY_ASSET = 3,
    HISTORY_ASSET_IDS = 4,
};

// The versions of one file.
struct history {
    struct record base;
    const struct text *id;
    const struct text *scene, *object; // always empty: clients know these members
    const struct text *asset;          // the current version
    const struct texts *asset_ids;     // newest first, the current one among them
};

enum restoration_field { RESTORATION_VERSION = 0 };

// Which version becomes the current one again.
struct restoration {
    struct record base;
    const struct text *version; // its key
};

enum thumbnail_field { THUMBNAIL_CONTENT_TYPE = 0 };

// What the server finds out about a picture that is sent for an asset.
struct thumbnail {
    struct record base;
    const struct text *content_type;
};

extern const struct schema restoration_schema;
extern const struct schema thumbnail_schema;
extern const struct schema history_schema;
extern const struct view history_view_full;

#endif
