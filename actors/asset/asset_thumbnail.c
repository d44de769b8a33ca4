// asset_thumbnail.c - the small picture of an asset (asset_thumbnail.h): a blob that its record
// names, so that it comes, is paid for and goes with the record. Runs on the asset actor's thread.
#include "actors/asset/asset_thumbnail.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/assets.h"
#include "actors/runtime/preconditions.h"
#include "proto/records/asset.h"

static void
set_picture(struct message *message, const struct blob_pin *pin, const struct text *type,
            struct record *asset)
{
    char hex[BLOB_HEX_SIZE];
    blob_hash_to_hex(&pin->hash, hex);
    record_set_text(asset, ASSET_THUMBNAIL, text_from(&message->arena, hex));
    record_set_text(asset, ASSET_THUMBNAIL_TYPE, type);
    record_set_integer(asset, ASSET_THUMBNAIL_SIZE, (int64_t)pin->size);
}

enum error
thumbnail_put(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct blob_pin *pin = (const struct blob_pin *)(const void *)message->parcel;
    const frozen_t *before;
    struct record *request;
    TRY(resource_request(message, &request));
    TRY(resource_latest(repository, &asset_resource, message, &before));
    TRY(preconditions_check(message, frozen_record(before), asset_resource.view));
    if (!pin)
        return fail(ERR_MISSING, "", "the thumbnail has no bytes");
    struct record *after = record_copy(&message->arena, &asset_schema, frozen_record(before));
    set_picture(message, pin, record_text(request, THUMBNAIL_CONTENT_TYPE), after);
    TRY(repository_check_budget(repository, ASSETS, message, before, after));
    TRY(repository_make_room(repository, message,
                             room_for_records(1, record_frozen_size(&asset_schema, after))));
    reply_add(message, repository_put(repository, ASSETS, after, before));
    return repository_answer_durable(repository, message);
}

enum error
thumbnail_get(actor_t *actor, struct message *message)
{
    const frozen_t *found;
    TRY(resource_find(repository_of(actor), &asset_resource, message, &found));
    const struct asset *asset = asset_of(frozen_record(found));
    if (text_size(asset->thumbnail) == 0)
        return fail(ERR_NOT_FOUND, "", "asset %s has no thumbnail", text_chars(asset->key));
    struct record *picture = record_new(&message->arena, &asset_schema);
    const char *type = text_is(asset->thumbnail_type, "image/webp") ? "webp" : "png";
    record_set_text(picture, ASSET_KEY, text_copy(&message->arena, asset->key));
    record_set_text(picture, ASSET_CONTENT_TYPE, text_copy(&message->arena, asset->thumbnail_type));
    record_set_text(picture, ASSET_FILE_TYPE, text_from(&message->arena, type));
    record_set_text(picture, ASSET_SHA256, text_copy(&message->arena, asset->thumbnail));
    record_set_integer(picture, ASSET_SIZE, asset->thumbnail_size);
    reply_add_loose(message, &asset_schema, picture);
    return OK;
}
