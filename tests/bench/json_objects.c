// json_objects.c - row P13: a scene's 10,000 objects as JSON, on one core, before any socket.
// Prints objects per second: the best of several rounds is what the code can do.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proto/codec/record_json.h"
#include "proto/records/object.h"

enum { OBJECTS = 10000, ROUNDS = 20, ROTATED = 12 };

static double
cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const frozen_t *
make_object(unsigned number)
{
    struct arena arena = {0};
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&object->base, OBJECT_KEY, text_format(&arena, "%024x", number));
    record_set_text(&object->base, OBJECT_NAME, text_format(&arena, "object %u", number));
    record_set_text(&object->base, OBJECT_SCENE, text_from(&arena, "plaza"));
    for (int i = 0; i < ROTATED; i++)
        object->transform[i] = drand48() * 200 - 100;
    object->transform[15] = 1;
    record_mark(&object->base, OBJECT_TRANSFORM);
    const frozen_t *frozen = record_freeze(&object_schema, &object->base);
    arena_finish(&arena);
    return frozen;
}

int
main(void)
{
    static const frozen_t *objects[OBJECTS];
    struct buffer out = {0};
    double best = 1e9;
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = make_object(i);
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_s();
        buffer_clear(&out);
        for (unsigned i = 0; i < OBJECTS; i++)
            record_to_json(frozen_record(objects[i]), NULL, &out);
        double took = cpu_s() - start;
        best = took < best ? took : best;
    }
    printf("%.0f %zu\n", OBJECTS / best, out.size / OBJECTS);
    return 0;
}
