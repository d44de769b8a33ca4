// demo_models.h - the models of `diorama demo`: people, and what stands where they walk.
#ifndef DIORAMA_TOOLS_CLI_DEMO_MODELS_H
#define DIORAMA_TOOLS_CLI_DEMO_MODELS_H

#include <stddef.h>

#include "proto/base/buffer.h"

enum demo_model {
    MODEL_WALKER, // the first of DEMO_OUTFITS
    MODEL_VISITOR = 6,
    MODEL_PLAZA,
    MODEL_PAVILION,
    MODEL_TREE,
    MODEL_LAMP,
    MODEL_BENCH,
    DEMO_MODELS
};

enum { DEMO_OUTFITS = MODEL_VISITOR };

// Metres from the middle of the plaza to its rim, as it is made.
#define DEMO_PLAZA_M 9.2

// The name of a model, also of its file.
const char *demo_model_name(size_t model);

// Appends the model as a GLB. It stands on the ground at the origin; a person looks along -Z.
void demo_model_put(size_t model, struct buffer *out);

#endif
