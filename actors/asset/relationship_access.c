// relationship_access.c - who may read the two ends of a relationship. Runs on the asset actor's
// thread.
#include "actors/asset/relationship_access.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/assets.h"
#include "actors/asset/projects.h"
#include "actors/runtime/access.h"
#include "proto/records/relationship.h"

// The records of this actor that relationships may lead to.
static const struct resource *const kept[] = {&project_resource, &collection_resource,
                                              &asset_resource};

static const struct record *
find_kept(const struct repository *self, const struct text *key,
          const struct resource **ret_resource)
{
    const struct record *record = NULL;
    for (size_t i = 0; !record && i < sizeof kept / sizeof kept[0]; i++) {
        record = frozen_record(repository_find(self, kept[i]->kind, key));
        *ret_resource = kept[i];
    }
    return record;
}

// A key that no actor keeps may be seen by everybody: its writer alone knows what it means.
static bool
is_end_seen(const struct repository *self, const struct message *message, const struct text *key)
{
    const struct resource *resource;
    const struct record *record = find_kept(self, key, &resource);
    if (record)
        return resource_is_seen(resource, &message->caller, record);
    const struct place *place = scene_lookup_find(message, key);
    return !place || place->is_seen;
}

// Learns which ends lie in scenes, and whether the caller may read these.
static fallible
need_places(struct repository *self, struct message *message, const struct record *const *items,
            size_t count)
{
    static const unsigned ends[] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};
    const struct text **keys = arena_alloc(&message->arena, (2 * count + 1) * sizeof *keys);
    const struct resource *resource;
    size_t found = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const struct text *key = record_text(items[i / 2], ends[i % 2]);
        if (!find_kept(self, key, &resource))
            keys[found++] = key;
    }
    return scene_lookup_need(&asset_actor_of(self)->lookups, &self->base, message, keys, found);
}

fallible
relationship_access_find_seen(struct repository *self, struct message *message,
                              const struct record *const *items, size_t count, bool **ret_seen)
{
    bool sees_all = access_sees_all(&message->caller);
    bool *seen = arena_alloc(&message->arena, count + 1);
    if (!sees_all)
        TRY(need_places(self, message, items, count));
    for (size_t i = 0; i < count; i++)
        seen[i] =
            sees_all || (is_end_seen(self, message, record_text(items[i], RELATIONSHIP_ASSET)) &&
                         is_end_seen(self, message, record_text(items[i], RELATIONSHIP_RELATED)));
    *ret_seen = seen;
    return OK;
}

// Whether it is kept here, and its deletion is staged.
static bool
is_leaving(const struct repository *self, const struct text *key)
{
    const struct resource *resource;
    return find_kept(self, key, &resource) && !repository_latest(self, resource->kind, key);
}

fallible
relationship_access_check_stay(const struct repository *self, const struct record *link)
{
    static const unsigned ends[] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (is_leaving(self, record_text(link, ends[i])))
            return fail(ERR_NOT_FOUND, "", "%s was deleted just now",
                        text_chars(record_text(link, ends[i])));
    return OK;
}

static fallible
check_owner(const struct message *message, const struct text *owner)
{
    const struct access_item item = {.owner = owner, .is_public = true};
    return access_check(message, &item);
}

fallible
relationship_access_check_change(const struct repository *self, const struct message *message,
                                 const struct record *link)
{
    const struct resource *resource;
    const struct record *asset = find_kept(self, record_text(link, RELATIONSHIP_ASSET), &resource);
    if (asset && check_owner(message, record_text(asset, resource->owner)) == OK)
        return OK;
    return check_owner(message, record_text(link, RELATIONSHIP_USER));
}
