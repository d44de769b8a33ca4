// bare_shard.c - see the header. Runs on the test's thread.
#include "tests/support/bare_shard.h"

#include <sodium.h>

#include "actors/scene/device/corrections.h"
#include "actors/scene/entity/write_behind.h"
#include "actors/scene/lease_index.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/token_index.h"
#include "actors/scene/user_index.h"
#include "proto/records/correction.h"
#include "proto/records/object.h"

static struct shard shard;

static void
release(void *owner)
{
    struct scene_state *scene = owner;
    scene_release(&scene);
}

struct shard *
bare_shard_begin(void)
{
    shard = (struct shard){.settings = {.shards = 1, .atlas = atlas_create()}};
    staging_init(&shard.staging, FAMILY_SCENE, release);
    bare_shard_grant(&shard);
    return &shard;
}

void
bare_shard_grant(struct shard *self)
{
    self->staging.granted = (struct room){SIZE_MAX, SIZE_MAX};
}

void
bare_shard_end(void)
{
    staging_finish(&shard.staging);
    write_behind_finish(&shard);
    token_index_finish(&shard);
    user_index_finish(&shard);
    lease_index_finish(&shard.leases);
    scene_cache_finish(&shard);
    events_destroy(&shard.events);
    atlas_destroy(&shard.settings.atlas);
}

struct scene_state *
bare_shard_add_scene(struct shard *self, const char *key, const char *owner)
{
    struct arena arena = {0};
    struct scene *record = (struct scene *)(void *)record_new(&arena, &scene_schema);
    record_set_text(&record->base, SCENE_KEY, text_from(&arena, key));
    record_set_text(&record->base, SCENE_USER, text_from(&arena, owner));
    record_set_integer(&record->base, SCENE_ID, (int64_t)randombytes_random() + 1);
    struct scene_state *scene = scene_state_create(record), *kept = scene;
    scene->record = record_freeze(&scene_schema, &record->base);
    scene_cache_admit_new(self, scene);
    scenes_index(self, scene);
    scene_cache_enter(self, scene);
    scene_release(&scene); // the index holds it
    arena_finish(&arena);
    return kept;
}

const frozen_t *
bare_object(const char *scene, const char *key, const char *name)
{
    struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    record_set_text(object, OBJECT_NAME, text_from(&arena, name));
    record_set_text(object, OBJECT_SCENE, text_from(&arena, scene));
    const frozen_t *frozen = record_freeze(&object_schema, object);
    arena_finish(&arena);
    return frozen;
}

void
bare_shard_know_correction(struct shard *self, struct scene_state *scene, int number,
                           const char *device, bool is_pinned)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, &correction_schema);
    record_set_text(record, CORRECTION_ID, text_format(&arena, "%024d", number));
    record_set_text(record, CORRECTION_DEVICE, text_from(&arena, device));
    record_set_integer(record, CORRECTION_TIME, 1 + number);
    ((struct correction_record *)(void *)record)->is_pinned = is_pinned;
    record_mark(record, CORRECTION_PINNED);
    const frozen_t *frozen = record_freeze(&correction_schema, record);
    correction_known(self, scene, frozen);
    record_unref(&frozen);
    arena_finish(&arena);
}
