// repository_fetch.c - asks the reader for what the cache does not know (repository_fetch.h).
#include "actors/repository/repository_fetch.h"

#include <assert.h>

#include "actors/runtime/page_reader.h"
#include "proto/base/limits.h"

// A page of one key. Its kind stands among those that can be read (repository.readable).
static fallible
ask(struct repository *self, unsigned kind, const struct text *key)
{
    struct record_page *page = record_page_of_kind(&self->indexes, &self->readable[kind], 0);
    page->low = key_of_text(self->settings.kinds[kind].tag, key);
    page->high = key_next(&page->low);
    page->limit = 1;
    enum error error = page_reader_ask(self->base.mailbox, self->settings.reader, &page);
    record_page_destroy(&page);
    return error;
}

fallible
repository_fetch(struct repository *self, unsigned kind, const struct text *key,
                 struct message *message, const frozen_t **ret_record)
{
    assert(self->settings.kinds[kind].is_cached);
    if (text_size(key) > LIMIT_KEY_BYTES) { // no record has such a key
        *ret_record = NULL;
        return OK;
    }
    struct cached_record *entry = record_cache_take(&self->cache, kind, key);
    if (entry->is_known) {
        *ret_record = entry->record;
        return OK;
    }
    if (!entry->is_asked)
        TRY(ask(self, kind, key)); // the entry knows nothing and goes at the end of the turn
    entry->is_asked = true;
    message_queue_push(&entry->waiting, &message);
    return PARKED;
}

fallible
repository_fetch_latest(struct repository *self, unsigned kind, const struct text *key,
                        struct message *message, const frozen_t **ret_record)
{
    const struct change *change =
        staging_latest(&self->staging, self->settings.kinds[kind].tag, NULL, key);
    if (!change)
        return repository_fetch(self, kind, key, message, ret_record);
    *ret_record = change->record;
    return OK;
}

void
repository_fetch_committed(struct repository *self, unsigned kind, const struct text *key,
                           const frozen_t *record)
{
    struct cached_record *entry = record_cache_take(&self->cache, kind, key);
    record_cache_set(&self->cache, entry, record);
    if (!record && !entry->is_asked) // what was deleted is seldom asked for again
        record_cache_forget(&self->cache, entry);
}

static unsigned
kind_of(const struct repository *self, const struct record_page *page)
{
    return (unsigned)(page->kind - self->readable);
}

// The key that a page was asked for, which it has passed: `low` stands behind it.
static const struct text *
key_of(struct message *message, const struct record_page *page)
{
    const char *bytes = (const char *)page->high.data;
    return text_new(&message->arena, bytes + 1, page->high.size - 2); // tag and the byte behind
}

// Those that waited run again; where it cannot be read they fail.
static void
wake(struct repository *self, struct cached_record *entry, enum store_result result)
{
    struct message_queue waiting = entry->waiting;
    entry->waiting = (struct message_queue){0};
    bool is_known = entry->is_known;
    if (!is_known)
        record_cache_forget(&self->cache, entry);
    struct message *message;
    while ((message = message_queue_pop(&waiting)) != NULL)
        if (is_known)
            actor_dispatch(&self->base, message);
        else
            actor_answer(&self->base, &message, store_error(result));
}

enum error
repository_fetched(actor_t *actor, struct message *message)
{
    struct repository *self = repository_of(actor);
    const struct record_page *page = record_page_of(message);
    struct cached_record *entry =
        record_cache_take(&self->cache, kind_of(self, page), key_of(message, page));
    entry->is_asked = false;
    bool is_read = page->result == STORE_OK;
    if (is_read && !entry->is_known)
        record_cache_set(&self->cache, entry, page->count > 0 ? page->records[0] : NULL);
    wake(self, entry, page->result);
    message_destroy(&message);
    return PARKED;
}
