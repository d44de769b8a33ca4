// relationship_cascade.c - relationships that follow what they relate: they end with it, or move to
// its next version. Runs on the asset actor's thread.
#include "actors/asset/relationship_cascade.h"

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/repository/repository_staged.h"
#include "proto/base/limits.h"
#include "proto/records/relationship.h"

// Relationships as they will be, in an arena.
struct links {
    const frozen_t **items;
    size_t count;
};

static struct links
links_by(const struct repository *self, unsigned field, const struct text *key, struct arena *arena)
{
    struct links links;
    links.items = repository_latest_by(self, RELATIONSHIPS, field, key, arena, &links.count);
    return links;
}

static bool
has(const struct record *link, unsigned field, const struct text *key)
{
    return text_equal(record_text(link, field), key);
}

// The relationships with the key at either end, each once.
static struct links
links_with(const struct repository *self, const struct text *key, struct arena *arena)
{
    struct links of = links_by(self, RELATIONSHIP_ASSET, key, arena);
    struct links to = links_by(self, RELATIONSHIP_RELATED, key, arena);
    struct links all = {.items = arena_alloc(arena, (of.count + to.count + 1) * sizeof *all.items)};
    for (size_t i = 0; i < of.count; i++)
        all.items[all.count++] = of.items[i];
    for (size_t i = 0; i < to.count; i++)
        if (!has(frozen_record(to.items[i]), RELATIONSHIP_ASSET, key))
            all.items[all.count++] = to.items[i];
    return all;
}

fallible
relationship_cascade_fetch(struct repository *self, struct message *message, const struct text *key)
{
    struct needs needs = {0};
    needs_add(&needs, &message->arena, RELATIONSHIPS, INDEX_RELATIONSHIP_RELATED, key);
    needs_add(&needs, &message->arena, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, key);
    return repository_need(self, &needs, message);
}

void
relationship_cascade_begin(struct repository *self, const struct text *key)
{
    repository_know_none(self, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, key);
    repository_know_none(self, RELATIONSHIPS, INDEX_RELATIONSHIP_RELATED, key);
}

void
relationship_cascade_forget(struct repository *self, const struct text *key)
{
    repository_forget_posting(self, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, key);
    repository_forget_posting(self, RELATIONSHIPS, INDEX_RELATIONSHIP_RELATED, key);
}

// What is staged before there is no more room stays staged: when the handler runs again it finds
// the rest only.
fallible
relationship_cascade_end(struct repository *self, struct message *message, const struct text *key,
                         struct room others)
{
    TRY(relationship_cascade_fetch(self, message, key));
    struct links links = links_with(self, key, &message->arena);
    for (size_t i = 0; i < links.count; i++) {
        TRY(repository_make_room(self, message, room_for_both(room_for_removals(1), others)));
        repository_delete(self, RELATIONSHIPS, links.items[i]);
    }
    return repository_make_room(self, message, others);
}

// Adds the relationships of one end: of an asset those at both ends of it.
static void
need_links(const struct repository *self, struct needs *needs, struct arena *arena,
           const struct link_end *end)
{
    bool is_asset = repository_latest(self, ASSETS, end->key) != NULL;
    if (is_asset)
        needs_add(needs, arena, RELATIONSHIPS, INDEX_RELATIONSHIP_RELATED, end->key);
    if (is_asset || end->end == RELATIONSHIP_ASSET)
        needs_add(needs, arena, RELATIONSHIPS, INDEX_RELATIONSHIP_ASSET, end->key);
}

fallible
relationship_cascade_need(struct repository *self, struct message *message,
                          const struct link_end *ends, size_t count, const struct needs *others)
{
    struct needs assets = {0}, links = {0};
    for (size_t i = 0; i < count; i++)
        needs_add(&assets, &message->arena, ASSETS, 0, ends[i].key);
    for (size_t i = 0; i < others->count; i++) // they are read meanwhile
        needs_add(&assets, &message->arena, others->items[i].kind, others->items[i].row,
                  others->items[i].value);
    TRY(repository_need(self, &assets, message));
    for (size_t i = 0; i < count; i++)
        need_links(self, &links, &message->arena, &ends[i]);
    return repository_need(self, &links, message);
}

// How many relationships will have the key: at both ends if it is an asset, else in the place of an
// asset.
static size_t
count_with(const struct repository *self, const struct text *key)
{
    struct arena arena = {0};
    const struct links links = repository_latest(self, ASSETS, key)
                                   ? links_with(self, key, &arena)
                                   : links_by(self, RELATIONSHIP_ASSET, key, &arena);
    arena_finish(&arena);
    return links.count;
}

fallible
relationship_cascade_check_room(const struct repository *self, unsigned end, const struct text *key,
                                size_t more)
{
    if (text_size(key) == 0 || (end != RELATIONSHIP_ASSET && !repository_latest(self, ASSETS, key)))
        return OK;
    if (count_with(self, key) + more > LIMIT_ASSET_LINKS)
        return fail(ERR_CONFLICT, "", "asset %s can have at most %d relationships", text_chars(key),
                    LIMIT_ASSET_LINKS);
    return OK;
}

static struct record *
moved(struct arena *arena, const struct record *link, const struct text *from,
      const struct text *to)
{
    static const unsigned ends[] = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED};
    struct record *record = record_copy(arena, &relationship_schema, link);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (has(record, ends[i], from))
            record_set_text(record, ends[i], to);
    return record;
}

fallible
relationship_cascade_repoint(struct repository *self, struct message *message,
                             const struct text *from, const struct text *to, struct room others)
{
    TRY(relationship_cascade_fetch(self, message, from));
    struct links links = links_with(self, from, &message->arena);
    size_t bytes = text_size(to) * 2 * links.count;
    for (size_t i = 0; i < links.count; i++)
        bytes += record_size(links.items[i]);
    struct room own = room_for_records(links.count, bytes);
    TRY(repository_make_room(self, message, room_for_both(own, others)));
    for (size_t i = 0; i < links.count; i++)
        repository_put(self, RELATIONSHIPS,
                       moved(&message->arena, frozen_record(links.items[i]), from, to),
                       links.items[i]);
    return OK;
}
