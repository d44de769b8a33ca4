// ids.h - the body of the bulk requests: which records are wanted.
#ifndef DIORAMA_PROTO_RECORDS_IDS_H
#define DIORAMA_PROTO_RECORDS_IDS_H

#include "proto/record/record.h"

enum ids_field { IDS_IDS = 0, IDS_ASSETS = 1, IDS_RELATED = 2 };

struct ids {
    struct record base;
    const struct texts *ids;
    const struct texts *assets;  // of relationships: by their assets
    const struct texts *related; // or by what these are related to
};

extern const struct schema ids_schema;          // ids
extern const struct schema relation_ids_schema; // assetIds or relatedIds

#endif
