// assets.c - stored files and their versions. Runs on the asset actor's thread. The bytes are
// stored before the message is sent: its parcel pins the blob. Here a record begins to refer to it,
// or ends.
#include "actors/asset/assets.h"

#include <time.h>

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/asset/relationship_cleanup.h"
#include "actors/runtime/access.h"
#include "actors/runtime/preconditions.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"
#include "proto/records/asset.h"
#include "proto/records/relationship.h"

static fallible before_asset(struct repository *repository, struct message *message,
                             const frozen_t *before, struct record *after);

// More than the relationship that an upload asks for takes, and what the server adds to its record.
enum { LINK_BYTES = 4 * LIMIT_TEXT_BYTES };

const struct resource asset_resource = {
    .noun = "asset",
    .kind = ASSETS,
    .key = ASSET_KEY,
    .param = PARAMS_ASSET,
    .owner = ASSET_USER,
    .is_public = ASSET_PUBLIC,
    .view = &asset_view_full,
    .before_write = before_asset,
    .extra = {1, WRITE_COST + LINK_BYTES}, // the relationship of a new asset
};

static const struct history *
history_of(const struct record *record)
{
    return (const struct history *)(const void *)record;
}

// --- durable records refer to their bytes ---

static bool
hash_of(const frozen_t *record, struct blob_hash *ret_hash)
{
    const struct text *sha256 = record ? asset_of(frozen_record(record))->sha256 : NULL;
    return blob_hash_from_hex(text_bytes(sha256), text_size(sha256), ret_hash);
}

void
assets_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    asset_actor_t *self = asset_actor_of(repository);
    struct blob_hash hash;
    assets_by_time_replace(&self->assets, before, after);
    if (hash_of(after, &hash))
        blob_keep(self->blobs, &hash);
    if (hash_of(before, &hash))
        blob_drop(self->blobs, &hash);
}

// --- what is new ---

static const struct text *
timestamp(struct arena *arena, uint64_t calendar_us)
{
    char chars[32];
    struct tm parts;
    const time_t seconds = (time_t)(calendar_us / 1000000);
    strftime(chars, sizeof chars, "%Y.%m.%d.%H.%M.%S", gmtime_r(&seconds, &parts));
    return text_from(arena, chars);
}

// Sets what the server alone knows of a version: its bytes, and the time of the upload.
static fallible
take_bytes(struct message *message, struct record *record)
{
    const struct blob_pin *pin = (const struct blob_pin *)(const void *)message->parcel;
    char hex[BLOB_HEX_SIZE];
    uint64_t now_us = clock_calendar_us();
    if (!pin)
        return fail(ERR_MISSING, "", "the asset has no bytes");
    blob_hash_to_hex(&pin->hash, hex);
    record_set_text(record, ASSET_SHA256, text_from(&message->arena, hex));
    record_set_integer(record, ASSET_SIZE, (int64_t)pin->size);
    record_set_integer(record, ASSET_CREATED_US, (int64_t)now_us);
    record_set_text(record, ASSET_CREATED_TIMESTAMP, timestamp(&message->arena, now_us));
    return OK;
}

// The record that an upload wants its asset to be related to; NULL where it asks for nothing, or
// names one end only.
static const struct text *
wanted_end(const struct message *message)
{
    const struct asset *request = asset_of(message->records->items[0]);
    bool is_whole = text_size(request->related_id) && text_size(request->related_type);
    return is_whole ? request->related_id : NULL;
}

// Whether the caller may relate the asset as the upload asks.
static fallible
check_end(struct repository *repository, struct message *message)
{
    const struct text *end = wanted_end(message);
    if (!end)
        return OK;
    TRY(relationship_access_check_ends(repository, message, &end, 1));
    return relationship_cascade_check_room(repository, RELATIONSHIP_RELATED, end, 1);
}

// Whether the relationship that an upload asks for will exist already: it may have moved from the
// version before.
static bool
is_related(const struct repository *repository, struct arena *arena, const struct text *key,
           const struct asset *request)
{
    size_t count;
    const frozen_t **links =
        repository_latest_by(repository, RELATIONSHIPS, RELATIONSHIP_ASSET, key, arena, &count);
    for (size_t i = 0; i < count; i++)
        if (text_equal(record_text(frozen_record(links[i]), RELATIONSHIP_TYPE),
                       request->related_type) &&
            text_equal(record_text(frozen_record(links[i]), RELATIONSHIP_RELATED),
                       request->related_id) &&
            text_size(record_text(frozen_record(links[i]), RELATIONSHIP_SUB_ID)) == 0)
            return true;
    return false;
}

// Makes the relationship that an upload asks for.
static void
put_relationship(struct repository *repository, struct message *message, const struct text *key)
{
    struct arena *arena = &message->arena;
    const struct asset *request = asset_of(message->records->items[0]);
    if (!wanted_end(message) || is_related(repository, arena, key, request))
        return;
    struct record *link = record_new(arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, key_generate_free(arena));
    record_set_text(link, RELATIONSHIP_ASSET, key);
    record_set_text(link, RELATIONSHIP_TYPE, request->related_type);
    record_set_text(link, RELATIONSHIP_RELATED, request->related_id);
    if (message->caller.user[0])
        record_set_text(link, RELATIONSHIP_USER, text_from(arena, message->caller.user));
    relationship_cleanup_note(message, link);
    repository_put(repository, RELATIONSHIPS, link, NULL);
}

// --- histories ---

// The history that an asset will have, or NULL.
static const frozen_t *
latest_history(const struct repository *repository, const struct record *asset)
{
    const struct text *id = asset_of(asset)->history;
    return text_size(id) ? repository_latest(repository, HISTORIES, id) : NULL;
}

static struct record *
history_with(struct arena *arena, const struct text *id, const struct texts *keys)
{
    struct record *record = record_new(arena, &history_schema);
    struct history *history = (struct history *)(void *)record;
    record_set_text(record, HISTORY_ID, id);
    record_set_text(record, HISTORY_ASSET, keys->items[0]);
    history->asset_ids = keys;
    record_mark(record, HISTORY_ASSET_IDS);
    return record;
}

static struct texts *
texts_with_room(struct arena *arena, size_t count)
{
    return arena_alloc(arena, sizeof(struct texts) + count * sizeof(const struct text *));
}

// `first`, and the keys of the history (NULL = none) without `but`.
static struct texts *
keys_of(struct arena *arena, const struct text *first, const frozen_t *history,
        const struct text *but)
{
    const struct texts *old = history ? history_of(frozen_record(history))->asset_ids : NULL;
    struct texts *keys = texts_with_room(arena, texts_count(old) + 1);
    if (first)
        keys->items[keys->count++] = first;
    for (size_t i = 0; i < texts_count(old); i++)
        if (!text_equal(old->items[i], but))
            keys->items[keys->count++] = old->items[i];
    return keys;
}

// For the asset's history with one key more or less, and `others` writes.
static struct room
room_for_history(const struct repository *repository, const struct record *asset,
                 struct room others)
{
    enum { NEW_BYTES = 1024 };
    const frozen_t *history = latest_history(repository, asset);
    size_t bytes = NEW_BYTES + (history ? record_size(history) : 0);
    return room_for_both(room_for_records(1, bytes), others);
}

// The newest version that is left becomes the current one. An empty history is deleted.
static void
leave_history(struct repository *repository, struct message *message, const struct record *asset)
{
    struct arena *arena = &message->arena;
    const frozen_t *history = latest_history(repository, asset);
    if (!history)
        return;
    const struct texts *keys = keys_of(arena, NULL, history, asset_of(asset)->key);
    if (texts_count(keys) == 0)
        repository_delete(repository, HISTORIES, history);
    else
        repository_put(repository, HISTORIES,
                       history_with(arena, history_of(frozen_record(history))->id, keys), history);
}

static fallible
before_asset(struct repository *repository, struct message *message, const frozen_t *before,
             struct record *after)
{
    if (!after) {
        TRY(relationship_cascade_end(
            repository, message, frozen_key(before),
            room_for_history(repository, frozen_record(before), room_for_removals(1))));
        leave_history(repository, message, frozen_record(before));
        return OK;
    }
    TRY(check_end(repository, message));
    TRY(take_bytes(message, after));
    TRY(repository_check_budget(repository, ASSETS, message, NULL, after));
    put_relationship(repository, message, asset_of(after)->key);
    return OK;
}

// --- versions ---

static fallible
check_current(const struct record *asset, const frozen_t *history)
{
    const struct texts *keys = history ? history_of(frozen_record(history))->asset_ids : NULL;
    if (texts_count(keys) && !text_equal(keys->items[0], asset_of(asset)->key))
        return fail(ERR_CONFLICT, "", "this version was replaced; the current one is %s",
                    text_chars(keys->items[0]));
    if (texts_count(keys) >= LIMIT_ASSET_VERSIONS)
        return fail(ERR_CONFLICT, "", "an asset may have at most %d versions",
                    LIMIT_ASSET_VERSIONS);
    return OK;
}

// Members that the request does not have stay as they were.
static fallible
next_version(struct message *message, const struct record *before, struct record **ret_after)
{
    struct arena *arena = &message->arena;
    struct record *after;
    TRY(record_merge(arena, &asset_schema, before, message->records->items[0], LIST_OVERWRITE,
                     &after));
    record_set_text(after, ASSET_KEY, key_generate_free(arena));
    if (!asset_of(before)->history)
        record_set_text(after, ASSET_HISTORY, key_generate_free(arena));
    TRY(take_bytes(message, after));
    *ret_after = after;
    return OK;
}

static void
put_version(struct repository *repository, struct message *message, const frozen_t *before,
            const frozen_t *history, const struct record *after)
{
    struct arena *arena = &message->arena;
    const struct asset *next = asset_of(after);
    struct texts *keys = keys_of(arena, next->key, history, NULL);
    if (!history) {
        struct record *first = record_copy(arena, &asset_schema, frozen_record(before));
        record_set_text(first, ASSET_HISTORY, next->history);
        repository_put(repository, ASSETS, first, before);
        keys->items[keys->count++] = frozen_key(before);
    }
    repository_put(repository, HISTORIES, history_with(arena, next->history, keys), history);
    reply_add(message, repository_put(repository, ASSETS, after, NULL));
}

enum error
asset_update(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *before;
    struct record *after;
    TRY(resource_latest(repository, &asset_resource, message, &before));
    const struct record *stored = frozen_record(before);
    const frozen_t *history = latest_history(repository, stored);
    TRY(check_current(stored, history));
    TRY(preconditions_check(message, stored, asset_resource.view));
    TRY(check_end(repository, message));
    TRY(next_version(message, stored, &after));
    TRY(repository_check_budget(repository, ASSETS, message, NULL, after));
    // The version before, the version, a relationship; the history.
    size_t bytes = record_size(before) + record_frozen_size(&asset_schema, after) + LINK_BYTES;
    TRY(relationship_cascade_repoint(
        repository, message, record_key(stored), record_key(after),
        room_for_history(repository, stored, room_for_records(3, bytes))));
    put_version(repository, message, before, history, after);
    put_relationship(repository, message, record_key(after));
    return repository_answer_durable(repository, message);
}

enum error
history_get(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *asset;
    TRY(resource_find(repository, &asset_resource, message, &asset));
    const struct text *id = asset_of(frozen_record(asset))->history;
    const frozen_t *history = text_size(id) ? repository_find(repository, HISTORIES, id) : NULL;
    if (history)
        reply_add(message, history);
    return OK;
}

// --- listings, in the order of creation ---

static bool
is_listed(const struct message *message, const struct record *asset)
{
    const struct records *filters = message->records;
    return resource_is_seen(&asset_resource, &message->caller, asset) &&
           (!filters || filters->count == 0 || record_matches(asset, filters->items[0]));
}

// Goes through all assets in slices: shows or counts those that are listed. PARKED between two.
static enum error
walk(actor_t *actor, struct message *message, bool shows)
{
    const struct assets_by_time *assets = &asset_actor_of(repository_of(actor))->assets;
    struct listing *listing = listing_of(message);
    size_t i = listing->passed ? assets_by_time_place_after(assets, listing->passed) : 0;
    for (; i < assets->count && (!shows || listing->page.left); i++) {
        const frozen_t *asset = assets->items[i];
        bool is_found = is_listed(message, frozen_record(asset));
        listing->found += is_found;
        if (is_found && shows)
            page_add(&listing->page, message, asset);
        if (listing_must_pause(listing, actor, i, asset))
            return actor_pause(actor, message);
    }
    return OK;
}

enum error
asset_list(actor_t *actor, struct message *message)
{
    return walk(actor, message, true);
}

enum error
asset_count(actor_t *actor, struct message *message)
{
    TRY(walk(actor, message, false));
    struct record *answer = record_new(&message->arena, &count_schema);
    record_set_integer(answer, COUNT_COUNT, listing_of(message)->found);
    reply_add_loose(message, &count_schema, answer);
    return OK;
}
