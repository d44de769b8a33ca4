// relationship_cleanup.c - the end of relationships to what was deleted from scenes. The asset
// actor knows the keys that assets are related to, but not what they are. A generated key begins
// with the partition of its scene; the scene actor that owned a deleted scene says which of the few
// keys with this partition were in it. Runs on the asset actor's thread.
#include "actors/asset/relationship_cleanup.h"

#include "actors/asset/asset_state.h"
#include "actors/runtime/effects.h"
#include "proto/base/owned.h"
#include "proto/message/partition.h"
#include "proto/records/relationship.h"

static const struct text *
related_of(const frozen_t *link)
{
    return record_text(frozen_record(link), RELATIONSHIP_RELATED);
}

// The set for the partition of the entity that the relationship leads to; NULL where it leads to
// none.
static struct record_set *
set_for(struct asset_actor *self, const frozen_t *link)
{
    uint16_t part;
    const struct text *related = related_of(link);
    return related && partition_of_key(related, &part) ? &self->to_entities[part] : NULL;
}

void
relationship_cleanup_follow(struct repository *repository, const frozen_t *before,
                            const frozen_t *after)
{
    struct asset_actor *self = asset_actor_of(repository);
    struct record_set *old = before ? set_for(self, before) : NULL;
    struct record_set *fresh = after ? set_for(self, after) : NULL;
    if (old)
        record_set_remove(old, frozen_key(before));
    if (fresh)
        record_set_put(fresh, after);
}

void
relationship_cleanup_note(const struct message *message, struct record *link)
{
    const struct place *place = scene_lookup_find(message, record_text(link, RELATIONSHIP_RELATED));
    record_set_integer(link, RELATIONSHIP_SCENE_ID, place ? place->scene_id : 0);
    record_set_integer(link, RELATIONSHIP_MOMENT, place ? place->moment : 0);
}

void
relationship_cleanup_finish(struct asset_actor *self)
{
    for (size_t part = 0; part < PARTITION_COUNT; part++)
        record_set_finish(&self->to_entities[part]);
}

// Whether a relationship leads to an entity of the partition, or to the key.
typedef bool leads_to(struct asset_actor *self, const frozen_t *link, const void *to);

static bool
leads_to_part(struct asset_actor *self, const frozen_t *link, const void *part)
{
    return set_for(self, link) == &self->to_entities[*(const uint16_t *)part];
}

static bool
leads_to_key(struct asset_actor *self, const frozen_t *link, const void *key)
{
    (void)self;
    return text_equal(related_of(link), key);
}

// The relationships that lead there and are not durable yet.
static const frozen_t **
list_staged(struct asset_actor *self, leads_to *leads, const void *to, struct arena *arena,
            size_t *ret_count)
{
    const struct staging *staging = &self->repository.staging;
    const frozen_t **list = arena_alloc(arena, (staging->latest.count + 1) * sizeof *list);
    const struct change *change;
    *ret_count = 0;
    for (size_t cursor = 0; (change = staging_next(staging, KEY_RELATIONSHIP, &cursor)) != NULL;)
        if (change->record && leads(self, change->record, to))
            list[(*ret_count)++] = change->record;
    return list;
}

// Asks, once, which of the keys with the scene's partition were in it.
static fallible
need_places(struct asset_actor *self, struct message *message, uint16_t part)
{
    size_t durable, staged, count = 0;
    if (message->learned)
        return OK; // it runs again, with the answers
    const frozen_t *const *links = record_set_items(&self->to_entities[part], &durable);
    const frozen_t **others = list_staged(self, leads_to_part, &part, &message->arena, &staged);
    const struct text **keys =
        arena_alloc(&message->arena, (durable + staged + 1) * sizeof keys[0]);
    for (size_t i = 0; i < durable; i++)
        keys[count++] = related_of(links[i]);
    for (size_t i = 0; i < staged; i++)
        keys[count++] = related_of(others[i]);
    return scene_lookup_need(&self->lookups, &self->repository.base, message, keys, count);
}

// Ends the relationship, as it will be, if it leads to something that was in the scene.
static fallible
end_link(struct repository *repository, struct message *message, int64_t scene_id,
         const frozen_t *link)
{
    const struct place *place = scene_lookup_find(message, related_of(link));
    if (!place || place->scene_id != scene_id)
        return OK;
    const frozen_t *latest = repository_latest(repository, RELATIONSHIPS, frozen_key(link));
    if (!latest || !text_equal(related_of(latest), related_of(link)))
        return OK;
    TRY(repository_make_room(repository, message, room_for_one_of_many()));
    repository_delete(repository, RELATIONSHIPS, latest);
    return OK;
}

// Ends the relationships to everything that was in the scene. What one commit takes stays staged:
// when the handler runs again it passes over that and stages the rest.
static fallible
end_all_in(struct asset_actor *self, struct message *message, const struct effect *effect)
{
    struct repository *repository = &self->repository;
    owned(arena_finish) struct arena scratch = {0};
    uint16_t part = partition_of_scene(effect->key);
    size_t durable, staged;
    TRY(need_places(self, message, part));
    const frozen_t *const *links = record_set_items(&self->to_entities[part], &durable);
    const frozen_t **others = list_staged(self, leads_to_part, &part, &scratch, &staged);
    for (size_t i = 0; i < durable; i++)
        TRY(end_link(repository, message, effect->scene_id, links[i]));
    for (size_t i = 0; i < staged; i++)
        TRY(end_link(repository, message, effect->scene_id, others[i]));
    return OK;
}

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

// Ends the relationship, as it will be, if it leads to the key.
static fallible
end_link_to(struct repository *repository, struct message *message, const frozen_t *link)
{
    const frozen_t *latest = repository_latest(repository, RELATIONSHIPS, frozen_key(link));
    if (!latest || !text_equal(related_of(latest), effect_asked(message)->key) ||
        !is_ended(message, latest))
        return OK;
    TRY(repository_make_room(repository, message, room_for_one_of_many()));
    repository_delete(repository, RELATIONSHIPS, latest);
    return OK;
}

// Ends the relationships to the key itself. What one commit takes stays staged, as above: of any
// number of others no list is made again each time.
static fallible
end_all_to(struct repository *repository, struct message *message)
{
    owned(arena_finish) struct arena scratch = {0};
    const struct text *key = effect_asked(message)->key;
    size_t durable, staged;
    const frozen_t *const *links =
        repository_find_by(repository, RELATIONSHIPS, RELATIONSHIP_RELATED, key, &durable);
    const frozen_t **others =
        list_staged(asset_actor_of(repository), leads_to_key, key, &scratch, &staged);
    for (size_t i = 0; i < durable; i++)
        TRY(end_link_to(repository, message, links[i]));
    for (size_t i = 0; i < staged; i++)
        TRY(end_link_to(repository, message, others[i]));
    return OK;
}

enum error
related_gone(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    if (effect_asked(message)->scene_id)
        TRY(end_all_in(asset_actor_of(repository), message, effect_asked(message)));
    TRY(end_all_to(repository, message));
    return repository_answer_durable(repository, message);
}
