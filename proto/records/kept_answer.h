// kept_answer.h - the answer of a request that had an Idempotency-Key, as it is stored with what
// the request wrote (actors/runtime/kept_answers.h).
#ifndef DIORAMA_PROTO_RECORDS_KEPT_ANSWER_H
#define DIORAMA_PROTO_RECORDS_KEPT_ANSWER_H

#include "proto/record/record.h"

// Append-only: stored maps use these numbers.
enum kept_answer_field {
    KEPT_ANSWER_ID = 0,
    KEPT_ANSWER_PRINT = 1,
    KEPT_ANSWER_SEED = 2,
    KEPT_ANSWER_PROGRESS = 3,
    KEPT_ANSWER_SCENE_ID = 4,
    KEPT_ANSWER_RECORDS = 5,
    KEPT_ANSWER_KEYS = 6,
    KEPT_ANSWER_ETAG = 7,
};

struct kept_answer {
    struct record base;
    const struct text *id;       // of the request, 32 hex characters
    const struct text *print;    // of its path and body: bytes
    const struct text *seed;     // of the keys that it made: bytes
    int64_t progress;            // how many records it has made, if it can make them again
    int64_t scene_id;            // internal, of the scene that they are in
    const struct texts *records; // else the records that it answered with, as msgpack
    const struct texts *keys;    // or only their keys, where they are too large
    const struct text *etag;     // and the entity tag of the one record
};

static inline const struct kept_answer *
kept_answer_of(const struct record *record)
{
    return (const struct kept_answer *)(const void *)record;
}

extern const struct schema kept_answer_schema;

#endif
