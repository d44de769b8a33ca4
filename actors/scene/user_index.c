// user_index.c - a table of users, each with a table of scenes and how many devices are in them.

#include "actors/scene/user_index.h"

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/records/device.h"

// A scene that a user has devices in.
struct presence {
    struct scene_state *scene; // it is in the index, with these devices
    size_t devices;
};

// A user who has devices in scenes.
struct indexed_user {
    struct table presences; // by the id of their scene
    struct text *id;        // owned
};

static bool
has_id(const void *value, const void *key)
{
    return text_equal(((const struct indexed_user *)value)->id, key);
}

static bool
is_in(const void *value, const void *key)
{
    return ((const struct presence *)value)->scene == key;
}

static struct indexed_user *
find_user(const struct shard *self, const struct text *user)
{
    return table_find(&self->users, table_hash_text(user), has_id, user);
}

static struct indexed_user *
user_of(struct shard *self, const struct text *user)
{
    struct indexed_user *found = find_user(self, user);
    if (found)
        return found;
    found = memory_take_zeroed(sizeof *found);
    found->id = text_duplicate(user);
    table_add(&self->users, table_hash_text(user), found);
    return found;
}

static const struct text *
owner_of(const frozen_t *device)
{
    struct opened room;
    return frozen_has(device, DEVICE_USER) ? device_open(device, &room)->user : NULL;
}

void
user_index_put(struct shard *self, struct scene_state *scene, const frozen_t *device)
{
    if (text_size(owner_of(device)) == 0)
        return;
    struct indexed_user *user = user_of(self, owner_of(device));
    uint64_t hash = table_hash_u64(scene->id);
    struct presence *presence = table_find(&user->presences, hash, is_in, scene);
    if (!presence) {
        presence = memory_take_zeroed(sizeof *presence);
        presence->scene = scene;
        table_add(&user->presences, hash, presence);
    }
    presence->devices++;
}

static void
user_destroy(struct indexed_user *user)
{
    table_finish(&user->presences);
    free(user->id);
    free(user);
}

void
user_index_remove(struct shard *self, struct scene_state *scene, const frozen_t *device)
{
    struct indexed_user *user = find_user(self, owner_of(device));
    uint64_t hash = table_hash_u64(scene->id);
    struct presence *presence = user ? table_find(&user->presences, hash, is_in, scene) : NULL;
    if (!presence || --presence->devices > 0)
        return;
    table_remove(&user->presences, hash, presence);
    free(presence);
    if (user->presences.count > 0)
        return;
    table_remove(&self->users, table_hash_text(user->id), user);
    user_destroy(user);
}

struct scene_state *
user_index_next(const struct shard *self, const struct text *user, size_t *cursor)
{
    const struct indexed_user *found = find_user(self, user);
    const struct presence *presence = found ? table_next(&found->presences, cursor) : NULL;
    return presence ? presence->scene : NULL;
}

void
user_index_finish(struct shard *self)
{
    struct indexed_user *user;
    for (size_t cursor = 0; (user = table_next(&self->users, &cursor)) != NULL;) {
        struct presence *presence;
        for (size_t at = 0; (presence = table_next(&user->presences, &at)) != NULL;)
            free(presence);
        user_destroy(user);
    }
    table_finish(&self->users);
}
