// ids.c - the fields of bulk requests.
#include "proto/records/ids.h"

#include "proto/base/limits.h"

// clang-format off
static const struct field ids_fields[] = {
    FIELD(IDS_IDS,     struct ids, ids,     "ids",        "Ids of the records to read; unknown ones are skipped.",        .limit = LIMIT_RECORDS),
};

static const struct field relation_ids_fields[] = {
    FIELD(IDS_ASSETS,  struct ids, assets,  "assetIds",   "Relationships of these assets.",        .limit = LIMIT_RECORDS),
    FIELD(IDS_RELATED, struct ids, related, "relatedIds", "Relationships to these records.",       .limit = LIMIT_RECORDS),
};
// clang-format on

const struct schema ids_schema = SCHEMA(struct ids, "ids", "ids", ids_fields);
const struct schema relation_ids_schema =
    SCHEMA(struct ids, "relation_ids", "ids", relation_ids_fields);
