// relationships.c - the operations on relationships. Runs on the asset actor's thread.
#include "actors/asset/relationships.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/asset/relationship_cleanup.h"
#include "actors/asset/relationship_find.h"
#include "actors/asset/relationship_identity.h"
#include "proto/base/limits.h"
#include "proto/records/ids.h"

void
relationships_committed(struct repository *repository, const frozen_t *before,
                        const frozen_t *after)
{
    relationship_cleanup_follow(repository, before, after);
    relationship_identity_follow(repository, before, after);
}

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
    struct record_set *set = relationships_named_among(repository_of(actor), message);
    return relationships_walk(actor, message, listing_of(message), set, answer_link);
}

// The relationships of the id with this number: of assets first, then of what they are related to.
static struct record_set *
set_of_id(const struct repository *repository, const struct ids *ids, size_t number)
{
    size_t assets = texts_count(ids->assets);
    if (number < assets)
        return repository_set_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET,
                                 ids->assets->items[number]);
    return repository_set_by(repository, RELATIONSHIPS, RELATIONSHIP_RELATED,
                             ids->related->items[number - assets]);
}

// Puts those of all ids together, each once. PARKED: there are more.
static enum error
gather(actor_t *actor, struct message *message, struct listing *listing, const struct ids *ids)
{
    size_t all = texts_count(ids->assets) + texts_count(ids->related), seen = 0, count;
    for (; (size_t)listing->found < all; listing->found++) {
        struct record_set *set = set_of_id(repository_of(actor), ids, (size_t)listing->found);
        const frozen_t *const *links = relationships_behind(set, listing->passed, &count);
        for (size_t i = 0; i < count; i++) {
            record_set_put(&listing->among, links[i]);
            if (listing_must_pause(listing, actor, seen++, links[i]))
                return actor_pause(actor, message);
        }
        listing_pass(listing, NULL);
    }
    return OK;
}

enum error
relationship_bulk(actor_t *actor, struct message *message)
{
    struct record *request;
    TRY(resource_request(message, &request));
    const struct ids *ids = (const struct ids *)(const void *)request;
    struct listing *listing = listing_of(message);
    TRY(gather(actor, message, listing, ids));
    return relationships_walk(actor, message, listing, &listing->among, answer_link);
}

// --- writing: what will be ---

static fallible
check_change(const struct repository *repository, const struct message *message,
             const struct found_links *found)
{
    for (size_t i = 0; i < found->count; i++)
        TRY(relationship_access_check_change(repository, message, frozen_record(found->items[i])));
    return OK;
}

enum { ENDS = 2 };

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

// Finds what the request overwrites: the relationships that the query string names, else the one
// with the identity of the body.
static enum error
find_targets(actor_t *actor, struct message *message, const struct record *request, struct put *put)
{
    struct repository *repository = repository_of(actor);
    const struct params *params = message->params;
    struct record *link;
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
    const frozen_t *same = relationship_identities_find(&put->identities, link);
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
    static const unsigned ends[ENDS] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};
    const struct record *target =
        put->targets.count ? frozen_record(put->targets.items[index]) : NULL;
    for (size_t i = 0; i < ENDS; i++) {
        const struct text *key = record_text(put->results.items[index], ends[i]);
        bool is_new = !target || !text_equal(record_text(target, ends[i]), key);
        if (!is_new || text_equal(key, put->checked[i]))
            continue;
        TRY(relationship_cascade_check_room(repository, ends[i], key, put->results.count));
        put->checked[i] = key;
    }
    return OK;
}

static enum error
plan_put(actor_t *actor, struct message *message, struct put *put)
{
    struct repository *repository = repository_of(actor);
    struct record *request;
    TRY(resource_request(message, &request));
    TRY(find_targets(actor, message, request, put));
    TRY(merge_targets(message, request, put));
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
    TRY(relationships_find_named(actor, message, &found));
    TRY(check_change(repository, message, &found));
    TRY(repository_make_room(repository, message, room_for_removals(found.count)));
    for (size_t i = 0; i < found.count; i++) {
        reply_add(message, found.items[i]);
        repository_delete(repository, RELATIONSHIPS, found.items[i]);
    }
    return repository_answer_durable(repository, message);
}
