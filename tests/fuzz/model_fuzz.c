// model_fuzz.c - the bounds of glTF models: whatever a file says, they are a sphere or nothing, and
// what it takes is within what is reckoned for it.
#include <math.h>

#include "gateway/request/model_bounds.h"
#include "proto/codec/json_text.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    uint64_t first;
    size_t json_size;
    double sphere[4];
    const char *file = (const char *)data;
    size_t known = size < MODEL_HEAD_BYTES ? size : MODEL_HEAD_BYTES;
    if (!model_json_find(file, known, size, &first, &json_size))
        return 0;
    must(first + json_size <= size && json_size > 0);
    if (model_bounds_read(&arena, file + first, json_size, sphere))
        for (int i = 0; i < 4; i++)
            must(isfinite(sphere[i]) && (i < 3 || sphere[i] >= 0));
    must(arena.size <= json_cost(file + first, json_size, 0) + MODEL_WORK_BYTES);
    arena_finish(&arena);
    return 0;
}
