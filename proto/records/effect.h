// effect.h - what one actor asks of another after something that it wrote, and must not forget
// (outbox.h); and the answer about keys that another actor owns.
#ifndef DIORAMA_PROTO_RECORDS_EFFECT_H
#define DIORAMA_PROTO_RECORDS_EFFECT_H

#include "proto/record/record.h"

// Append-only: stored maps use these numbers.
enum effect_field {
    EFFECT_ID = 0,
    EFFECT_OPERATION = 1,
    EFFECT_KEY = 2,
    EFFECT_SCENE_ID = 3,
    EFFECT_MAY_STAY = 4,
};

struct effect {
    struct record base;
    const struct text *id;        // of the entry, 16 hex characters
    const struct text *operation; // its name, which outlives numbers
    const struct text *key;       // of what was deleted, or the id of the user
    int64_t scene_id;             // RELATED_GONE: also everything in this scene; 0 = only the key
    bool may_stay;                // EXPEL: stays registered if the user may still read the scene
};

enum place_field { PLACE_KEY = 0, PLACE_SCENE_ID = 1, PLACE_IS_THERE = 2, PLACE_IS_SEEN = 3 };

// The scene of a key; if the scene was deleted, the scene that it had.
struct place {
    struct record base;
    const struct text *key;
    int64_t scene_id;
    bool is_there; // the scene exists
    bool is_seen;  // and the caller may read it
};

extern const struct schema effect_schema;
extern const struct schema place_schema;

#endif
