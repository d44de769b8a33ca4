// relationships.c - the operations on relationships. Runs on the asset actor's thread.
#include "actors/asset/relationships.h"

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/asset/relationship_cleanup.h"
#include "actors/asset/relationship_find.h"
#include "actors/asset/relationship_identity.h"
#include "proto/base/limits.h"
#include "proto/base/text_set.h"
#include "proto/records/ids.h"

const struct resource relationship_resource = {
    .noun = "relationship",
    .kind = RELATIONSHIPS,
    .key = RELATIONSHIP_ID,
    .param = NO_FIELD, // requests never name one by its id
    .owner = RELATIONSHIP_USER,
    .is_public = NO_FIELD,
    .view = &relationship_view_full,
};

// --- reading: what is durable, in the order of ids, in slices ---

static bool
answer_link(struct message *message, struct listing *listing, const frozen_t *link)
{
    page_add(&listing->page, message, link);
    return listing->page.left > 0;
}

enum error
relationship_list(actor_t *actor, struct message *message)
{
    return relationships_walk(actor, message, listing_of(message), answer_link);
}

// The page of the id with the number listing->found: of assets first, then of what they are related
// to.
static fallible
resume_id(struct repository *repository, struct message *message, struct listing *listing,
          const struct ids *ids)
{
    size_t assets = texts_count(ids->assets), number = (size_t)listing->found;
    bool is_asset = number < assets;
    const struct text *id =
        is_asset ? ids->assets->items[number] : ids->related->items[number - assets];
    if (text_size(id) == 0) {
        listing->walk.is_over = true; // every relationship has both ends
        return OK;
    }
    return relationships_resume(repository, message, &listing->walk,
                                is_asset ? INDEX_RELATIONSHIP_ASSET : INDEX_RELATIONSHIP_RELATED,
                                id);
}

// An index has the beginning of a long text only.
static bool
has_id(const struct record *link, const struct ids *ids, size_t number)
{
    size_t assets = texts_count(ids->assets);
    if (number < assets)
        return text_equal(record_text(link, RELATIONSHIP_ASSET), ids->assets->items[number]);
    return text_equal(record_text(link, RELATIONSHIP_RELATED),
                      ids->related->items[number - assets]);
}

enum { KEPT = 1000 };

// Keeps the first of them.
static void
cut_among(struct listing *listing)
{
    while (record_set_count(&listing->among) > KEPT) {
        const frozen_t *last = record_set_take_last(&listing->among);
        record_unref(&last);
        listing->has_left_out = true;
    }
}

// Puts a relationship behind those that were passed among the first: what many ids lead to has no
// bound. A cut puts the set in order, so many are cut at once.
static void
keep_first(struct listing *listing, const frozen_t *link)
{
    if (listing->passed && text_compare(frozen_key(link), frozen_key(listing->passed)) <= 0)
        return;
    record_set_put(&listing->among, link);
    if (record_set_count(&listing->among) >= 2 * KEPT)
        cut_among(listing);
}

// Puts the first of all ids together, each once. PARKED: there are more.
static enum error
gather(actor_t *actor, struct message *message, struct listing *listing, const struct ids *ids)
{
    size_t all = texts_count(ids->assets) + texts_count(ids->related);
    for (; (size_t)listing->found < all; listing->found++) {
        TRY(resume_id(repository_of(actor), message, listing, ids));
        const struct record_page *page = listing->walk.page;
        for (size_t i = 0; page && i < page->count; i++)
            if (has_id(frozen_record(page->records[i]), ids, (size_t)listing->found))
                keep_first(listing, page->records[i]);
        TRY(page_walk_go_on(&listing->walk, repository_of(actor), message));
        page_walk_restart(&listing->walk);
    }
    if (listing->has_left_out) // what came behind a cut may stand behind what it took
        cut_among(listing);
    return OK;
}

// Whether the answer wants more than the first of them: then the next ones are put together.
static bool
begins_again(struct listing *listing)
{
    if (!listing->has_left_out || listing->page.left == 0)
        return false;
    record_set_finish(&listing->among);
    listing->has_left_out = false;
    listing->found = 0;
    return true;
}

enum error
relationship_bulk(actor_t *actor, struct message *message)
{
    struct record *request;
    TRY(resource_request(message, &request));
    struct ids *ids = (struct ids *)(void *)request;
    if (!message->work) { // what an id leads to is read for each time that it is named
        ids->assets = texts_once(&message->arena, ids->assets);
        ids->related = texts_once(&message->arena, ids->related);
    }
    struct listing *listing = listing_of(message);
    do {
        TRY(gather(actor, message, listing, ids));
        TRY(relationships_walk_among(actor, message, listing, answer_link));
    } while (begins_again(listing));
    return OK;
}

// --- writing: what will be ---

static fallible
check_change(struct repository *repository, struct message *message,
             const struct found_links *found)
{
    struct needs needs = {0};
    for (size_t i = 0; i < found->count; i++)
        relationship_access_need(repository, &needs, &message->arena,
                                 record_text(frozen_record(found->items[i]), RELATIONSHIP_ASSET));
    TRY(repository_need(repository, &needs, message));
    for (size_t i = 0; i < found->count; i++)
        TRY(relationship_access_check_change(repository, message, frozen_record(found->items[i])));
    return OK;
}

enum { ENDS = 2 };

static const unsigned link_ends[ENDS] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};

// What will be written; loose, in the arena.
struct results {
    struct record **items;
    size_t count;
};

// What PUT writes: each result takes the place of its target, or is new where there is none.
struct put {
    struct found_links targets;
    struct results results;
    size_t bytes;
    struct relationship_identities identities;
    const struct text *checked[ENDS]; // the key that was checked last, at each end
};

static fallible
add_result(struct put *self, struct record *result)
{
    static const struct {
        unsigned member;
        const char *pointer;
    } needed[] = {{RELATIONSHIP_ASSET, "/assetId"},
                  {RELATIONSHIP_TYPE, "/relationshipType"},
                  {RELATIONSHIP_RELATED, "/relatedId"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (text_size(record_text(result, needed[i].member)) == 0)
            return fail(ERR_MISSING, needed[i].pointer, "is needed");
    self->results.items[self->results.count++] = result;
    self->bytes += record_frozen_size(&relationship_schema, result);
    return OK;
}

// A new relationship. The query string fills in what the body leaves out.
static fallible
make_new(struct repository *repository, struct message *message, const struct record *request,
         struct record **ret_link)
{
    TRY(resource_new(repository, &relationship_resource, message, request, ret_link));
    relationship_fill_in(message, *ret_link);
    return OK;
}

// Fetches what is known of two ends. All that name the same ones wait for the same first, and so
// stay in their order.
static fallible
need_ends(struct repository *repository, struct message *message, const struct text *asset,
          const struct text *related)
{
    struct needs needs = {0};
    relationship_access_need(repository, &needs, &message->arena, asset);
    relationship_access_need(repository, &needs, &message->arena, related);
    needs_add(&needs, &message->arena, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, asset);
    return repository_need(repository, &needs, message);
}

// Finds what the request overwrites: the relationships that the query string names, else the one
// with the identity of the body.
static enum error
find_targets(actor_t *actor, struct message *message, const struct record *request, struct put *put)
{
    struct repository *repository = repository_of(actor);
    const struct params *params = message->params;
    struct record *link;
    const struct text *asset = record_text(request, RELATIONSHIP_ASSET);
    const struct text *related = record_text(request, RELATIONSHIP_RELATED);
    TRY(need_ends(repository, message, params->asset ? params->asset : asset,
                  params->related ? params->related : related));
    if (params->asset || params->type || params->related)
        TRY(relationships_find_named(actor, message, &put->targets));
    relationship_identities_begin(&put->identities, repository);
    // A request for more than one commit takes is refused before they are compared with each other.
    TRY(repository_make_room(repository, message, room_for_removals(put->targets.count)));
    put->results.items =
        arena_alloc(&message->arena, (put->targets.count + 1) * sizeof *put->results.items);
    if (put->targets.count > 0)
        return OK;
    TRY(make_new(repository, message, request, &link));
    TRY(repository_need_by(repository, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET,
                           record_text(link, RELATIONSHIP_ASSET), message));
    const frozen_t *same = relationship_identities_find_one(&put->identities, link);
    if (!same)
        return add_result(put, link);
    put->targets.items = arena_alloc(&message->arena, sizeof same);
    put->targets.items[put->targets.count++] = same;
    return OK;
}

// No two relationships may get the same identity.
static fallible
check_identity(struct put *put, size_t index)
{
    const struct record *result = put->results.items[index];
    const struct record *target = frozen_record(put->targets.items[index]);
    bool is_free = relationship_identities_plan(&put->identities, result);
    if (relationship_is_same(result, target))
        return OK;
    bool is_taken = !is_free || relationship_identities_find(&put->identities, result);
    return is_taken ? (fail(ERR_CONFLICT, "", "relationship %s has this identity already, or would",
                            text_chars(record_key(target))))
                    : OK;
}

static fallible
merge_targets(struct message *message, const struct record *request, struct put *put)
{
    for (size_t i = 0; i < put->targets.count; i++) {
        struct record *result;
        TRY(record_merge(&message->arena, &relationship_schema,
                         frozen_record(put->targets.items[i]), request, LIST_OVERWRITE, &result));
        TRY(add_result(put, result));
    }
    return OK;
}

// Whether both ends of all results are there, the caller may read them, and may change all targets.
static fallible
check_access(struct repository *repository, struct message *message, const struct put *put)
{
    size_t count = put->results.count;
    const struct text *const *ends =
        relationship_ends(&message->arena, (const struct record *const *)put->results.items, count);
    TRY(relationship_access_check_ends(repository, message, ends, 2 * count));
    return check_change(repository, message, &put->targets);
}

// Whether the assets that the results newly lead to can have so many more relationships. A key is
// checked once: the request says where results lead, so the next one mostly has the same keys.
static fallible
check_room(const struct repository *repository, struct put *put, size_t index)
{
    const struct record *target =
        put->targets.count ? frozen_record(put->targets.items[index]) : NULL;
    for (size_t i = 0; i < ENDS; i++) {
        const struct text *key = record_text(put->results.items[index], link_ends[i]);
        bool is_new = !target || !text_equal(record_text(target, link_ends[i]), key);
        if (!is_new || text_equal(key, put->checked[i]))
            continue;
        TRY(relationship_cascade_check_room(repository, link_ends[i], key, put->results.count));
        put->checked[i] = key;
    }
    return OK;
}

// Fetches what the checks of the results look at: before scene actors are asked where they lead, so
// that nothing is waited for behind that.
static fallible
need_for_results(struct repository *repository, struct message *message, const struct put *put)
{
    struct needs needs = {0};
    struct arena *arena = &message->arena;
    struct link_end *ends = arena_alloc(arena, (ENDS * put->results.count + 1) * sizeof *ends);
    size_t count = 0;
    for (size_t i = 0; i < put->results.count; i++) {
        const struct record *result = put->results.items[i];
        const struct record *target =
            put->targets.count ? frozen_record(put->targets.items[i]) : NULL;
        if (target)
            relationship_access_need(repository, &needs, arena,
                                     record_text(target, RELATIONSHIP_ASSET));
        if (target && !relationship_is_same(result, target))
            relationship_identity_need(&needs, arena, result);
        for (size_t end = 0; end < ENDS; end++)
            if (!target || !text_equal(record_text(target, link_ends[end]),
                                       record_text(result, link_ends[end])))
                ends[count++] =
                    (struct link_end){link_ends[end], record_text(result, link_ends[end])};
    }
    return relationship_cascade_need(repository, message, ends, count, &needs);
}

static enum error
plan_put(actor_t *actor, struct message *message, struct put *put)
{
    struct repository *repository = repository_of(actor);
    struct record *request;
    TRY(resource_request(message, &request));
    TRY(find_targets(actor, message, request, put));
    TRY(merge_targets(message, request, put));
    TRY(need_for_results(repository, message, put));
    TRY(check_access(repository, message, put));
    for (size_t i = 0; i < put->targets.count; i++)
        TRY(check_identity(put, i));
    for (size_t i = 0; i < put->results.count; i++)
        TRY(check_room(repository, put, i));
    for (size_t i = 0; i < put->results.count; i++)
        TRY(repository_check_budget(repository, RELATIONSHIPS, message,
                                    put->targets.count ? put->targets.items[i] : NULL,
                                    put->results.items[i]));
    return repository_make_room(repository, message,
                                room_for_records(put->results.count, put->bytes));
}

enum error
relationship_put(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct put put = {0};
    enum error error = plan_put(actor, message, &put);
    relationship_identities_finish(&put.identities);
    TRY(error);
    for (size_t i = 0; i < put.results.count; i++) {
        relationship_cleanup_note(message, put.results.items[i]);
        reply_add(message, repository_put(repository, RELATIONSHIPS, put.results.items[i],
                                          put.targets.count ? put.targets.items[i] : NULL));
    }
    return repository_answer_durable(repository, message);
}

enum error
relationship_delete(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct params *params = message->params;
    struct found_links found;
    if (!params->asset || !params->type || !params->related)
        return fail(ERR_MISSING, "", "asset, type and related are needed");
    TRY(need_ends(repository, message, params->asset, params->related));
    TRY(relationships_find_named(actor, message, &found));
    TRY(check_change(repository, message, &found));
    TRY(repository_make_room(repository, message, room_for_removals(found.count)));
    for (size_t i = 0; i < found.count; i++) {
        reply_add(message, found.items[i]);
        repository_delete(repository, RELATIONSHIPS, found.items[i]);
    }
    return repository_answer_durable(repository, message);
}
