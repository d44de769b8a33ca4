// fill.c - writes a folder with many scenes, and objects in them, that a server then starts on:
// bench_fill SCENES OBJECTS-PER-SCENE --data.dir=DIR. Straight into the store, in the form in which
// the scene actor has them (scene_family.h): a million scenes take seconds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/scene_family.h"
#include "proto/base/buffer.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"
#include "proto/config/config.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "store/store_open.h"

enum { AT_ONCE = 900 };

// The writes of one commit.
struct writes {
    store_t *store;
    struct arena arena;
    size_t count;
    struct store_operation operations[AT_ONCE];
};

static void
give_up(const char *what)
{
    fprintf(stderr, "bench_fill: %s: %s\n", what, fault_last()->detail);
    exit(1);
}

static void
commit(struct writes *self)
{
    const struct store_commit commit = {
        .id = store_version_new(), .operations = self->operations, .operation_count = self->count};
    if (self->count > 0 && store_commit(self->store, &commit, 0) != STORE_OK)
        give_up("a commit failed");
    self->count = 0;
    arena_finish(&self->arena);
    self->arena = (struct arena){0};
}

static void
put(struct writes *self, uint16_t part, const struct key *key, const void *data, size_t size)
{
    struct key *kept = arena_alloc(&self->arena, sizeof *kept);
    void *value = arena_alloc(&self->arena, size + 1);
    *kept = *key;
    memcpy(value, data, size);
    self->operations[self->count++] = (struct store_operation){
        .address = {FAMILY_SCENE, part, key_bytes(kept)}, .value = {value, size}};
}

static void
put_record(struct writes *self, uint16_t part, struct key key, const struct record *record)
{
    struct buffer stored = {0};
    record_to_stored(record, &stored);
    put(self, part, &key, stored.data, stored.size);
    buffer_finish(&stored);
}

static void
put_object(struct writes *self, uint16_t part, const struct scene *scene, unsigned number)
{
    struct record *object = record_new(&self->arena, &object_schema);
    const struct text *key = key_generate(&self->arena, part);
    struct key place = {.size = sizeof(uint64_t) + text_size(scene->key)};
    record_set_text(object, OBJECT_KEY, key);
    record_set_text(object, OBJECT_NAME, text_format(&self->arena, "object %u", number));
    record_set_text(object, OBJECT_SCENE, scene->key);
    put_record(self, part, key_in_scene(KEY_OBJECT, (uint64_t)scene->id, key), object);
    key_put_u64(place.data, (uint64_t)scene->id);
    memcpy(place.data + sizeof(uint64_t), text_bytes(scene->key), text_size(scene->key));
    struct key looked_up = key_of_text(KEY_LOOKUP, key);
    put(self, part, &looked_up, place.data, place.size);
}

static void
put_scene(struct writes *self, unsigned number, unsigned objects)
{
    struct arena arena = {0}; // of its own: commits end that of the writes
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_format(&arena, "scene-%08u", number));
    record_set_text(&scene->base, SCENE_NAME, text_format(&arena, "Scene %u", number));
    record_set_integer(&scene->base, SCENE_ID, (int64_t)number + 1);
    scene->latitude = -80 + 160 * drand48();
    scene->longitude = -180 + 360 * drand48();
    scene->is_public = scene->active = true;
    scene->base.present |= FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE) |
                           FIELD_BIT(SCENE_PUBLIC) | FIELD_BIT(SCENE_ACTIVE);
    uint16_t part = partition_of_scene(scene->key);
    put_record(self, part, key_of_text(KEY_SCENE, scene->key), &scene->base);
    for (unsigned i = 0; i < objects; i++) {
        if (self->count + 3 > AT_ONCE)
            commit(self);
        put_object(self, part, scene, i);
    }
    arena_finish(&arena);
}

int
main(int argc, char **argv)
{
    struct config config;
    enum config_action action;
    static struct writes writes;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_fill SCENES OBJECTS-PER-SCENE --data.dir=DIR\n");
        return 2;
    }
    unsigned scenes = (unsigned)atoi(argv[1]), objects = (unsigned)atoi(argv[2]);
    argv[2] = argv[0];
    if (config_load(argc - 2, argv + 2, &config, &action) != OK)
        give_up("configuration");
    if (store_open(&config, &writes.store) != OK)
        give_up("store");
    for (unsigned i = 0; i < scenes; i++) {
        put_scene(&writes, i, objects);
        if (writes.count + 3 > AT_ONCE)
            commit(&writes);
    }
    commit(&writes);
    store_destroy(&writes.store);
    return 0;
}
