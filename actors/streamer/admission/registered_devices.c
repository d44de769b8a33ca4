// registered_devices.c - registered devices, by token and by place (registered_devices.h).

#include "actors/streamer/admission/registered_devices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct registered_scene {
    uint64_t scene_id;
    struct registered_device *first;
    bool has_ended;
    struct registered_scene *next_ended;
};

struct registered_devices {
    struct table by_token;
    struct table by_place;
    struct table scenes; // by id, those that have not ended
    struct registered_scene *ended;
    uint32_t tickets;
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
    return frozen_key(device->frozen);
}

uint64_t
registered_scene_id(const struct registered_device *device)
{
    return device->scene->scene_id;
}

struct greeting *
registered_greeting(struct registered_device *device)
{
    if (!device->greeting)
        device->greeting = memory_take_zeroed(sizeof *device->greeting);
    return device->greeting;
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
    struct opened room;
    return text_is(registered_open(value, &room)->token, key);
}

static bool
has_place(const void *value, const void *key)
{
    const struct registered_device *device = value;
    const struct place *place = key;
    return registered_scene_id(device) == place->scene_id && text_equal(key_of(device), place->key);
}

static bool
has_scene(const void *value, const void *key)
{
    return ((const struct registered_scene *)value)->scene_id == *(const uint64_t *)key;
}

// --- scenes ---

static struct registered_scene *
find_scene(const registered_devices_t *self, uint64_t scene_id)
{
    return table_find(&self->scenes, table_hash_u64(scene_id), has_scene, &scene_id);
}

static struct registered_scene *
find_or_add_scene(registered_devices_t *self, uint64_t scene_id)
{
    struct registered_scene *scene = find_scene(self, scene_id);
    if (!scene) {
        scene = memory_take_zeroed(sizeof *scene);
        scene->scene_id = scene_id;
        table_add(&self->scenes, table_hash_u64(scene_id), scene);
    }
    return scene;
}

static void
link_device(struct registered_scene *scene, struct registered_device *device)
{
    device->scene = scene;
    device->next_in_scene = scene->first;
    device->in_scene = &scene->first;
    if (scene->first)
        scene->first->in_scene = &device->next_in_scene;
    scene->first = device;
}

static void
unlink_device(struct registered_device *device)
{
    *device->in_scene = device->next_in_scene;
    if (device->next_in_scene)
        device->next_in_scene->in_scene = device->in_scene;
}

// --- devices ---

// False: it is not known by its token.
static bool
find_hash_of_its_token(const struct registered_device *device, uint64_t *ret_hash)
{
    struct opened room;
    const struct text *token = registered_open(device, &room)->token;
    if (text_size(token) != FEED_TOKEN_HASH_SIZE - 1)
        return false;
    *ret_hash = hash_of_token(text_bytes(token));
    return true;
}

static void
registered_destroy(struct registered_device *device)
{
    assert(!device->subscriber.lane);
    record_unref(&device->frozen);
    device_sealer_unref(&device->subscriber.sealer);
    free(device->greeting);
    free(device);
}

static void
forget_token(registered_devices_t *self, struct registered_device *device)
{
    uint64_t hash;
    if (find_hash_of_its_token(device, &hash))
        table_remove(&self->by_token, hash, device);
}

static void
unindex(registered_devices_t *self, struct registered_device *device)
{
    forget_token(self, device);
    table_remove(&self->by_place, hash_of_place(registered_scene_id(device), key_of(device)),
                 device);
}

// The device, or NULL if its scene has ended.
static struct registered_device *
of_living_scene(struct registered_device *device)
{
    return device && !device->scene->has_ended ? device : NULL;
}

static struct registered_device *
add_device(registered_devices_t *self, const struct event *event)
{
    struct registered_device *device = memory_take_zeroed(sizeof *device);
    device->frozen = record_ref(event->record);
    link_device(find_or_add_scene(self, event->scene_id), device);
    table_add(&self->by_place, hash_of_place(event->scene_id, key_of(device)), device);
    return device;
}

// Of the earlier registration nothing is left but the feed, which may go on.
static void
end_registration(registered_devices_t *self, struct registered_device *device)
{
    forget_token(self, device);
    record_unref(&device->frozen);
    free(device->greeting);
    device->greeting = NULL;
    device->heard_us = 0;
}

// Its datagrams are in the clear where the registration has no key.
static void
set_sealer(struct registered_device *device)
{
    struct opened room;
    struct device_sealer *sealer = frozen_has(device->frozen, DEVICE_SEAL_KEY)
                                       ? device_sealer_create(registered_open(device, &room))
                                       : NULL;
    subscribers_set_sealer(&device->subscriber, sealer);
    device_sealer_unref(&sealer);
}

struct registered_device *
registered_devices_put(registered_devices_t *self, const struct event *event)
{
    struct registered_device *device =
        registered_devices_at(self, event->scene_id, frozen_key(event->record));
    if (device) {
        end_registration(self, device);
        device->frozen = record_ref(event->record);
    } else {
        device = add_device(self, event);
    }
    device->ticket = ++self->tickets;
    device->is_old = event->msg_type == EVENT_DEVICE_KNOWN;
    set_sealer(device);
    uint64_t hash;
    if (find_hash_of_its_token(device, &hash))
        table_add(&self->by_token, hash, device);
    return device;
}

struct registered_device *
registered_devices_find(const registered_devices_t *self,
                        const char token_hash[FEED_TOKEN_HASH_SIZE])
{
    return of_living_scene(
        table_find(&self->by_token, hash_of_token(token_hash), has_token, token_hash));
}

struct registered_device *
registered_devices_at(const registered_devices_t *self, uint64_t scene_id, const struct text *key)
{
    const struct place place = {scene_id, key};
    return of_living_scene(
        table_find(&self->by_place, hash_of_place(scene_id, key), has_place, &place));
}

void
registered_devices_remove(registered_devices_t *self, struct registered_device *device)
{
    struct registered_scene *scene = device->scene;
    unindex(self, device);
    unlink_device(device);
    registered_destroy(device);
    if (scene->first)
        return;
    table_remove(&self->scenes, table_hash_u64(scene->scene_id), scene);
    free(scene);
}

void
registered_devices_end_scene(registered_devices_t *self, uint64_t scene_id)
{
    struct registered_scene *scene = find_scene(self, scene_id);
    if (!scene)
        return;
    table_remove(&self->scenes, table_hash_u64(scene_id), scene);
    scene->has_ended = true;
    scene->next_ended = self->ended;
    self->ended = scene;
}

struct registered_device *
registered_devices_ended(const registered_devices_t *self)
{
    return self->ended ? self->ended->first : NULL;
}

void
registered_devices_forget_ended(registered_devices_t *self)
{
    struct registered_scene *scene = self->ended;
    struct registered_device *device = scene->first;
    unindex(self, device);
    unlink_device(device);
    registered_destroy(device);
    if (scene->first)
        return;
    self->ended = scene->next_ended;
    free(scene);
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
    struct registered_scene *scene;
    while ((scene = table_next(&(*self)->scenes, &cursor)) != NULL)
        free(scene);
    while ((scene = (*self)->ended) != NULL) {
        (*self)->ended = scene->next_ended;
        free(scene);
    }
    table_finish(&(*self)->by_token);
    table_finish(&(*self)->by_place);
    table_finish(&(*self)->scenes);
    free(*self);
    *self = NULL;
}
