// gone.c - relationships to what is gone from the scenes (decisions 7). The asset actor knows the
// keys that assets are related to, not what they are: a generated key begins with the partition of
// its scene, and of the few that share the partition of a deleted scene the owner of the scene says
// which were in it. Runs on the asset actor's thread.
#include "actors/library.h"
#include "proto/partition.h"
#include "proto/records/effect.h"

// Where relationships to things of this partition are kept; NULL where it leads to no thing.
static struct record_set *
set_for(struct asset_actor *self, const struct record *link)
{
    uint16_t part;
    const struct text *related = record_text(link, RELATIONSHIP_RELATED);
    return related && partition_of_key(related, &part) ? &self->to_things[part] : NULL;
}

void
gone_follow(struct ledger *ledger, const struct record *before, const struct record *after)
{
    struct asset_actor *self = asset_actor_of(ledger);
    struct record_set *old = before ? set_for(self, before) : NULL;
    struct record_set *fresh = after ? set_for(self, after) : NULL;
    if (old)
        record_set_remove(old, record_key(before));
    if (fresh)
        record_set_put(fresh, after);
}

void
gone_finish(struct asset_actor *self)
{
    for (size_t part = 0; part < PARTITION_COUNT; part++)
        record_set_finish(&self->to_things[part]);
}

// Keys that may have been in the scene.
struct candidates {
    const struct text **keys;
    size_t count;
};

static struct candidates
find_candidates(struct asset_actor *self, struct message *message, uint16_t part)
{
    size_t durable;
    const struct staging *staging = &self->ledger.staging;
    const struct record *const *links = record_set_items(&self->to_things[part], &durable);
    struct candidates found = {0};
    found.keys =
        arena_alloc(&message->arena, (durable + staging->latest.count + 1) * sizeof found.keys[0]);
    for (size_t i = 0; i < durable; i++)
        found.keys[found.count++] = record_text(links[i], RELATIONSHIP_RELATED);
    const struct change *change;
    for (size_t cursor = 0; (change = table_next(&staging->latest, &cursor)) != NULL;)
        if (change->tag == KEY_RELATIONSHIP && change->record &&
            set_for(self, change->record) == &self->to_things[part])
            found.keys[found.count++] = record_text(change->record, RELATIONSHIP_RELATED);
    return found;
}

// Ends the relationships to all that was in the scene.
static fallible
end_all_in(struct asset_actor *self, struct message *message, const struct effect *effect)
{
    struct candidates found = find_candidates(self, message, partition_of_scene(effect->key));
    TRY(inquiry_need(&self->inquiries, &self->ledger.base, message, found.keys, found.count));
    for (size_t i = 0; i < found.count; i++) {
        const struct place *place = inquiry_find(message, found.keys[i]);
        if (place && place->scene_id == effect->scene_id)
            TRY(links_end(&self->ledger, message, found.keys[i], 0));
    }
    return OK;
}

enum error
related_gone(actor_t *actor, struct message *message)
{
    struct ledger *ledger = ledger_of(actor);
    const struct effect *effect = (const struct effect *)(void *)message->records->items[0];
    if (effect->scene_id)
        TRY(end_all_in(asset_actor_of(ledger), message, effect));
    TRY(links_end(ledger, message, effect->key, 0));
    return ledger_answer_durable(ledger, message);
}
