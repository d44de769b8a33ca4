// repository_fetch.c - asks the reader for what the cache does not know (repository_fetch.h).
#include "actors/repository/repository_fetch.h"

#include <assert.h>

#include "actors/runtime/page_reader.h"
#include "proto/base/limits.h"

// --- asking ---

// A page of one key. Its kind stands among those that can be read (repository.readable).
static struct record_page *
page_of_key(struct repository *self, unsigned kind, const struct text *key)
{
    struct record_page *page = record_page_of_kind(&self->indexes, &self->readable[kind], 0);
    page->low = key_of_text(self->settings.kinds[kind].tag, key);
    page->high = key_next(&page->low);
    page->limit = 1;
    return page;
}

// The page is taken, or gone.
static fallible
ask(struct repository *self, struct cached_record *entry, struct record_page *page)
{
    enum error error = page_reader_ask(self->base.mailbox, self->settings.reader, &page);
    record_page_destroy(&page);
    if (error == OK)
        record_cache_begin_read(&self->cache, entry); // else it goes at the end of the turn
    return error;
}

static fallible
ask_record(struct repository *self, unsigned kind, struct cached_record *entry)
{
    return entry->is_asked ? OK : ask(self, entry, page_of_key(self, kind, entry->key));
}

// The posting of a value, in which commits put what they change from here on.
static struct cached_record *
take_posting(struct repository *self, unsigned kind, unsigned id, const struct key *prefix)
{
    struct index_row *posted = self->posted[kind];
    while (posted->id && posted->id != id)
        posted++;
    assert(posted < &self->posted[kind][REPOSITORY_POSTED]);
    *posted = *index_row_with_id(self->settings.kinds[kind].stored, id);
    return record_cache_take_posting(&self->cache, key_bytes(prefix));
}

static fallible
ask_posting(struct repository *self, unsigned kind, struct cached_record *entry,
            const struct key *prefix)
{
    if (entry->is_asked)
        return OK;
    return ask(self, entry, record_page_by_index(&self->indexes, &self->readable[kind], 0, prefix));
}

static enum error
wait_for(struct cached_record *entry, struct message *message)
{
    message_queue_push(&entry->waiting, &message);
    return PARKED;
}

bool
repository_must_fetch(const struct repository *self, unsigned kind, const struct text *key)
{
    return self->settings.kinds[kind].is_cached && text_size(key) > 0 &&
           text_size(key) <= LIMIT_KEY_BYTES;
}

// Of what need not be fetched.
static const frozen_t *
in_table(const struct repository *self, unsigned kind, const struct text *key)
{
    bool is_cached = self->settings.kinds[kind].is_cached; // and no record has such a key
    return is_cached ? NULL : record_set_find(&self->tables[kind].records, key);
}

fallible
repository_fetch(struct repository *self, unsigned kind, const struct text *key,
                 struct message *message, const frozen_t **ret_record)
{
    if (!repository_must_fetch(self, kind, key)) {
        *ret_record = in_table(self, kind, key);
        return OK;
    }
    struct cached_record *entry = record_cache_take(&self->cache, kind, key);
    if (entry->is_known) {
        *ret_record = entry->record;
        return OK;
    }
    TRY(ask_record(self, kind, entry));
    return wait_for(entry, message);
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

// --- needs ---

void
needs_add(struct needs *self, struct arena *arena, unsigned kind, unsigned row,
          const struct text *value)
{
    if (text_size(value) == 0)
        return;
    if (self->count == self->room) {
        struct need *old = self->items;
        self->room = self->room ? 2 * self->room : 8;
        self->items = arena_alloc(arena, self->room * sizeof *self->items);
        if (old)
            memcpy(self->items, old, self->count * sizeof *self->items);
    }
    self->items[self->count++] = (struct need){kind, row, value};
}

static struct key
prefix_of(const struct repository *self, unsigned kind, unsigned id, const struct text *value)
{
    return index_prefix_of_text(index_row_with_id(self->settings.kinds[kind].stored, id), value);
}

// Looks for what the need is about. *ret_missing: it is not known, and asked for; else untouched.
static fallible
look(struct repository *self, const struct need *need, struct cached_record **ret_missing)
{
    struct cached_record *entry;
    if (need->row == 0) {
        if (!repository_must_fetch(self, need->kind, need->value))
            return OK;
        entry = record_cache_take(&self->cache, need->kind, need->value);
        if (!entry->is_known)
            TRY(ask_record(self, need->kind, entry));
    } else {
        const struct key prefix = prefix_of(self, need->kind, need->row, need->value);
        entry = take_posting(self, need->kind, need->row, &prefix);
        if (!entry->is_known)
            TRY(ask_posting(self, need->kind, entry, &prefix));
    }
    *ret_missing = entry->is_known ? *ret_missing : entry;
    return OK;
}

fallible
repository_need(struct repository *self, const struct needs *needs, struct message *message)
{
    struct cached_record *missing = NULL;
    for (size_t i = 0; i < needs->count; i++)
        TRY(look(self, &needs->items[i], &missing));
    return missing ? wait_for(missing, message) : OK;
}

fallible
repository_need_by(struct repository *self, unsigned kind, unsigned row, const struct text *value,
                   struct message *message)
{
    struct need need = {kind, row, value};
    return text_size(value) ? repository_need(self, &(struct needs){&need, 1, 1}, message) : OK;
}

struct record_set *
repository_posting(const struct repository *self, unsigned kind, unsigned row,
                   const struct text *value)
{
    const struct key prefix = prefix_of(self, kind, row, value);
    struct cached_record *entry = record_cache_peek_posting(&self->cache, key_bytes(&prefix));
    assert(entry && entry->is_known);
    assert(entry->used_turn == self->cache.turn); // as record_cache_known
    return &entry->posting->set;
}

void
repository_know_none(struct repository *self, unsigned kind, unsigned row, const struct text *value)
{
    const struct key prefix = prefix_of(self, kind, row, value);
    struct cached_record *entry = take_posting(self, kind, row, &prefix);
    if (!entry->is_asked)
        record_cache_posting_is_whole(&self->cache, entry);
}

void
repository_forget_posting(struct repository *self, unsigned kind, unsigned row,
                          const struct text *value)
{
    const struct key prefix = prefix_of(self, kind, row, value);
    struct cached_record *entry = record_cache_peek_posting(&self->cache, key_bytes(&prefix));
    if (entry && !entry->is_asked && entry->waiting.count == 0)
        record_cache_forget(&self->cache, entry);
}

// --- pages for handlers that go through many ---

struct record_page *
repository_page(struct repository *self, unsigned kind, const struct key *prefix)
{
    const struct index_kind *readable = &self->readable[kind];
    return prefix ? record_page_by_index(&self->indexes, readable, 0, prefix)
                  : record_page_of_kind(&self->indexes, readable, 0);
}

fallible
repository_ask_page(struct repository *self, struct record_page **page, struct message *message)
{
    record_page_clear(*page);
    (*page)->asker = message;
    enum error error = page_reader_ask(self->base.mailbox, self->settings.reader, page);
    if (error == OK)
        return PARKED;
    (*page)->asker = NULL;
    return error;
}

struct record_page *
repository_take_page(struct repository *self, const struct message *message)
{
    struct record_page *page = self->arrived_for == message ? self->arrived : NULL;
    if (!page)
        return NULL;
    self->arrived = NULL;
    return page;
}

static void
deliver(struct repository *self, struct message *message, struct record_page *page)
{
    struct message *asker = page->asker;
    page->asker = NULL;
    message->parcel = NULL;
    self->arrived = page;
    self->arrived_for = asker;
    actor_dispatch(&self->base, asker);
    self->arrived_for = NULL;
    record_page_destroy(&self->arrived);
}

// --- what will be changed ---

void
repository_hold(struct repository *self, unsigned kind, const struct text *key)
{
    if (repository_must_fetch(self, kind, key))
        record_cache_hold(&self->cache, record_cache_take(&self->cache, kind, key));
}

const frozen_t *
repository_held(struct repository *self, unsigned kind, const struct text *key)
{
    if (!repository_must_fetch(self, kind, key))
        return in_table(self, kind, key);
    const struct cached_record *entry = record_cache_take(&self->cache, kind, key);
    assert(entry->is_held && entry->is_known);
    return entry->record;
}

void
repository_let_go(struct repository *self)
{
    record_cache_let_go(&self->cache);
}

// --- what is committed ---

static struct cached_record *
posting_of(struct repository *self, const struct key *key, const frozen_t *record)
{
    size_t name = text_size(frozen_key(record));
    return record_cache_peek_posting(&self->cache, (struct bytes){key->data, key->size - name});
}

struct posted {
    struct repository *repository;
    const frozen_t *record;
};

static void
unpost(void *context, const struct key *key, bool is_delete)
{
    struct posted *self = context;
    struct cached_record *entry = posting_of(self->repository, key, self->record);
    (void)is_delete;
    if (entry)
        record_cache_unpost(&self->repository->cache, entry, frozen_key(self->record));
}

static void
post(void *context, const struct key *key, bool is_delete)
{
    struct posted *self = context;
    struct cached_record *entry = posting_of(self->repository, key, self->record);
    (void)is_delete;
    if (entry)
        record_cache_post(&self->repository->cache, entry, self->record);
}

static void
follow_postings(struct repository *self, unsigned kind, const frozen_t *record, index_writer *write)
{
    struct posted posted = {self, record};
    if (!record || self->cache.postings == 0 || self->posted[kind][0].id == 0)
        return;
    const struct text *key = frozen_key(record);
    index_records_change(self->posted[kind], (struct bytes){text_bytes(key), text_size(key)}, NULL,
                         frozen_record(record), write, &posted);
}

void
repository_fetch_committed(struct repository *self, unsigned kind, const struct text *key,
                           const frozen_t *before, const frozen_t *after)
{
    follow_postings(self, kind, before, unpost);
    follow_postings(self, kind, after, post);
    if (!self->settings.kinds[kind].is_cached)
        return;
    struct cached_record *entry = record_cache_take(&self->cache, kind, key);
    record_cache_set(&self->cache, entry, after);
    if (!after && !entry->is_asked && !entry->is_held) // what was deleted is seldom asked for again
        record_cache_forget(&self->cache, entry);
}

void
repository_fetch_unindexed(struct repository *self, struct bytes key)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    if (!index_key_read(&self->indexes, key, &kind, &row, &name))
        return;
    struct cached_record *entry =
        record_cache_peek_posting(&self->cache, (struct bytes){key.data, key.size - name.size});
    struct arena arena = {0};
    if (entry)
        record_cache_unpost(&self->cache, entry, text_new(&arena, name.data, name.size));
    arena_finish(&arena);
}

// --- what was read ---

static unsigned
kind_of(const struct repository *self, const struct record_page *page)
{
    return (unsigned)(page->kind - self->readable);
}

// The entry that a page was asked for, which it has passed: `low` stands behind it.
static struct cached_record *
entry_of(struct repository *self, struct message *message, const struct record_page *page)
{
    struct key key = page->high;
    if (page->is_by_index) { // behind the prefix, whose last byte ends the text
        key.data[key.size - 1]--;
        return record_cache_take_posting(&self->cache, key_bytes(&key));
    }
    const char *bytes = (const char *)key.data; // tag and the byte behind stand around the key
    return record_cache_take(&self->cache, kind_of(self, page),
                             text_new(&message->arena, bytes + 1, key.size - 2));
}

// Those that waited run again; where it cannot be read they fail.
static void
wake(struct repository *self, struct cached_record *entry, enum error error)
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
            actor_answer(&self->base, &message, error);
}

// Takes what was read; *ret_goes_on: the next page is asked for.
static enum error
take(struct repository *self, struct message *message, struct cached_record *entry,
     bool *ret_goes_on)
{
    struct record_page *page = record_page_of(message);
    *ret_goes_on = false;
    if (page->result != STORE_OK)
        return store_error(page->result);
    if (!entry->posting) {
        if (!entry->is_known)
            record_cache_set(&self->cache, entry, page->count > 0 ? page->records[0] : NULL);
        return OK;
    }
    for (size_t i = 0; i < page->count; i++)
        record_cache_post_read(&self->cache, entry, page->records[i]);
    if (!page->is_more) {
        record_cache_posting_is_whole(&self->cache, entry);
        return OK;
    }
    record_page_clear(page);
    message->parcel = NULL;
    enum error error = page_reader_ask(self->base.mailbox, self->settings.reader, &page);
    record_page_destroy(&page);
    *ret_goes_on = error == OK;
    return error;
}

enum error
repository_fetched(actor_t *actor, struct message *message)
{
    struct repository *self = repository_of(actor);
    struct record_page *page = record_page_of(message);
    if (page->asker) {
        deliver(self, message, page);
        message_destroy(&message);
        return PARKED;
    }
    struct cached_record *entry = entry_of(self, message, page);
    bool goes_on;
    enum error error = take(self, message, entry, &goes_on);
    if (!goes_on) {
        record_cache_end_read(&self->cache, entry);
        wake(self, entry, error);
    }
    message_destroy(&message);
    return PARKED;
}
