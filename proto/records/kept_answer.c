// kept_answer.c - the fields of a kept answer.
#include "proto/records/kept_answer.h"

// clang-format off
static const struct field kept_answer_fields[] = {
    FIELD(KEPT_ANSWER_ID,       struct kept_answer, id,       "id",       "Identifies the request."),
    FIELD(KEPT_ANSWER_PRINT,    struct kept_answer, print,    "print",    "Of its path and body.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_SEED,     struct kept_answer, seed,     "seed",     "Of the keys that it made.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_PROGRESS, struct kept_answer, progress, "progress", "How many records it has made.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_SCENE_ID, struct kept_answer, scene_id, "scene_id", "The scene that they are in.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_RECORDS,  struct kept_answer, records,  "records",  "What it answered.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_KEYS,     struct kept_answer, keys,     "keys",     "The keys of what it answered.", .flags = FIELD_OPTIONAL),
    FIELD(KEPT_ANSWER_ETAG,     struct kept_answer, etag,     "etag",     "Its entity tag.", .flags = FIELD_OPTIONAL),
};
// clang-format on

const struct schema kept_answer_schema =
    SCHEMA(struct kept_answer, "kept_answer", "kept_answers", kept_answer_fields);
