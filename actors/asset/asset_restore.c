// asset_restore.c - an old version of an asset becomes the current one again: as a new version with
// the bytes of the old one, so that no version is lost (asset_restore.h). Runs on the asset actor's
// thread.
#include "actors/asset/asset_restore.h"

#include "actors/asset/asset_history.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/assets.h"
#include "actors/repository/repository_fetch.h"
#include "actors/runtime/preconditions.h"
#include "proto/records/asset.h"

// What describes a file, and so comes back with it. Whose it is, and who may read it, stays as it
// is: to restore a version publishes nothing.
static const unsigned texts[] = {ASSET_NAME,      ASSET_DESCRIPTION,   ASSET_CONTENT_TYPE,
                                 ASSET_FILE_TYPE, ASSET_ASSET_TYPE,    ASSET_SHA256,
                                 ASSET_THUMBNAIL, ASSET_THUMBNAIL_TYPE};
static const unsigned sizes[] = {ASSET_SIZE, ASSET_THUMBNAIL_SIZE};

enum { TEXTS = sizeof texts / sizeof texts[0], SIZES = sizeof sizes / sizeof sizes[0] };

static void
take_back(struct record *after, const struct record *old)
{
    for (size_t i = 0; i < TEXTS; i++) {
        record_set_text(after, texts[i], record_text(old, texts[i]));
        if (!record_has(old, texts[i]))
            after->present &= ~FIELD_BIT(texts[i]);
    }
    for (size_t i = 0; i < SIZES; i++) {
        const struct field *field = schema_field(&asset_schema, sizes[i]);
        record_set_integer(after, sizes[i], MEMBER_CONST(int64_t, old, field));
        if (!record_has(old, sizes[i]))
            after->present &= ~FIELD_BIT(sizes[i]);
    }
    memcpy(((struct asset *)(void *)after)->bounds, asset_of(old)->bounds,
           sizeof asset_of(old)->bounds);
    after->present &= ~FIELD_BIT(ASSET_BOUNDS);
    after->present |= old->present & FIELD_BIT(ASSET_BOUNDS);
}

// The version that the request names, as it will be. One that the caller may not read is answered
// like one that does not exist.
static fallible
find_old(struct repository *repository, struct message *message, const frozen_t *history,
         const struct record *current, const struct record **ret_old)
{
    struct record *request;
    const frozen_t *old = NULL;
    TRY(resource_request(message, &request));
    const struct text *key = record_text(request, RESTORATION_VERSION);
    if (text_size(key) == 0)
        return fail(ERR_MISSING, "/version", "is needed");
    if (text_equal(key, record_key(current)))
        return fail(ERR_INVALID, "/version", "is the current version");
    if (asset_history_has(history, key))
        TRY(repository_fetch_latest(repository, ASSETS, key, message, &old));
    if (!old || !resource_is_seen(&asset_resource, &message->caller, frozen_record(old)))
        return fail(ERR_INVALID, "/version", "must be the key of an older version of the asset");
    *ret_old = frozen_record(old);
    return OK;
}

enum error
asset_restore(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *before, *history;
    const struct record *old;
    TRY(resource_latest(repository, &asset_resource, message, &before));
    const struct record *stored = frozen_record(before);
    TRY(asset_history_latest(repository, message, stored, &history));
    TRY(asset_history_check_current(stored, history));
    TRY(preconditions_check(message, stored, asset_resource.view));
    TRY(find_old(repository, message, history, stored, &old));
    struct record *after = record_copy(&message->arena, &asset_schema, stored);
    take_back(after, old);
    asset_history_begin_version(message, stored, after);
    TRY(repository_check_budget(repository, ASSETS, message, NULL, after));
    // The bytes stay: the old version refers to them until the new one does.
    TRY(asset_history_follow(repository, message, before, history, after, 0));
    return repository_answer_durable(repository, message);
}
