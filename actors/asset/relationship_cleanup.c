// relationship_cleanup.c - the end of relationships to what was deleted from scenes. The asset
// actor knows the keys that assets are related to, but not what they are. A generated key begins
// with the partition of its scene; the scene actor that owned a deleted scene says which of the few
// keys with this partition were in it. Runs on the asset actor's thread.
#include "actors/asset/relationship_cleanup.h"

#include <stdlib.h>

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_find.h"
#include "actors/runtime/effects.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"
#include "proto/records/relationship.h"

static const struct text *
related_of(const frozen_t *link)
{
    return record_text(frozen_record(link), RELATIONSHIP_RELATED);
}

void
relationship_cleanup_note(const struct message *message, struct record *link)
{
    const struct place *place = scene_lookup_find(message, record_text(link, RELATIONSHIP_RELATED));
    record_set_integer(link, RELATIONSHIP_SCENE_ID, place ? place->scene_id : 0);
    record_set_integer(link, RELATIONSHIP_MOMENT, place ? place->moment : 0);
}

// Whether a relationship leads to an entity of the partition, or to the key.
typedef bool leads_to(const frozen_t *link, const void *to);

static bool
leads_to_part(const frozen_t *link, const void *part)
{
    uint16_t found;
    return partition_of_key(related_of(link), &found) && found == *(const uint16_t *)part;
}

static bool
leads_to_key(const frozen_t *link, const void *key)
{
    return text_equal(related_of(link), key);
}

// The work of a message.
struct ending {
    struct parcel base;
    struct page_walk walk;
    bool is_at_key; // what lies in the scene has ended
    bool has_found; // something that ends, and is not durable yet
};

static void
release(struct parcel *parcel)
{
    struct ending *self = (struct ending *)(void *)parcel;
    page_walk_finish(&self->walk);
    free(self);
}

static struct ending *
ending_of(struct message *message)
{
    if (!message->work) {
        struct ending *self = memory_take_zeroed(sizeof *self);
        self->base.destroy = release;
        message->work = &self->base;
    }
    return (struct ending *)(void *)message->work;
}

// Some relationships.
struct links {
    const frozen_t *const *items;
    size_t count;
};

// Those that lead there and are not durable yet; in the arena of the message.
static struct links
list_staged(const struct staging *staging, leads_to *leads, const void *to, struct message *message)
{
    const frozen_t **list =
        arena_alloc(&message->arena, (staging->latest.count + 1) * sizeof *list);
    const struct change *change;
    size_t count = 0;
    for (size_t cursor = 0; (change = staging_next(staging, KEY_RELATIONSHIP, &cursor)) != NULL;)
        if (change->record && leads(change->record, to))
            list[count++] = change->record;
    return (struct links){list, count};
}

// Ends one of them, as it will be, if it must end.
typedef fallible link_end(struct repository *repository, struct message *message,
                          const frozen_t *latest);

// What of the relationships is not staged to go. What is counts as found: whoever staged that may
// fail.
static fallible
end_some(struct repository *repository, struct message *message, struct links links, link_end *end)
{
    for (size_t i = 0; i < links.count; i++) {
        const frozen_t *latest =
            repository_latest(repository, RELATIONSHIPS, frozen_key(links.items[i]));
        if (latest && text_equal(related_of(latest), related_of(links.items[i])))
            TRY(end(repository, message, latest));
        else
            ending_of(message)->has_found = true;
    }
    return OK;
}

static fallible
end_one(struct repository *repository, struct message *message, const frozen_t *latest)
{
    TRY(repository_make_room(repository, message, room_for_one_of_many()));
    repository_delete(repository, RELATIONSHIPS, latest);
    ending_of(message)->has_found = true;
    return OK;
}

// --- what was in a scene ---

// Asks which of the keys were in it.
static fallible
need_places(struct asset_actor *self, struct message *message, struct links links)
{
    const struct text **keys = arena_alloc(&message->arena, (links.count + 1) * sizeof keys[0]);
    for (size_t i = 0; i < links.count; i++)
        keys[i] = related_of(links.items[i]);
    return scene_lookup_need(&self->lookups, &self->repository.base, message, keys, links.count);
}

static fallible
end_in_scene(struct repository *repository, struct message *message, const frozen_t *latest)
{
    const struct place *place = scene_lookup_find(message, related_of(latest));
    bool is_in = place && place->scene_id == effect_asked(message)->scene_id;
    return is_in ? end_one(repository, message, latest) : OK;
}

static struct links
links_of(const struct page_walk *walk)
{
    return walk->page ? (struct links){walk->page->records, walk->page->count} : (struct links){0};
}

// Goes to the next page, if `walk` has done with this one. What was found in it must be durable by
// then: its commit may fail, and who asked must hear of that, and not of what follows.
static fallible
next_page(struct repository *repository, struct message *message)
{
    struct ending *ending = ending_of(message);
    if (!ending->walk.page || ending->has_found)
        return OK;
    return page_walk_go_on(&ending->walk, repository, message);
}

// Ends what is in the page and must end. What one commit takes stays staged: when the handler runs
// again it passes over that and stages the rest.
static fallible
end_page_in(struct asset_actor *self, struct message *message)
{
    struct repository *repository = &self->repository;
    const struct ending *ending = ending_of(message);
    if (!ending->walk.page)
        return OK;
    TRY(page_walk_need(&ending->walk, repository, RELATIONSHIPS, message));
    TRY(need_places(self, message, links_of(&ending->walk)));
    return end_some(repository, message, links_of(&ending->walk), end_in_scene);
}

// Ends the relationships to everything that was in the scene, a page at a time: those of the first
// page that has some, then those that are not durable yet.
static fallible
end_all_in(struct asset_actor *self, struct message *message)
{
    struct repository *repository = &self->repository;
    struct ending *ending = ending_of(message);
    uint16_t part = partition_of_scene(effect_asked(message)->key);
    TRY(relationships_resume(repository, message, &ending->walk, INDEX_RELATIONSHIP_PARTITION,
                             text_format(&message->arena, "%03x", part)));
    TRY(end_page_in(self, message));
    TRY(next_page(repository, message));
    if (ending->has_found)
        return OK;
    const struct links staged = list_staged(&repository->staging, leads_to_part, &part, message);
    TRY(need_places(self, message, staged));
    return end_some(repository, message, staged, end_in_scene);
}

// --- what names a key ---

// Whether the relationship, which names the key, ends: what is newer leads to a scene that was made
// again since, or to none. Only the scene that is gone may have been seen later than its end was
// decided. The generated key of an entity never returns.
static bool
is_ended(const struct message *message, const frozen_t *record)
{
    const struct relationship *link = (const void *)frozen_record(record);
    int64_t scene_id = effect_asked(message)->scene_id;
    return !scene_id || link->scene_id == scene_id || effect_ends(message, BY_MOMENT, link->moment);
}

static fallible
end_if_ended(struct repository *repository, struct message *message, const frozen_t *latest)
{
    return is_ended(message, latest) ? end_one(repository, message, latest) : OK;
}

static fallible
end_named(struct repository *repository, struct message *message, struct links links)
{
    const struct text *key = effect_asked(message)->key;
    const frozen_t **named = arena_alloc(&message->arena, (links.count + 1) * sizeof *named);
    size_t count = 0;
    for (size_t i = 0; i < links.count; i++)
        if (leads_to_key(links.items[i], key)) // an index has the beginning of a long text only
            named[count++] = links.items[i];
    return end_some(repository, message, (struct links){named, count}, end_if_ended);
}

static fallible
end_page_to(struct repository *repository, struct message *message)
{
    const struct ending *ending = ending_of(message);
    if (!ending->walk.page)
        return OK;
    TRY(page_walk_need(&ending->walk, repository, RELATIONSHIPS, message));
    return end_named(repository, message, links_of(&ending->walk));
}

// Ends the relationships to the key itself, as above.
static fallible
end_all_to(struct repository *repository, struct message *message)
{
    struct ending *ending = ending_of(message);
    const struct text *key = effect_asked(message)->key;
    TRY(relationships_resume(repository, message, &ending->walk, INDEX_RELATIONSHIP_RELATED, key));
    TRY(end_page_to(repository, message));
    TRY(next_page(repository, message));
    if (ending->has_found)
        return OK;
    return end_named(repository, message,
                     list_staged(&repository->staging, leads_to_key, key, message));
}

enum error
related_gone(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct ending *ending = ending_of(message);
    if (effect_asked(message)->scene_id && !ending->is_at_key) {
        TRY(end_all_in(asset_actor_of(repository), message));
        if (ending->has_found)
            return repository_answer_durable(repository, message);
        page_walk_restart(&ending->walk);
        ending->is_at_key = true;
    }
    TRY(end_all_to(repository, message));
    return repository_answer_durable(repository, message);
}

bool
related_gone_goes_on(struct message *message)
{
    struct ending *ending = ending_of(message);
    bool has_found = ending->has_found;
    page_walk_pass(&ending->walk);
    ending->has_found = false;
    return has_found;
}
