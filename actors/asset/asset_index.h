// asset_index.h - what the records of the asset actor are found by in the store (index_records.h).
#ifndef DIORAMA_ACTORS_ASSET_ASSET_INDEX_H
#define DIORAMA_ACTORS_ASSET_ASSET_INDEX_H

#include "actors/runtime/list_rows.h"

// Ids of rows: stored keys have them, so they are append-only.
enum asset_index {
    INDEX_PROJECT_NAME = 1,
    INDEX_PROJECT_USER = 2,
    INDEX_PROJECT_TAG = 3,
    INDEX_PROJECT_COLLECTION = 4,
    INDEX_COLLECTION_NAME = 5,
    INDEX_COLLECTION_USER = 6,
    INDEX_COLLECTION_TAG = 7,
    INDEX_RELATIONSHIP_ASSET = 8,
    INDEX_RELATIONSHIP_RELATED = 9,
    INDEX_RELATIONSHIP_USER = 10,
    INDEX_RELATIONSHIP_IDENTITY = 11,  // what no two share: hash of asset, part, type, related
    INDEX_RELATIONSHIP_PARTITION = 12, // of the generated key that it leads to: 3 hex digits
    INDEX_ASSET_CREATED = 13,
    INDEX_ASSET_NAME = 14,
    INDEX_ASSET_USER = 15,
    INDEX_ASSET_TYPE = 16,
    INDEX_ASSET_BLOB = 17, // SHA-256 of its bytes, and of its thumbnail
    INDEX_PROJECT_CATEGORY = 18,
    INDEX_PROJECT_WORD = 19, // each word that a search finds it by (list_words)
    INDEX_PROJECT_SEEN = 20, // who may see it (list_rows_seen)
    INDEX_COLLECTION_CATEGORY = 21,
    INDEX_COLLECTION_WORD = 22,
    INDEX_COLLECTION_SEEN = 23,
    INDEX_ASSET_WORD = 24,
    INDEX_ASSET_SEEN = 25,
};

// A table of rows for each kind of records.
extern const struct index_row project_index[];
extern const struct index_row collection_index[];
extern const struct index_row relationship_index[];
extern const struct index_row asset_index[];

// By which of them the kinds are listed.
extern const struct list_rows project_lists, collection_lists, asset_lists;

// The text under which INDEX_RELATIONSHIP_IDENTITY has a relationship; in the arena. It is the same
// in each process.
const struct text *relationship_identity_text(struct arena *arena, const struct record *link);

#endif
