// ends.c - what a relationship relates, and who may read it (decisions 12). Runs on the asset
// actor's thread.
#include "actors/access.h"
#include "actors/library.h"

// What this actor keeps and relationships may lead to.
static const struct resource *const kept[] = {&project_resource, &collection_resource,
                                              &asset_resource};

// Whether the caller may read what is kept elsewhere under this key: a scene, an object, whatever;
// also what does not exist. HOOK: those who keep scenes are not asked yet, so everybody may.
static bool
is_foreign_seen(const struct caller *caller, const struct text *key)
{
    (void)caller, (void)key;
    return true;
}

static const struct record *
find_kept(const struct ledger *self, const struct text *key, const struct resource **ret_resource)
{
    const struct record *record = NULL;
    for (size_t i = 0; !record && i < sizeof kept / sizeof kept[0]; i++) {
        record = ledger_find(self, kept[i]->kind, key);
        *ret_resource = kept[i];
    }
    return record;
}

static bool
is_end_seen(const struct ledger *self, const struct caller *caller, const struct text *key)
{
    const struct resource *resource;
    const struct record *record = find_kept(self, key, &resource);
    return record ? resource_is_seen(resource, caller, record) : is_foreign_seen(caller, key);
}

fallible
ends_find_seen(struct ledger *self, struct message *message, const struct record *const *items,
               size_t count, bool **ret_seen)
{
    const struct caller *caller = &message->caller;
    bool *seen = arena_alloc(&message->arena, count + 1);
    for (size_t i = 0; i < count; i++)
        seen[i] = is_end_seen(self, caller, record_text(items[i], RELATIONSHIP_ASSET)) &&
                  is_end_seen(self, caller, record_text(items[i], RELATIONSHIP_RELATED));
    *ret_seen = seen;
    return OK;
}

static fallible
check_owner(const struct message *message, const struct text *owner)
{
    const struct access_item item = {.owner = owner, .is_public = true};
    return access_check(message, &item);
}

fallible
ends_check_change(const struct ledger *self, const struct message *message,
                  const struct record *link)
{
    const struct resource *resource;
    const struct record *asset = find_kept(self, record_text(link, RELATIONSHIP_ASSET), &resource);
    if (asset && check_owner(message, record_text(asset, resource->owner)) == OK)
        return OK;
    return check_owner(message, record_text(link, RELATIONSHIP_USER));
}
