// relationship_find.c - which relationships a query string names, and the caller may see
// (relationship_find.h). Runs on the asset actor's thread.
#include "actors/asset/relationship_find.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "proto/base/limits.h"
#include "proto/records/relationship.h"

// The members of a relationship that a query string may name.
static const struct {
    unsigned param, member;
} names[] = {
    {PARAMS_ASSET, RELATIONSHIP_ASSET},
    {PARAMS_TYPE, RELATIONSHIP_TYPE},
    {PARAMS_RELATED, RELATIONSHIP_RELATED},
    {PARAMS_SUBTYPE, RELATIONSHIP_SUBTYPE},
};

enum { NAMES = sizeof names / sizeof names[0] };

static const struct text *
param_of(const struct message *message, unsigned id)
{
    return record_text(&message->params->base, id);
}

// Whether the relationship has what the query string names.
static bool
is_named(const struct message *message, const struct record *link)
{
    for (size_t i = 0; i < NAMES; i++) {
        const struct text *wanted = param_of(message, names[i].param);
        if (wanted && !text_equal(wanted, record_text(link, names[i].member)))
            return false;
    }
    return true;
}

static void
keep_named(const struct message *message, struct found_links *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        if (is_named(message, frozen_record(self->items[i])))
            self->items[count++] = self->items[i];
    self->count = count;
}

// Leaves out what the caller may not see.
static fallible
keep_seen(struct repository *repository, struct message *message, struct found_links *self)
{
    bool *seen;
    size_t count = 0;
    const struct record **links = arena_alloc(&message->arena, (self->count + 1) * sizeof links[0]);
    for (size_t i = 0; i < self->count; i++)
        links[i] = frozen_record(self->items[i]);
    TRY(relationship_access_find_seen(repository, message, links, self->count, &seen));
    for (size_t i = 0; i < self->count; i++)
        if (seen[i])
            self->items[count++] = self->items[i];
    self->count = count;
    return OK;
}

// --- what is durable, in the order of ids, in slices ---

const frozen_t *const *
relationships_behind(struct record_set *set, const frozen_t *passed, size_t *ret_count)
{
    *ret_count = 0;
    if (!set)
        return NULL;
    size_t place = passed ? record_set_place_after(set, frozen_key(passed)) : 0;
    const frozen_t *const *items = record_set_items(set, ret_count);
    *ret_count -= place;
    return items + place;
}

// Takes what the query string names, and the caller may see, of these; *ret_more: it needs more.
static fallible
take_some(struct repository *repository, struct message *message, struct listing *listing,
          link_taker *take, const frozen_t *const *links, size_t count, bool *ret_more)
{
    struct found_links found = {.items = arena_alloc(&message->arena, count * sizeof links[0]),
                                .count = count};
    memcpy(found.items, links, count * sizeof links[0]);
    keep_named(message, &found);
    TRY(keep_seen(repository, message, &found));
    *ret_more = true;
    for (size_t i = 0; i < found.count && *ret_more; i++)
        *ret_more = take(message, listing, found.items[i]);
    return OK;
}

enum error
relationships_walk(actor_t *actor, struct message *message, struct listing *listing,
                   struct record_set *set, link_taker *take)
{
    enum { AT_ONCE = 200 };
    size_t left;
    bool more = true;
    const frozen_t *const *links = relationships_behind(set, listing->passed, &left);
    while (left > 0 && more) {
        size_t some = left < AT_ONCE ? left : AT_ONCE;
        TRY(take_some(repository_of(actor), message, listing, take, links, some, &more));
        listing_pass(listing, links[some - 1]);
        links += some;
        left -= some;
        if (left > 0 && more && actor_must_pause(actor))
            return actor_pause(actor, message);
    }
    return OK;
}

struct record_set *
relationships_named_among(struct repository *repository, const struct message *message)
{
    const struct text *asset = message->params->asset, *related = message->params->related;
    if (asset)
        return repository_set_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET, asset);
    if (related)
        return repository_set_by(repository, RELATIONSHIPS, RELATIONSHIP_RELATED, related);
    return repository_records(repository, RELATIONSHIPS);
}

// --- what will be ---

static size_t
count_at(const struct repository *repository, unsigned member, const struct text *key)
{
    const struct record_set *set = repository_set_by(repository, RELATIONSHIPS, member, key);
    return set ? record_set_count(set) : 0;
}

// Relationships as they will be with this key at the end that has fewer of them; one of the two may
// be NULL.
static struct found_links
latest_at(const struct repository *repository, const struct text *asset, const struct text *related,
          struct arena *arena)
{
    struct found_links found;
    bool is_asset = text_size(asset) && (!text_size(related) ||
                                         count_at(repository, RELATIONSHIP_ASSET, asset) <=
                                             count_at(repository, RELATIONSHIP_RELATED, related));
    found.items = repository_latest_by(repository, RELATIONSHIPS,
                                       is_asset ? RELATIONSHIP_ASSET : RELATIONSHIP_RELATED,
                                       is_asset ? asset : related, arena, &found.count);
    return found;
}

static bool
gather_link(struct message *message, struct listing *listing, const frozen_t *link)
{
    (void)message;
    record_set_put(&listing->among, link);
    return record_set_count(&listing->among) < LIMIT_COMMIT_OPERATIONS; // else it is refused
}

// Gathers, in slices, what the query string names by `related` alone: any number may lead there.
// PARKED: it goes on. What comes or goes between two slices may be found or not.
static enum error
gather_related(actor_t *actor, struct message *message, struct listing *listing)
{
    if (!listing->found)
        TRY(relationships_walk(actor, message, listing,
                               relationships_named_among(repository_of(actor), message),
                               gather_link));
    listing->found = true; // it may run again
    return OK;
}

// What was gathered, as it is now, and what was staged meanwhile.
static struct found_links
latest_gathered(struct repository *repository, struct message *message, struct listing *listing)
{
    struct found_links found = {0};
    const struct change *change;
    size_t count;
    const frozen_t *const *links = record_set_items(&listing->among, &count);
    found.items = arena_alloc(&message->arena,
                              (count + repository->staging.latest.count + 1) * sizeof *found.items);
    for (size_t i = 0; i < count; i++) {
        const frozen_t *latest = repository_latest(repository, RELATIONSHIPS, frozen_key(links[i]));
        if (latest)
            found.items[found.count++] = latest;
    }
    for (size_t cursor = 0;
         (change = staging_next(&repository->staging, KEY_RELATIONSHIP, &cursor)) != NULL;)
        if (change->record && !record_set_find(&listing->among, frozen_key(change->record)))
            found.items[found.count++] = change->record;
    return found;
}

enum error
relationships_find_named(actor_t *actor, struct message *message, struct found_links *ret_found)
{
    struct repository *repository = repository_of(actor);
    const struct text *asset = message->params->asset, *related = message->params->related;
    if (!asset && !related)
        return fail(ERR_MISSING, "", "asset or related is needed");
    if (asset) {
        *ret_found = latest_at(repository, asset, related, &message->arena);
    } else {
        TRY(gather_related(actor, message, listing_of(message)));
        *ret_found = latest_gathered(repository, message, listing_of(message));
    }
    keep_named(message, ret_found);
    return keep_seen(repository, message, ret_found);
}

void
relationship_fill_in(const struct message *message, struct record *link)
{
    for (size_t i = 0; i < NAMES; i++)
        if (!record_has(link, names[i].member) && param_of(message, names[i].param))
            record_set_text(link, names[i].member, param_of(message, names[i].param));
}
