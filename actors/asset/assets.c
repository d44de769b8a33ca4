// assets.c - stored files and their versions. Runs on the asset actor's thread. The bytes are
// stored before the message is sent: its parcel pins the blob. Here a record begins to refer to it,
// or ends.
#include "actors/asset/assets.h"

#include "actors/asset/asset_history.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_access.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/asset/relationship_cleanup.h"
#include "actors/repository/repository_fetch.h"
#include "actors/runtime/preconditions.h"
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
    .order = LIST_CREATED,
    .before_write = before_asset,
    .extra = {1, WRITE_COST + LINK_BYTES}, // the relationship of a new asset
};

// --- durable records refer to their bytes ---

static bool
refers_to(const frozen_t *record, const struct text *hex)
{
    for (size_t i = 0; record && i < ASSET_BLOBS; i++)
        if (text_equal(record_text(frozen_record(record), asset_blobs[i]), hex))
            return true;
    return false;
}

// Calls `change` for each blob of the record (NULL = nothing) that the other one does not have.
static void
for_blobs(blobs_t *blobs, const frozen_t *record, const frozen_t *other,
          void (*change)(blobs_t *blobs, const struct blob_hash *hash))
{
    struct blob_hash hash;
    for (size_t i = 0; record && i < ASSET_BLOBS; i++) {
        const struct text *hex = record_text(frozen_record(record), asset_blobs[i]);
        if (!refers_to(other, hex) && blob_hash_from_hex(text_bytes(hex), text_size(hex), &hash))
            change(blobs, &hash);
    }
}

void
assets_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    asset_actor_t *self = asset_actor_of(repository);
    for_blobs(self->blobs, after, before, blob_refer);
    for_blobs(self->blobs, before, after, blob_leave);
    if (!after)
        relationship_cascade_forget(repository, frozen_key(before));
}

// --- what is new ---

// The bounds that the gateway has read in the bytes, or none: never those of other bytes.
static void
take_bounds(const struct record *request, struct record *record)
{
    record->present &= ~FIELD_BIT(ASSET_BOUNDS);
    if (!record_has(request, ASSET_BOUNDS))
        return;
    memcpy(((struct asset *)(void *)record)->bounds, asset_of(request)->bounds,
           sizeof asset_of(request)->bounds);
    record_mark(record, ASSET_BOUNDS);
}

// Sets what the server alone knows of the bytes that were uploaded.
static fallible
take_bytes(struct message *message, struct record *record)
{
    const struct blob_pin *pin = (const struct blob_pin *)(const void *)message->parcel;
    char hex[BLOB_HEX_SIZE];
    if (!pin)
        return fail(ERR_MISSING, "", "the asset has no bytes");
    blob_hash_to_hex(&pin->hash, hex);
    record_set_text(record, ASSET_SHA256, text_from(&message->arena, hex));
    record_set_integer(record, ASSET_SIZE, (int64_t)pin->size);
    take_bounds(message->records->items[0], record);
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
    TRY(relationship_cascade_need(
        repository, message, &(struct link_end){RELATIONSHIP_RELATED, end}, 1, &(struct needs){0}));
    TRY(relationship_access_check_ends(repository, message, &end, 1));
    return relationship_cascade_check_room(repository, RELATIONSHIP_RELATED, end, 1);
}

// Whether the relationship that an upload asks for will exist already: it may have moved from the
// version before. Its key is new, so what it has is staged.
static bool
is_related(const struct repository *repository, const struct text *key, const struct asset *request)
{
    const struct change *change;
    for (size_t cursor = 0;
         (change = staging_next(&repository->staging, KEY_RELATIONSHIP, &cursor)) != NULL;) {
        const struct record *link = frozen_record(change->record);
        if (link && text_equal(record_text(link, RELATIONSHIP_ASSET), key) &&
            text_equal(record_text(link, RELATIONSHIP_TYPE), request->related_type) &&
            text_equal(record_text(link, RELATIONSHIP_RELATED), request->related_id) &&
            text_size(record_text(link, RELATIONSHIP_SUB_ID)) == 0)
            return true;
    }
    return false;
}

// Makes the relationship that an upload asks for.
static void
put_relationship(struct repository *repository, struct message *message, const struct text *key)
{
    struct arena *arena = &message->arena;
    const struct asset *request = asset_of(message->records->items[0]);
    if (!wanted_end(message) || is_related(repository, key, request))
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

static fallible
before_asset(struct repository *repository, struct message *message, const frozen_t *before,
             struct record *after)
{
    const frozen_t *history;
    if (!after) {
        const struct record *asset = frozen_record(before);
        TRY(asset_history_latest(repository, message, asset, &history));
        TRY(relationship_cascade_end(repository, message, frozen_key(before),
                                     asset_history_room(history, room_for_removals(1))));
        asset_history_leave(repository, message, asset, history);
        return OK;
    }
    TRY(check_end(repository, message));
    TRY(take_bytes(message, after));
    asset_stamp(message, after);
    TRY(repository_check_budget(repository, ASSETS, message, NULL, after));
    relationship_cascade_begin(repository, asset_of(after)->key);
    put_relationship(repository, message, asset_of(after)->key);
    return OK;
}

// --- versions ---

// Members that the request does not have stay as they were, but for the picture of other bytes.
static fallible
next_version(struct message *message, const struct record *before, struct record **ret_after)
{
    struct record *after;
    TRY(record_merge(&message->arena, &asset_schema, before, message->records->items[0],
                     LIST_OVERWRITE, &after));
    after->present &= ~(FIELD_BIT(ASSET_THUMBNAIL) | FIELD_BIT(ASSET_THUMBNAIL_TYPE) |
                        FIELD_BIT(ASSET_THUMBNAIL_SIZE));
    asset_history_begin_version(message, before, after);
    TRY(take_bytes(message, after));
    *ret_after = after;
    return OK;
}

enum error
asset_update(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *before, *history;
    struct record *after;
    TRY(resource_latest(repository, &asset_resource, message, &before));
    const struct record *stored = frozen_record(before);
    TRY(asset_history_latest(repository, message, stored, &history));
    TRY(asset_history_check_current(stored, history));
    TRY(preconditions_check(message, stored, asset_resource.view));
    TRY(check_end(repository, message));
    TRY(next_version(message, stored, &after));
    TRY(repository_check_budget(repository, ASSETS, message, NULL, after));
    TRY(asset_history_follow(repository, message, before, history, after, LINK_BYTES));
    put_relationship(repository, message, record_key(after));
    return repository_answer_durable(repository, message);
}

enum error
history_get(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *asset, *history = NULL;
    TRY(resource_find(repository, &asset_resource, message, &asset));
    const struct text *id = asset_of(frozen_record(asset))->history;
    if (text_size(id))
        TRY(repository_fetch(repository, HISTORIES, id, message, &history));
    if (history)
        reply_add(message, history);
    return OK;
}
