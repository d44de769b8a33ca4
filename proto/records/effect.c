// effect.c - the fields of effects and places.
#include "proto/records/effect.h"

// clang-format off
static const struct field effect_fields[] = {
    FIELD(EFFECT_ID,        struct effect, id,        "id",        "Identifies the entry of the outbox."),
    FIELD(EFFECT_OPERATION, struct effect, operation, "operation", "What is asked."),
    FIELD(EFFECT_KEY,       struct effect, key,       "key",       "Of what is gone, or of the user that it is about."),
    FIELD(EFFECT_SCENE_ID,  struct effect, scene_id,  "scene_id",  "The scene that was deleted with the key.", .flags = FIELD_OPTIONAL),
    FIELD(EFFECT_MAY_STAY,  struct effect, may_stay,  "may_stay",  "Where the user may read the scene.",   .flags = FIELD_OPTIONAL),
    FIELD(EFFECT_BEFORE,    struct effect, before,    "before",    "It ends only what is older.",          .flags = FIELD_OPTIONAL),
};

static const struct field place_fields[] = {
    FIELD(PLACE_KEY,      struct place, key,      "key",      "What was asked for."),
    FIELD(PLACE_SCENE_ID, struct place, scene_id, "scene_id", "The scene that it lives in, or is."),
    FIELD(PLACE_IS_THERE, struct place, is_there, "is_there", "Whether the scene is there."),
    FIELD(PLACE_IS_SEEN,  struct place, is_seen,  "is_seen",  "Whether whoever asked may read it."),
    FIELD(PLACE_MOMENT,   struct place, moment,   "moment",   "When that was so."),
};
// clang-format on

const struct schema effect_schema = SCHEMA(struct effect, "effect", "effects", effect_fields);
const struct schema place_schema = SCHEMA(struct place, "place", "places", place_fields);
