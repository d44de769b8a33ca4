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

const struct token_grant *
token_index_find(const struct shard *self, const struct text *token)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    return feed_token_hash(token, hash) ? table_find(&self->tokens, place_of(hash), has_hash, hash)
                                        : NULL;
}

const frozen_t *
device_of_token(const struct shard *self, const struct scene_state *scene, const struct text *token)
{
    const struct token_grant *grant = token_index_find(self, token);
    return grant && grant->scene == scene ? grant->device : NULL;
}

void
token_index_put(struct shard *self, const struct scene_state *scene, const frozen_t *device)
{
    const struct text *hash = device_of(frozen_record(device))->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return; // it was registered before there were tokens
    struct token_grant *grant = memory_take_zeroed(sizeof *grant);
    *grant = (struct token_grant){scene, record_ref(device)};
    table_add(&self->tokens, place_of(text_bytes(hash)), grant);
}

void
token_index_remove(struct shard *self, const frozen_t *device)
{
    const struct text *hash = device_of(frozen_record(device))->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return;
    uint64_t place = place_of(text_bytes(hash));
    struct token_grant *grant = table_find(&self->tokens, place, has_hash, text_chars(hash));
    if (!grant)
        return;
    table_remove(&self->tokens, place, grant);
    record_unref(&grant->device);
    free(grant);
}

void
token_index_end_scene(struct shard *self, struct scene_state *scene)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++)
        token_index_remove(self, devices[i]);
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
