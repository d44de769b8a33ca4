// relationship_find.c - which relationships a query string names, and the caller may see
// (relationship_find.h). Runs on the asset actor's thread.
#include "actors/asset/relationship_find.h"

#include "actors/asset/asset_index.h"
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

// --- what is durable, in the order of ids, in pages ---

// Takes what the query string names, and the caller may see, of these; *ret_more: it needs more.
static fallible
take_some(struct repository *repository, struct message *message, struct listing *listing,
          link_taker *take, const frozen_t *const *links, size_t count, bool *ret_more)
{
    struct found_links found = {
        .items = arena_alloc(&message->arena, (count + 1) * sizeof links[0]), .count = count};
    if (count > 0)
        memcpy(found.items, links, count * sizeof links[0]);
    keep_named(message, &found);
    TRY(keep_seen(repository, message, &found));
    *ret_more = true;
    for (size_t i = 0; i < found.count && *ret_more; i++)
        *ret_more = take(message, listing, found.items[i]);
    return OK;
}

fallible
relationships_resume(struct repository *repository, struct message *message, struct page_walk *walk,
                     unsigned row, const struct text *value)
{
    struct key prefix;
    if (row)
        prefix = index_prefix_of_text(index_row_with_id(relationship_index, row), value);
    return page_walk_resume(walk, repository, RELATIONSHIPS, row ? &prefix : NULL, NULL, message);
}

enum error
relationships_walk(actor_t *actor, struct message *message, struct listing *listing,
                   link_taker *take)
{
    struct repository *repository = repository_of(actor);
    const struct text *asset = message->params->asset, *related = message->params->related;
    unsigned row = asset ? INDEX_RELATIONSHIP_ASSET : related ? INDEX_RELATIONSHIP_RELATED : 0;
    bool more = true;
    if (row && text_size(asset ? asset : related) == 0)
        return OK; // every relationship has both
    TRY(relationships_resume(repository, message, &listing->walk, row, asset ? asset : related));
    const struct record_page *page = listing->walk.page;
    if (page)
        TRY(take_some(repository, message, listing, take, page->records, page->count, &more));
    return more ? page_walk_go_on(&listing->walk, repository, message) : OK;
}

enum error
relationships_walk_among(actor_t *actor, struct message *message, struct listing *listing,
                         link_taker *take)
{
    enum { AT_ONCE = 200 };
    bool more = true;
    size_t left, place = listing->passed
                             ? record_set_place_after(&listing->among, frozen_key(listing->passed))
                             : 0;
    const frozen_t *const *links = record_set_items(&listing->among, &left);
    for (links += place, left -= place; left > 0 && more;) {
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

// --- what will be ---

// Relationships of the asset, as they will be; an asset has few.
static struct found_links
latest_of(const struct repository *repository, const struct text *asset, struct arena *arena)
{
    struct found_links found = {0};
    if (text_size(asset))
        found.items = repository_latest_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET, asset,
                                           arena, &found.count);
    return found;
}

static bool
gather_link(struct message *message, struct listing *listing, const frozen_t *link)
{
    (void)message;
    record_set_put(&listing->among, link);
    return record_set_count(&listing->among) < LIMIT_COMMIT_OPERATIONS; // else it is refused
}

// Gathers, in pages, what the query string names by `related` alone: any number may lead there.
// PARKED: it goes on. What comes or goes between two pages may be found or not.
static enum error
gather_related(actor_t *actor, struct message *message, struct listing *listing)
{
    if (!listing->found)
        TRY(relationships_walk(actor, message, listing, gather_link));
    listing->found = true; // it may run again
    return OK;
}

// Whether what was gathered is known as it is now.
static fallible
need_gathered(struct repository *repository, struct message *message, struct listing *listing)
{
    struct needs needs = {0};
    size_t count;
    const frozen_t *const *links = record_set_items(&listing->among, &count);
    for (size_t i = 0; i < count; i++)
        needs_add(&needs, &message->arena, RELATIONSHIPS, 0, frozen_key(links[i]));
    return repository_need(repository, &needs, message);
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
        TRY(repository_need_by(repository, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, asset,
                               message));
        *ret_found = latest_of(repository, asset, &message->arena);
    } else {
        TRY(gather_related(actor, message, listing_of(message)));
        TRY(need_gathered(repository, message, listing_of(message)));
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
