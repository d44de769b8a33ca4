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
    EFFECT_BEFORE = 5,
};

struct effect {
    struct record base;
    const struct text *id;        // of the entry, 16 hex characters
    const struct text *operation; // its name, which outlives numbers
    const struct text *key;       // of what was deleted, or the id of the user
    int64_t scene_id;             // RELATED_GONE: also everything in this scene; 0 = only the key
    bool may_stay;                // EXPEL: stays registered if the user may still read the scene
    int64_t before;               // it ends only what is older (actors/runtime/effects.h)
};

enum place_field {
    PLACE_KEY = 0,
    PLACE_SCENE_ID = 1,
    PLACE_IS_THERE = 2,
    PLACE_IS_SEEN = 3,
    PLACE_MOMENT = 4,
};

// The scene of a key; if the scene was deleted, the scene that it had.
struct place {
    struct record base;
    const struct text *key;
    int64_t scene_id; // 0 = no scene has that key, and nothing in a scene
    int64_t moment;   // at which that was so (shard_moment)
    bool is_there;    // the scene exists
    bool is_seen;     // and the caller may read it
};

extern const struct schema effect_schema;
extern const struct schema place_schema;

#endif
