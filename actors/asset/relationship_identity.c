// relationship_identity.c - relationships by a hash of their identity, so that a request that
// changes hundreds does not compare each with each. Runs on the asset actor's thread.
#include "actors/asset/relationship_identity.h"

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/repository/repository_staged.h"
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

static bool
is_named(const struct record *link)
{
    return text_size(record_text(link, RELATIONSHIP_ASSET)) &&
           text_size(record_text(link, RELATIONSHIP_RELATED)); // else it names nothing yet
}

void
relationship_identity_need(struct needs *needs, struct arena *arena, const struct record *link)
{
    if (is_named(link))
        needs_add(needs, arena, RELATIONSHIPS, INDEX_RELATIONSHIP_IDENTITY,
                  relationship_identity_text(arena, link));
}

// The one of these; what is staged to change will be something else, or gone.
static const frozen_t *
find_among(const struct repository *repository, struct record_set *set, const struct record *link)
{
    size_t count;
    const frozen_t *const *links = record_set_items(set, &count);
    for (size_t i = 0; i < count; i++)
        if (relationship_is_same(frozen_record(links[i]), link) &&
            repository_latest_of(repository, RELATIONSHIPS, links[i]) == links[i])
            return links[i];
    return NULL;
}

static const frozen_t *
find_staged(const struct relationship_identities *self, const struct record *link)
{
    return table_find(&self->staged, hash_of(link), frozen_is_same, link);
}

const frozen_t *
relationship_identities_find(const struct relationship_identities *self, const struct record *link)
{
    if (!is_named(link))
        return NULL;
    struct arena arena = {0};
    const frozen_t *staged = find_staged(self, link);
    struct record_set *set =
        repository_posting(self->repository, RELATIONSHIPS, INDEX_RELATIONSHIP_IDENTITY,
                           relationship_identity_text(&arena, link));
    arena_finish(&arena);
    return staged ? staged : find_among(self->repository, set, link);
}

const frozen_t *
relationship_identities_find_one(const struct relationship_identities *self,
                                 const struct record *link)
{
    if (!is_named(link))
        return NULL;
    const frozen_t *staged = find_staged(self, link);
    struct record_set *set =
        repository_posting(self->repository, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET,
                           record_text(link, RELATIONSHIP_ASSET));
    return staged ? staged : find_among(self->repository, set, link);
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
