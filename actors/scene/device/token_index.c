// token_index.c - which registration a feed token names (live-feed, "UDP in"). A pass is there from
// the commit of a registration to that of its end. Registrations end when their user's access does
// (departures.c), so whoever has a pass may change what is in its scene.
// Runs on the scene actor's thread.

#include <stdlib.h>
#include <string.h>
#include "proto/feed/feed_token.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/records/device.h"

static const struct device *
device_of(const struct record *record)
{
    return (const struct device *)(const void *)record;
}

static bool
has_hash(const void *value, const void *key)
{
    const struct pass *pass = value;
    return text_is(device_of(pass->device)->token, key);
}

// Hashes are random: any of their bits spread well.
static uint64_t
place_of(const char *hash)
{
    uint64_t place;
    memcpy(&place, hash, sizeof place);
    return table_hash_u64(place);
}

const struct pass *
pass_find(const struct shard *self, const struct text *token)
{
    char hash[FEED_TOKEN_HASH_SIZE];
    return feed_token_hash(token, hash) ? table_find(&self->passes, place_of(hash), has_hash, hash)
                                        : NULL;
}

const struct record *
device_of_token(const struct shard *self, const struct scene_state *scene, const struct text *token)
{
    const struct pass *pass = pass_find(self, token);
    return pass && pass->scene == scene ? pass->device : NULL;
}

void
pass_put(struct shard *self, const struct scene_state *scene, const struct record *device)
{
    const struct text *hash = device_of(device)->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return; // it was registered before there were tokens
    struct pass *pass = memory_take_zeroed(sizeof *pass);
    *pass = (struct pass){scene, record_ref(device)};
    table_add(&self->passes, place_of(text_chars(hash)), pass);
}

void
pass_remove(struct shard *self, const struct record *device)
{
    const struct text *hash = device_of(device)->token;
    if (text_size(hash) != FEED_TOKEN_HASH_SIZE - 1)
        return;
    uint64_t place = place_of(text_chars(hash));
    struct pass *pass = table_find(&self->passes, place, has_hash, text_chars(hash));
    if (!pass)
        return;
    table_remove(&self->passes, place, pass);
    record_unref(&pass->device);
    free(pass);
}

void
passes_end_scene(struct shard *self, struct scene_state *scene)
{
    size_t count;
    const struct record *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++)
        pass_remove(self, devices[i]);
}

void
passes_finish(struct shard *self)
{
    size_t cursor = 0;
    struct pass *pass;
    while ((pass = table_next(&self->passes, &cursor)) != NULL) {
        record_unref(&pass->device);
        free(pass);
    }
    table_finish(&self->passes);
}
