// secret.c - the fields of stored secrets, and of answers about new ones.
#include "proto/records/secret.h"

// clang-format off
static const struct field secret_fields[] = {
    FIELD(SECRET_NAME,  struct secret, name,  "name",  "What it is for.",       .flags = FIELD_FIXED),
    FIELD(SECRET_VALUE, struct secret, value, "value", "The secret, in hex.",   .flags = FIELD_HIDDEN),
    FIELD(SECRET_MADE,  struct secret, made_us, "made", "When it was made, in microseconds.", .flags = FIELD_HIDDEN),
};

static const struct field rotation_fields[] = {
    FIELD(ROTATION_NAME,       struct rotation, name,       "name",      "What was replaced: tokens, pub-key."),
    FIELD(ROTATION_PUBLIC_KEY, struct rotation, public_key, "publicKey", "The new public key of PUB, which subscribers need.", .flags = FIELD_OPTIONAL),
    FIELD(ROTATION_FILE,       struct rotation, file,       "file",      "The file on the server that has it.",                .flags = FIELD_OPTIONAL),
    FIELD(ROTATION_ENDED,      struct rotation, ended,      "ended",     "How many sessions ended.",                           .flags = FIELD_OPTIONAL),
};
// clang-format on

const struct schema secret_schema = SCHEMA(struct secret, "secret", "secrets", secret_fields);
const struct schema rotation_schema =
    SCHEMA(struct rotation, "rotation", "rotations", rotation_fields);
const struct view rotation_view_full = {.of = &rotation_schema, .name = ""};
