// token_index.c - which registration a feed token names. A grant exists from the commit of a
// registration to that of its end. Registrations end with the access of their user (departures.c),
// so a sender with a grant may change what is in its scene.

#include "actors/scene/token_index.h"

#include <stdlib.h>
#include <string.h>

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/feed/feed_token.h"
#include "proto/records/device.h"

static bool
has_hash(const void *value, const void *key)
{
    const struct token_grant *grant = value;
    return text_is(device_of(frozen_record(grant->device))->token, key);
}

// Hashes are random: any of their bits spread well.
static uint64_t
place_of(const char *hash)
{
    uint64_t place;
    memcpy(&place, hash, sizeof place);
    return table_hash_u64(place);
}

// A sealed datagram names its sender by the hash of the token (udp_parser.h).
static struct token_grant *
find_grant(const struct shard *self, const struct text *token)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    if (text_size(token) == sizeof hash - 1)
        memcpy(hash, token->data, sizeof hash);
    else if (!feed_token_hash(token, hash))
        return NULL;
    return table_find(&self->tokens, place_of(hash), has_hash, hash);
}

const struct token_grant *
token_index_find(const struct shard *self, const struct text *token)
{
    return find_grant(self, token);
}

bool
device_is_leaving(const struct shard *self, const struct scene_state *scene,
                  const struct text *device)
{
    const struct change *change = staging_latest(&self->staging, KEY_DEVICE, scene, device);
    return change && !change->record;
}

const frozen_t *
device_of_token(const struct shard *self, const struct scene_state *scene, const struct text *token)
{
    struct token_grant *grant = find_grant(self, token);
    if (!grant || grant->scene != scene ||
        device_is_leaving(self, scene, frozen_key(grant->device)))
        return NULL;
    grant->heard_us = self->heard_us;
    return grant->device;
}

// The grant of a registration, and its place; NULL where it is from before there were tokens.
static struct token_grant *
grant_of(const struct shard *self, const frozen_t *device, uint64_t *ret_place)
{
    const struct text *hash = device_of(frozen_record(device))->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return NULL;
    *ret_place = place_of(text_bytes(hash));
    return table_find(&self->tokens, *ret_place, has_hash, text_chars(hash));
}

uint64_t
token_index_heard_us(const struct shard *self, const frozen_t *device)
{
    uint64_t place;
    const struct token_grant *grant = grant_of(self, device, &place);
    return grant ? grant->heard_us : 0;
}

void
token_index_put(struct shard *self, const struct scene_state *scene, const frozen_t *device)
{
    const struct text *hash = device_of(frozen_record(device))->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return; // it was registered before there were tokens
    struct token_grant *grant = memory_take_zeroed(sizeof *grant);
    *grant = (struct token_grant){.scene = scene, .device = record_ref(device)};
    table_add(&self->tokens, place_of(text_bytes(hash)), grant);
}

void
token_index_remove(struct shard *self, const frozen_t *device)
{
    uint64_t place;
    struct token_grant *grant = grant_of(self, device, &place);
    if (!grant)
        return;
    table_remove(&self->tokens, place, grant);
    record_unref(&grant->device);
    free(grant);
}

void
token_index_finish(struct shard *self)
{
    size_t cursor = 0;
    struct token_grant *grant;
    while ((grant = table_next(&self->tokens, &cursor)) != NULL) {
        record_unref(&grant->device);
        free(grant);
    }
    table_finish(&self->tokens);
}
