// token_index.c - which registration a feed token names. A token is good from the commit of a
// registration to that of its end. Registrations end with the access of their user (departures.c),
// so a sender with a token may change what is in its scene.

#include "actors/scene/token_index.h"

#include <stdlib.h>
#include <string.h>

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/feed/feed_token.h"
#include "proto/records/device.h"

// A device that was heard.
struct heard_device {
    const frozen_t *device; // as the table of tokens has it
    uint64_t heard_us;      // calendar: its newest update by UDP
};

static bool
has_hash(const void *value, const void *key)
{
    struct opened room;
    return text_is(device_open(value, &room)->token, key);
}

static bool
is_of_device(const void *value, const void *key)
{
    return ((const struct heard_device *)value)->device == key;
}

// Hashes are random: any of their bits spread well.
static uint64_t
place_of(const char *hash)
{
    uint64_t place;
    memcpy(&place, hash, sizeof place);
    return table_hash_u64(place);
}

// The place of a registration; false where it is from before there were tokens.
static bool
find_place(const frozen_t *device, uint64_t *ret_place)
{
    struct opened room;
    const struct text *hash = device_open(device, &room)->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return false;
    *ret_place = place_of(text_bytes(hash));
    return true;
}

// `*ret_place` is the place of the registration that comes back.
static const frozen_t *
find_token(const struct shard *self, const struct text *token, uint64_t *ret_place)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    if (text_size(token) == sizeof hash - 1) // of a sealed datagram (udp_parser.h)
        memcpy(hash, token->data, sizeof hash);
    else if (!feed_token_hash(token, hash))
        return NULL;
    *ret_place = place_of(hash);
    return table_find(&self->tokens, *ret_place, has_hash, hash);
}

const frozen_t *
token_index_find(const struct shard *self, const struct text *token)
{
    uint64_t place;
    return find_token(self, token, &place);
}

bool
device_is_leaving(const struct shard *self, const struct scene_state *scene,
                  const struct text *device)
{
    const struct change *change = staging_latest(&self->staging, KEY_DEVICE, scene, device);
    return change && !change->record;
}

// --- when devices were heard ---

static struct heard_device *
find_heard(const struct shard *self, uint64_t place, const frozen_t *device)
{
    return table_find(&self->heard, place, is_of_device, device);
}

static void
note_heard(struct shard *self, uint64_t place, const frozen_t *device)
{
    struct heard_device *heard = find_heard(self, place, device);
    if (!heard) {
        heard = memory_take(sizeof *heard);
        heard->device = device;
        table_add(&self->heard, place, heard);
    }
    heard->heard_us = self->heard_us;
}

static void
forget_heard(struct shard *self, uint64_t place, const frozen_t *device)
{
    struct heard_device *heard = find_heard(self, place, device);
    if (!heard)
        return;
    table_remove(&self->heard, place, heard);
    free(heard);
}

uint64_t
token_index_heard_us(const struct shard *self, const frozen_t *device)
{
    uint64_t place;
    const struct heard_device *heard =
        find_place(device, &place) ? find_heard(self, place, device) : NULL;
    return heard ? heard->heard_us : 0;
}

const frozen_t *
device_of_token(struct shard *self, const struct scene_state *scene, const struct text *token)
{
    uint64_t place;
    const frozen_t *device = find_token(self, token, &place);
    if (!device || record_set_find(&scene->devices, frozen_key(device)) != device ||
        device_is_leaving(self, scene, frozen_key(device)))
        return NULL;
    note_heard(self, place, device);
    return device;
}

// --- registrations ---

void
token_index_put(struct shard *self, const frozen_t *device)
{
    uint64_t place;
    if (find_place(device, &place))
        table_add(&self->tokens, place, (void *)(uintptr_t)record_ref(device));
}

void
token_index_remove(struct shard *self, const frozen_t *device)
{
    struct opened room;
    uint64_t place;
    if (!find_place(device, &place))
        return;
    const frozen_t *removed =
        table_find(&self->tokens, place, has_hash, text_chars(device_open(device, &room)->token));
    if (!removed)
        return;
    forget_heard(self, place, removed);
    table_remove(&self->tokens, place, removed);
    record_unref(&removed);
}

void
token_index_finish(struct shard *self)
{
    size_t cursor = 0;
    for (const frozen_t *device; (device = table_next(&self->tokens, &cursor)) != NULL;)
        record_unref(&device);
    cursor = 0;
    for (struct heard_device *heard; (heard = table_next(&self->heard, &cursor)) != NULL;)
        free(heard);
    table_finish(&self->tokens);
    table_finish(&self->heard);
}
