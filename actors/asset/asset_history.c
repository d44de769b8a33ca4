// asset_history.c - which files are versions of one another (asset_history.h). An asset that was
// never updated has no history. Runs on the asset actor's thread.
#include "actors/asset/asset_history.h"

#include <time.h>

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_cascade.h"
#include "actors/repository/repository_fetch.h"
#include "actors/repository/repository_staged.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"
#include "proto/records/asset.h"

static const struct history *
history_of(const struct record *record)
{
    return (const struct history *)(const void *)record;
}

fallible
asset_history_latest(struct repository *repository, struct message *message,
                     const struct record *asset, const frozen_t **ret_history)
{
    const struct text *id = asset_of(asset)->history;
    *ret_history = NULL;
    return text_size(id) ? repository_fetch_latest(repository, HISTORIES, id, message, ret_history)
                         : OK;
}

bool
asset_history_has(const frozen_t *history, const struct text *key)
{
    return history && texts_contain(history_of(frozen_record(history))->asset_ids, key);
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

// `first`, and the keys of the history (NULL = none) without `but`. Where there is none there is
// room for the version before.
static struct texts *
keys_of(struct arena *arena, const struct text *first, const frozen_t *history,
        const struct text *but)
{
    const struct texts *old = history ? history_of(frozen_record(history))->asset_ids : NULL;
    struct texts *keys = texts_with_room(arena, old ? old->count + 1 : 2);
    if (first)
        keys->items[keys->count++] = first;
    for (size_t i = 0; i < texts_count(old); i++)
        if (!text_equal(old->items[i], but))
            keys->items[keys->count++] = old->items[i];
    return keys;
}

struct room
asset_history_room(const frozen_t *history, struct room others)
{
    enum { NEW_BYTES = 1024 };
    size_t bytes = NEW_BYTES + (history ? record_size(history) : 0);
    return room_for_both(room_for_records(1, bytes), others);
}

void
asset_history_leave(struct repository *repository, struct message *message,
                    const struct record *asset, const frozen_t *history)
{
    struct arena *arena = &message->arena;
    if (!history)
        return;
    const struct texts *keys = keys_of(arena, NULL, history, asset_of(asset)->key);
    if (texts_count(keys) == 0)
        repository_delete(repository, HISTORIES, history);
    else
        repository_put(repository, HISTORIES,
                       history_with(arena, history_of(frozen_record(history))->id, keys), history);
}

// --- a new version ---

static const struct text *
timestamp(struct arena *arena, uint64_t calendar_us)
{
    char chars[32];
    struct tm parts;
    const time_t seconds = (time_t)(calendar_us / 1000000);
    strftime(chars, sizeof chars, "%Y.%m.%d.%H.%M.%S", gmtime_r(&seconds, &parts));
    return text_from(arena, chars);
}

void
asset_stamp(struct message *message, struct record *asset)
{
    uint64_t now_us = clock_calendar_us();
    record_set_integer(asset, ASSET_CREATED_US, (int64_t)now_us);
    record_set_text(asset, ASSET_CREATED_TIMESTAMP, timestamp(&message->arena, now_us));
}

fallible
asset_history_check_current(const struct record *asset, const frozen_t *history)
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

void
asset_history_begin_version(struct message *message, const struct record *before,
                            struct record *after)
{
    struct arena *arena = &message->arena;
    record_set_text(after, ASSET_KEY, key_generate_free(arena));
    if (!asset_of(before)->history)
        record_set_text(after, ASSET_HISTORY, key_generate_free(arena));
    asset_stamp(message, after);
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

fallible
asset_history_follow(struct repository *repository, struct message *message, const frozen_t *before,
                     const frozen_t *history, const struct record *after, size_t bytes)
{
    const struct record *stored = frozen_record(before);
    bytes += record_size(before) + record_frozen_size(&asset_schema, after);
    // The version before, the version, what the caller stages; the history.
    struct room room = asset_history_room(history, room_for_records(3, bytes));
    TRY(relationship_cascade_repoint(repository, message, record_key(stored), record_key(after),
                                     room));
    relationship_cascade_begin(repository, record_key(after));
    put_version(repository, message, before, history, after);
    return OK;
}
