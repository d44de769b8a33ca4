// registered_devices.c - registered devices, by token and by place (registered_devices.h).

#include "actors/streamer/admission/registered_devices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

// The devices of one scene.
struct scene_bucket {
    uint64_t scene_id;
    struct registered_device *first;
    struct scene_bucket *next_ended;
};

struct registered_devices {
    struct table by_token;
    struct table by_place;
    struct table buckets; // by scene id
    struct scene_bucket *ended;
};

struct place {
    uint64_t scene_id;
    const struct text *key;
};

registered_devices_t *
registered_devices_create(void)
{
    return memory_take_zeroed(sizeof(struct registered_devices));
}

static const struct text *
key_of(const struct registered_device *device)
{
    return device->record->key;
}

static uint64_t
hash_of_token(const char *token_hash)
{
    uint64_t start; // as good as all of it
    memcpy(&start, token_hash, sizeof start);
    return table_hash_u64(start);
}

static uint64_t
hash_of_place(uint64_t scene_id, const struct text *key)
{
    return table_hash_u64(scene_id) ^ table_hash_text(key);
}

static bool
has_token(const void *value, const void *key)
{
    return text_is(((const struct registered_device *)value)->record->token, key);
}

static bool
has_place(const void *value, const void *key)
{
    const struct registered_device *device = value;
    const struct place *place = key;
    return device->scene_id == place->scene_id && text_equal(key_of(device), place->key);
}

static bool
has_scene(const void *value, const void *key)
{
    return ((const struct scene_bucket *)value)->scene_id == *(const uint64_t *)key;
}

// --- buckets ---

static struct scene_bucket *
find_bucket(const registered_devices_t *self, uint64_t scene_id)
{
    return table_find(&self->buckets, table_hash_u64(scene_id), has_scene, &scene_id);
}

static void
bucket_add(registered_devices_t *self, struct registered_device *device)
{
    struct scene_bucket *bucket = find_bucket(self, device->scene_id);
    if (!bucket) {
        bucket = memory_take_zeroed(sizeof *bucket);
        bucket->scene_id = device->scene_id;
        table_add(&self->buckets, table_hash_u64(device->scene_id), bucket);
    }
    device->next_in_scene = bucket->first;
    device->in_scene = &bucket->first;
    if (bucket->first)
        bucket->first->in_scene = &device->next_in_scene;
    bucket->first = device;
}

static void
unlink_device(struct registered_device *device)
{
    *device->in_scene = device->next_in_scene;
    if (device->next_in_scene)
        device->next_in_scene->in_scene = device->in_scene;
}

static void
bucket_remove(registered_devices_t *self, struct registered_device *device)
{
    struct scene_bucket *bucket = find_bucket(self, device->scene_id);
    unlink_device(device);
    if (bucket->first)
        return;
    table_remove(&self->buckets, table_hash_u64(device->scene_id), bucket);
    free(bucket);
}

// --- devices ---

static bool
is_known_by_token(const struct registered_device *device)
{
    return text_size(device->record->token) == FEED_TOKEN_HASH_SIZE - 1;
}

// Of a device that is known by its token, which has that size.
static uint64_t
hash_of_its_token(const struct registered_device *device)
{
    assert(text_size(device->record->token) == FEED_TOKEN_HASH_SIZE - 1);
    return hash_of_token(text_bytes(device->record->token));
}

static void
registered_destroy(struct registered_device *device)
{
    record_unref(&device->frozen);
    device_sealer_unref(&device->sealer);
    free(device);
}

static void
unindex(registered_devices_t *self, struct registered_device *device)
{
    if (is_known_by_token(device))
        table_remove(&self->by_token, hash_of_its_token(device), device);
    table_remove(&self->by_place, hash_of_place(device->scene_id, key_of(device)), device);
}

static void
remove_device(registered_devices_t *self, struct registered_device *device)
{
    unindex(self, device);
    bucket_remove(self, device);
    registered_destroy(device);
}

// The device, or NULL if its scene has ended.
static struct registered_device *
of_living_scene(const registered_devices_t *self, struct registered_device *device)
{
    return device && find_bucket(self, device->scene_id) ? device : NULL;
}

struct registered_device *
registered_devices_put(registered_devices_t *self, const struct event *event)
{
    registered_devices_remove(self, event->scene_id, frozen_key(event->record));
    struct registered_device *device = memory_take_zeroed(sizeof *device);
    device->scene_id = event->scene_id;
    device->since = event->seq;
    device->is_old = event->msg_type == EVENT_DEVICE_KNOWN;
    device->frozen = record_ref(event->record);
    device->record = device_of(event_record(event));
    device->sealer = device_sealer_create(device->record);
    table_add(&self->by_place, hash_of_place(device->scene_id, key_of(device)), device);
    if (is_known_by_token(device))
        table_add(&self->by_token, hash_of_its_token(device), device);
    bucket_add(self, device);
    return device;
}

struct registered_device *
registered_devices_find(const registered_devices_t *self,
                        const char token_hash[FEED_TOKEN_HASH_SIZE])
{
    return of_living_scene(
        self, table_find(&self->by_token, hash_of_token(token_hash), has_token, token_hash));
}

struct registered_device *
registered_devices_at(const registered_devices_t *self, uint64_t scene_id, const struct text *key)
{
    const struct place place = {scene_id, key};
    return of_living_scene(
        self, table_find(&self->by_place, hash_of_place(scene_id, key), has_place, &place));
}

void
registered_devices_remove(registered_devices_t *self, uint64_t scene_id, const struct text *key)
{
    struct registered_device *device = registered_devices_at(self, scene_id, key);
    if (device)
        remove_device(self, device);
}

void
registered_devices_end_scene(registered_devices_t *self, uint64_t scene_id)
{
    struct scene_bucket *bucket = find_bucket(self, scene_id);
    if (!bucket)
        return;
    table_remove(&self->buckets, table_hash_u64(scene_id), bucket);
    bucket->next_ended = self->ended;
    self->ended = bucket;
}

const struct registered_device *
registered_devices_ended(const registered_devices_t *self)
{
    return self->ended ? self->ended->first : NULL;
}

void
registered_devices_forget_ended(registered_devices_t *self)
{
    struct scene_bucket *bucket = self->ended;
    struct registered_device *device = bucket->first;
    unindex(self, device);
    unlink_device(device);
    registered_destroy(device);
    if (bucket->first)
        return;
    self->ended = bucket->next_ended;
    free(bucket);
}

void
registered_devices_destroy(registered_devices_t **self)
{
    if (!*self)
        return;
    size_t cursor = 0;
    struct registered_device *device;
    while ((device = table_next(&(*self)->by_place, &cursor)) != NULL)
        registered_destroy(device);
    cursor = 0;
    struct scene_bucket *bucket;
    while ((bucket = table_next(&(*self)->buckets, &cursor)) != NULL)
        free(bucket);
    while ((bucket = (*self)->ended) != NULL) {
        (*self)->ended = bucket->next_ended;
        free(bucket);
    }
    table_finish(&(*self)->by_token);
    table_finish(&(*self)->by_place);
    table_finish(&(*self)->buckets);
    free(*self);
    *self = NULL;
}
