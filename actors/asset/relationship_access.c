// relationship_access.c - who may read the two ends of a relationship. Runs on the asset actor's
// thread.
#include "actors/asset/relationship_access.h"

#include "actors/asset/asset_state.h"
#include "actors/repository/resource.h"
#include "proto/message/access_item.h"
#include "proto/message/partition.h"
#include "proto/records/relationship.h"

// What find_kept looks at: a key may be that of any kind.
void
relationship_access_need(const struct repository *self, struct needs *needs, struct arena *arena,
                         const struct text *key)
{
    const struct asset_actor *actor = (const struct asset_actor *)(const void *)self;
    for (const struct resource *const *kept = actor->related; *kept; kept++)
        needs_add(needs, arena, (*kept)->kind, 0, key);
}

static const struct record *
find_kept(const struct repository *self, const struct text *key,
          const struct resource **ret_resource)
{
    const struct asset_actor *actor = (const struct asset_actor *)(const void *)self;
    const struct record *record = NULL;
    for (const struct resource *const *kept = actor->related; !record && *kept; kept++) {
        record = frozen_record(repository_find(self, (*kept)->kind, key));
        *ret_resource = *kept;
    }
    return record;
}

// What is known of the record that a key names.
enum sight { SEEN, HIDDEN, NOT_KEPT };

// What the caller may know of it; after need_places.
static enum sight
sight_of(const struct repository *self, const struct message *message, const struct text *key)
{
    const struct resource *resource;
    const struct record *record = find_kept(self, key, &resource);
    if (record)
        return resource_is_seen(resource, &message->caller, record) ? SEEN : HIDDEN;
    const struct place *place = scene_lookup_find(message, key);
    if (!place || !place->scene_id)
        return NOT_KEPT;
    return place->is_seen ? SEEN : HIDDEN;
}

// A key that no actor keeps may be seen by everybody: its writer alone knows what it means.
static bool
is_end_seen(const struct repository *self, const struct message *message, const struct text *key)
{
    return sight_of(self, message, key) != HIDDEN;
}

// Fetches what is kept here of the keys, and learns which of the others lie in scenes, and whether
// the caller may read these.
static fallible
need_places(struct repository *self, struct message *message, const struct text *const *keys,
            size_t count)
{
    const struct text **asked = arena_alloc(&message->arena, (count + 1) * sizeof *asked);
    const struct resource *resource;
    struct needs needs = {0};
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        relationship_access_need(self, &needs, &message->arena, keys[i]);
    TRY(repository_need(self, &needs, message));
    for (size_t i = 0; i < count; i++)
        if (!find_kept(self, keys[i], &resource))
            asked[found++] = keys[i];
    return scene_lookup_need(&asset_actor_of(self)->lookups, &self->base, message, asked, found);
}

const struct text *const *
relationship_ends(struct arena *arena, const struct record *const *items, size_t count)
{
    const struct text **keys = arena_alloc(arena, (2 * count + 1) * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        keys[2 * i] = record_text(items[i], RELATIONSHIP_ASSET);
        keys[2 * i + 1] = record_text(items[i], RELATIONSHIP_RELATED);
    }
    return keys;
}

fallible
relationship_access_find_seen(struct repository *self, struct message *message,
                              const struct record *const *items, size_t count, bool **ret_seen)
{
    bool sees_all = access_sees_all(&message->caller);
    bool *seen = arena_alloc(&message->arena, count + 1);
    if (!sees_all)
        TRY(need_places(self, message, relationship_ends(&message->arena, items, count),
                        2 * count));
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

// Whether the caller may lead a relationship there. Users are kept by another actor: nobody but
// themselves can be named.
static bool
may_be_end(const struct repository *self, const struct message *message, const struct text *key)
{
    enum sight sight = sight_of(self, message, key);
    return sight == SEEN ||
           (sight == NOT_KEPT && (!key_is_generated(key) || text_is(key, message->caller.user)));
}

fallible
relationship_access_check_ends(struct repository *self, struct message *message,
                               const struct text *const *keys, size_t count)
{
    bool sees_all = access_sees_all(&message->caller);
    TRY(need_places(self, message, keys, count)); // of all callers: relationship_cleanup_note
    for (size_t i = 0; i < count && !sees_all; i++)
        if (!may_be_end(self, message, keys[i]))
            return fail(ERR_NOT_FOUND, "", "there is no such asset, or no record to relate it to");
    for (size_t i = 0; i < count; i++)
        if (is_leaving(self, keys[i]))
            return fail(ERR_NOT_FOUND, "", "%s was deleted just now", text_chars(keys[i]));
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
