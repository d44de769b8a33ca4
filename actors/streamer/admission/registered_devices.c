// registered_devices.c - registered devices, by token and by place (guests.h).

#include "actors/streamer/admission/registered_devices.h"
#include <stdlib.h>
#include <string.h>
#include "proto/base/memory.h"

// The guests of one scene.
struct hall {
    uint64_t scene_id;
    struct guest *first;
};

struct guests {
    struct table by_token;
    struct table by_place;
    struct table halls; // by scene id
};

struct place {
    uint64_t scene_id;
    const struct text *key;
};

guests_t *
guests_create(void)
{
    return memory_take_zeroed(sizeof(struct guests));
}

static const struct text *
key_of(const struct guest *guest)
{
    return guest->device->key;
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
    return text_is(((const struct guest *)value)->device->token, key);
}

static bool
has_place(const void *value, const void *key)
{
    const struct guest *guest = value;
    const struct place *place = key;
    return guest->scene_id == place->scene_id && text_equal(key_of(guest), place->key);
}

static bool
has_scene(const void *value, const void *key)
{
    return ((const struct hall *)value)->scene_id == *(const uint64_t *)key;
}

// --- halls ---

static void
hall_enter(guests_t *self, struct guest *guest)
{
    uint64_t hash = table_hash_u64(guest->scene_id);
    struct hall *hall = table_find(&self->halls, hash, has_scene, &guest->scene_id);
    if (!hall) {
        hall = memory_take_zeroed(sizeof *hall);
        hall->scene_id = guest->scene_id;
        table_add(&self->halls, hash, hall);
    }
    guest->next_in_scene = hall->first;
    guest->in_scene = &hall->first;
    if (hall->first)
        hall->first->in_scene = &guest->next_in_scene;
    hall->first = guest;
}

static void
hall_leave(guests_t *self, struct guest *guest)
{
    uint64_t hash = table_hash_u64(guest->scene_id);
    struct hall *hall = table_find(&self->halls, hash, has_scene, &guest->scene_id);
    *guest->in_scene = guest->next_in_scene;
    if (guest->next_in_scene)
        guest->next_in_scene->in_scene = guest->in_scene;
    if (hall->first)
        return;
    table_remove(&self->halls, hash, hall);
    free(hall);
}

// --- guests ---

static bool
is_known_by_token(const struct guest *guest)
{
    return text_size(guest->device->token) == FEED_TOKEN_HASH_SIZE - 1;
}

static void
guest_destroy(struct guest *guest)
{
    const struct record *device = &guest->device->base;
    record_unref(&device);
    free(guest);
}

static void
dismiss(guests_t *self, struct guest *guest)
{
    if (is_known_by_token(guest))
        table_remove(&self->by_token, hash_of_token(text_chars(guest->device->token)), guest);
    table_remove(&self->by_place, hash_of_place(guest->scene_id, key_of(guest)), guest);
    hall_leave(self, guest);
    guest_destroy(guest);
}

struct guest *
guests_put(guests_t *self, const struct event *event)
{
    guests_remove(self, event->scene_id, record_key(event->record));
    struct guest *guest = memory_take_zeroed(sizeof *guest);
    guest->scene_id = event->scene_id;
    guest->since = event->seq;
    guest->is_old = event->msg_type == EVENT_DEVICE_KNOWN;
    guest->device = (const struct device *)(const void *)record_ref(event->record);
    table_add(&self->by_place, hash_of_place(guest->scene_id, key_of(guest)), guest);
    if (is_known_by_token(guest))
        table_add(&self->by_token, hash_of_token(text_chars(guest->device->token)), guest);
    hall_enter(self, guest);
    return guest;
}

struct guest *
guests_find(const guests_t *self, const char token_hash[FEED_TOKEN_HASH_SIZE])
{
    return table_find(&self->by_token, hash_of_token(token_hash), has_token, token_hash);
}

struct guest *
guests_at(const guests_t *self, uint64_t scene_id, const struct text *key)
{
    const struct place place = {scene_id, key};
    return table_find(&self->by_place, hash_of_place(scene_id, key), has_place, &place);
}

void
guests_remove(guests_t *self, uint64_t scene_id, const struct text *key)
{
    struct guest *guest = guests_at(self, scene_id, key);
    if (guest)
        dismiss(self, guest);
}

void
guests_end_scene(guests_t *self, uint64_t scene_id)
{
    struct hall *hall;
    while ((hall = table_find(&self->halls, table_hash_u64(scene_id), has_scene, &scene_id)) !=
           NULL)
        dismiss(self, hall->first); // the last one takes the hall along
}

void
guests_destroy(guests_t **self)
{
    if (!*self)
        return;
    size_t cursor = 0;
    struct guest *guest;
    while ((guest = table_next(&(*self)->by_place, &cursor)) != NULL)
        guest_destroy(guest);
    cursor = 0;
    struct hall *hall;
    while ((hall = table_next(&(*self)->halls, &cursor)) != NULL)
        free(hall);
    table_finish(&(*self)->by_token);
    table_finish(&(*self)->by_place);
    table_finish(&(*self)->halls);
    free(*self);
    *self = NULL;
}
