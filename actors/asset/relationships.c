// relationships.c - the operations on relationships. Runs on the asset actor's thread.
#include "actors/asset/relationships.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/asset/relationship_cleanup.h"
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

// Relationships, in the arena.
struct found {
    const frozen_t **items;
    size_t count;
};

static void
keep_named(const struct message *message, struct found *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        if (is_named(message, frozen_record(self->items[i])))
            self->items[count++] = self->items[i];
    self->count = count;
}

// Leaves out what the caller may not see.
static fallible
keep_seen(struct repository *repository, struct message *message, struct found *self)
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

// --- reading: what is durable, in the order of ids ---

static enum error
answer_found(struct repository *repository, struct message *message, struct found *found)
{
    struct page page = page_of(message);
    TRY(keep_seen(repository, message, found));
    for (size_t i = 0; i < found->count && page.left; i++)
        page_add(&page, message, found->items[i]);
    return OK;
}

// Durable relationships, those that the query string names among them.
static const frozen_t *const *
candidates(struct repository *repository, const struct message *message, size_t *ret_count)
{
    const struct text *asset = message->params->asset, *related = message->params->related;
    if (asset)
        return repository_find_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET, asset, ret_count);
    if (related)
        return repository_find_by(repository, RELATIONSHIPS, RELATIONSHIP_RELATED, related,
                                  ret_count);
    return record_set_items(repository_records(repository, RELATIONSHIPS), ret_count);
}

enum error
relationship_list(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct found found = {0};
    const frozen_t *const *links = candidates(repository, message, &found.count);
    size_t size = found.count * sizeof links[0];
    found.items = arena_alloc(&message->arena, size + 1);
    if (size)
        memcpy(found.items, links, size);
    keep_named(message, &found);
    return answer_found(repository, message, &found);
}

// Adds to the set those whose `member` is one of the ids.
static void
gather(const struct repository *repository, unsigned member, const struct texts *ids,
       struct record_set *set)
{
    for (size_t i = 0; i < texts_count(ids); i++) {
        size_t count;
        const frozen_t *const *links =
            repository_find_by(repository, RELATIONSHIPS, member, ids->items[i], &count);
        for (size_t j = 0; j < count; j++)
            record_set_put(set, links[j]);
    }
}

enum error
relationship_bulk(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct record *request;
    struct record_set set = {0};
    struct found found = {0};
    TRY(resource_request(message, &request));
    const struct ids *ids = (const struct ids *)(const void *)request;
    gather(repository, RELATIONSHIP_ASSET, ids->assets, &set);
    gather(repository, RELATIONSHIP_RELATED, ids->related, &set);
    const frozen_t *const *links = record_set_items(&set, &found.count);
    found.items = arena_alloc(&message->arena, (found.count + 1) * sizeof links[0]);
    for (size_t i = 0; i < found.count; i++)
        found.items[i] = links[i];
    record_set_finish(&set);
    return answer_found(repository, message, &found);
}

// --- writing: what will be ---

// The relationships, as they will be, that the query string names by asset or by `related`.
static fallible
find_named(struct repository *repository, struct message *message, struct found *ret_found)
{
    const struct text *asset = message->params->asset, *related = message->params->related;
    unsigned member = asset ? RELATIONSHIP_ASSET : RELATIONSHIP_RELATED;
    if (!asset && !related)
        return fail(ERR_MISSING, "", "asset or related is needed");
    ret_found->items =
        repository_latest_by(repository, RELATIONSHIPS, member, asset ? asset : related,
                             &message->arena, &ret_found->count);
    keep_named(message, ret_found);
    return keep_seen(repository, message, ret_found);
}

static fallible
check_change(const struct repository *repository, const struct message *message,
             const struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        TRY(relationship_access_check_change(repository, message, frozen_record(found->items[i])));
    return OK;
}

static bool
is_same(const struct record *a, const struct record *b)
{
    static const unsigned identity[] = {RELATIONSHIP_ASSET, RELATIONSHIP_SUB_ID, RELATIONSHIP_TYPE,
                                        RELATIONSHIP_RELATED};
    for (size_t i = 0; i < sizeof identity / sizeof identity[0]; i++)
        if (!text_equal(record_text(a, identity[i]), record_text(b, identity[i])))
            return false;
    return true;
}

// The relationship that will have the identity of `link`, or NULL.
static const frozen_t *
find_same(const struct repository *repository, const struct record *link)
{
    size_t count;
    struct arena arena = {0}; // its own: it is looked for once for each result
    const frozen_t *same = NULL;
    const struct text *asset = record_text(link, RELATIONSHIP_ASSET);
    if (text_size(asset) == 0)
        return NULL;
    const frozen_t **links =
        repository_latest_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET, asset, &arena, &count);
    for (size_t i = 0; i < count && !same; i++)
        if (is_same(frozen_record(links[i]), link))
            same = links[i];
    arena_finish(&arena);
    return same;
}

// What will be written; loose, in the arena.
struct results {
    struct record **items;
    size_t count;
};

// What PUT writes: each result takes the place of its target, or is new where there is none.
struct put {
    struct found targets;
    struct results results;
    size_t bytes;
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
    for (size_t i = 0; i < NAMES; i++)
        if (!record_has(*ret_link, names[i].member) && param_of(message, names[i].param))
            record_set_text(*ret_link, names[i].member, param_of(message, names[i].param));
    return OK;
}

// Finds what the request overwrites: the relationships that the query string names, else the one
// with the identity of the body.
static fallible
find_targets(struct repository *repository, struct message *message, const struct record *request,
             struct put *put)
{
    const struct params *params = message->params;
    struct record *link;
    if (params->asset || params->type || params->related)
        TRY(find_named(repository, message, &put->targets));
    // A request for more than one commit takes is refused before they are compared with each other.
    TRY(repository_make_room(repository, message, room_for_removals(put->targets.count)));
    put->results.items =
        arena_alloc(&message->arena, (put->targets.count + 1) * sizeof *put->results.items);
    if (put->targets.count > 0)
        return OK;
    TRY(make_new(repository, message, request, &link));
    const frozen_t *same = find_same(repository, link);
    if (!same)
        return add_result(put, link);
    put->targets.items = arena_alloc(&message->arena, sizeof same);
    put->targets.items[put->targets.count++] = same;
    return OK;
}

// No two relationships may get the same identity.
static fallible
check_identity(const struct repository *repository, const struct put *put, size_t index)
{
    const struct record *result = put->results.items[index];
    const struct record *target = frozen_record(put->targets.items[index]);
    if (is_same(result, target))
        return OK;
    bool is_taken = find_same(repository, result) != NULL;
    for (size_t i = 0; i < index && !is_taken; i++)
        is_taken = is_same(put->results.items[i], result);
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

// Whether the assets that the results newly lead to can have so many more relationships.
static fallible
check_room(const struct repository *repository, const struct put *put, size_t index)
{
    static const unsigned ends[] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};
    const struct record *target =
        put->targets.count ? frozen_record(put->targets.items[index]) : NULL;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const struct text *key = record_text(put->results.items[index], ends[i]);
        if (!target || !text_equal(record_text(target, ends[i]), key))
            TRY(relationship_cascade_check_room(repository, key, put->results.count));
    }
    return OK;
}

static fallible
plan_put(struct repository *repository, struct message *message, struct put *put)
{
    struct record *request;
    TRY(resource_request(message, &request));
    TRY(find_targets(repository, message, request, put));
    TRY(merge_targets(message, request, put));
    TRY(check_access(repository, message, put));
    for (size_t i = 0; i < put->targets.count; i++)
        TRY(check_identity(repository, put, i));
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
    TRY(plan_put(repository, message, &put));
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
    struct found found;
    if (!params->asset || !params->type || !params->related)
        return fail(ERR_MISSING, "", "asset, type and related are needed");
    TRY(find_named(repository, message, &found));
    TRY(check_change(repository, message, &found));
    TRY(repository_make_room(repository, message, room_for_removals(found.count)));
    for (size_t i = 0; i < found.count; i++) {
        reply_add(message, found.items[i]);
        repository_delete(repository, RELATIONSHIPS, found.items[i]);
    }
    return repository_answer_durable(repository, message);
}
