// relationship_identity.c - relationships by a hash of their identity, so that a request that
// changes hundreds does not compare each with each. Runs on the asset actor's thread.
#include "actors/asset/relationship_identity.h"

#include "actors/asset/asset_state.h"
#include "proto/records/relationship.h"

static const unsigned identity[] = {RELATIONSHIP_ASSET, RELATIONSHIP_SUB_ID, RELATIONSHIP_TYPE,
                                    RELATIONSHIP_RELATED};

enum { PARTS = sizeof identity / sizeof identity[0] };

static uint64_t
hash_of(const struct record *link)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const struct text *part = record_text(link, identity[i]);
        hash = table_hash_u64(hash + (text_size(part) ? table_hash_text(part) : i));
    }
    return hash;
}

bool
relationship_is_same(const struct record *a, const struct record *b)
{
    for (size_t i = 0; i < PARTS; i++)
        if (!text_equal(record_text(a, identity[i]), record_text(b, identity[i])))
            return false;
    return true;
}

// --- what is durable ---

void
relationship_identity_follow(struct repository *repository, const frozen_t *before,
                             const frozen_t *after)
{
    struct table *identities = &asset_actor_of(repository)->identities;
    if (before)
        table_remove(identities, hash_of(frozen_record(before)), before);
    if (after)
        table_add(identities, hash_of(frozen_record(after)), (void *)(uintptr_t)after);
}

void
relationship_identity_finish(struct asset_actor *self)
{
    table_finish(&self->identities);
}

// --- what will be ---

void
relationship_identities_begin(struct relationship_identities *self,
                              const struct repository *repository)
{
    const struct change *change;
    *self = (struct relationship_identities){.repository = repository};
    for (size_t cursor = 0;
         (change = staging_next(&repository->staging, KEY_RELATIONSHIP, &cursor)) != NULL;)
        if (change->record)
            table_add(&self->staged, hash_of(frozen_record(change->record)),
                      (void *)(uintptr_t)change->record);
}

void
relationship_identities_finish(struct relationship_identities *self)
{
    table_finish(&self->staged);
    table_finish(&self->planned);
}

static bool
frozen_is_same(const void *frozen, const void *link)
{
    return relationship_is_same(frozen_record(frozen), link);
}

struct sought {
    const struct repository *repository;
    const struct record *link;
};

// What is staged to change will be something else, or gone.
static bool
stays_same(const void *frozen, const void *context)
{
    const struct sought *sought = context;
    return frozen_is_same(frozen, sought->link) &&
           repository_latest(sought->repository, RELATIONSHIPS, frozen_key(frozen)) == frozen;
}

const frozen_t *
relationship_identities_find(const struct relationship_identities *self, const struct record *link)
{
    if (!text_size(record_text(link, RELATIONSHIP_ASSET)) ||
        !text_size(record_text(link, RELATIONSHIP_RELATED)))
        return NULL; // it names nothing yet
    uint64_t hash = hash_of(link);
    const struct sought sought = {self->repository, link};
    const struct table *durable =
        &((const struct asset_actor *)(const void *)self->repository)->identities;
    const frozen_t *staged = table_find(&self->staged, hash, frozen_is_same, link);
    return staged ? staged : table_find(durable, hash, stays_same, &sought);
}

static bool
loose_is_same(const void *planned, const void *link)
{
    return relationship_is_same(planned, link);
}

bool
relationship_identities_plan(struct relationship_identities *self, const struct record *link)
{
    uint64_t hash = hash_of(link);
    if (table_find(&self->planned, hash, loose_is_same, link))
        return false;
    table_add(&self->planned, hash, (void *)(uintptr_t)link);
    return true;
}
