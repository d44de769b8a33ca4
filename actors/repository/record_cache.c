// record_cache.c - a table of entries, and a list of them in the order of their last use
// (record_cache.h).
#include "actors/repository/record_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"

struct wanted {
    unsigned kind;
    const struct text *key;
};

static uint64_t
hash_of(unsigned kind, const struct text *key)
{
    return table_hash_u64(table_hash_text(key) + kind);
}

static bool
is_wanted(const void *value, const void *key)
{
    const struct cached_record *entry = value;
    const struct wanted *wanted = key;
    return entry->kind == wanted->kind && text_equal(entry->key, wanted->key);
}

static size_t
cost_of(const struct cached_record *entry)
{
    enum { BESIDE = 2 * sizeof(struct table_slot) + 32 }; // of the table, and of the heap's blocks
    return sizeof *entry + sizeof *entry->key + text_size(entry->key) + 1 + BESIDE +
           (entry->record ? record_size(entry->record) : 0) +
           (entry->posting ? sizeof *entry->posting + entry->posting->set.bytes +
                                 record_set_room(&entry->posting->set)
                           : 0);
}

// --- order of use ---

static void
unlink_use(struct cached_record *entry)
{
    struct use_order *order = entry->order;
    *(entry->older ? &entry->older->newer : &order->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &order->newest) = entry->older;
    entry->older = entry->newer = NULL;
    order->count--;
}

static void
link_newest(struct use_order *order, struct cached_record *entry)
{
    entry->order = order;
    entry->older = order->newest;
    *(order->newest ? &order->newest->newer : &order->oldest) = entry;
    order->newest = entry;
    order->count++;
}

static void
make_newest(struct use_order *order, struct cached_record *entry)
{
    if (entry == order->newest)
        return;
    unlink_use(entry);
    link_newest(order, entry);
}

// Whether it is known that there is nothing: no record of the key, or none of the value.
static bool
is_absence(const struct cached_record *entry)
{
    return entry->is_known && !entry->record &&
           (!entry->posting || record_set_count(&entry->posting->set) == 0);
}

// What it is known to be may be another thing now.
static void
choose_order(struct record_cache *self, struct cached_record *entry)
{
    struct use_order *order = is_absence(entry) ? &self->absences : &self->uses;
    if (entry->order != order)
        make_newest(order, entry);
}

static void
forget_written(struct posting *self)
{
    void *key;
    for (size_t cursor = 0; (key = table_next(&self->written, &cursor)) != NULL;)
        free(key);
    table_finish(&self->written);
}

static void
destroy(struct cached_record *entry)
{
    if (entry->posting) {
        record_set_finish(&entry->posting->set);
        forget_written(entry->posting);
        free(entry->posting);
    }
    message_queue_finish(&entry->waiting);
    record_unref(&entry->record);
    free(entry->key);
    free(entry);
}

void
record_cache_finish(struct record_cache *self)
{
    struct cached_record *entry;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;)
        destroy(entry);
    table_finish(&self->entries);
    *self = (struct record_cache){.limit = self->limit};
}

struct cached_record *
record_cache_find(struct record_cache *self, unsigned kind, const struct text *key)
{
    const struct wanted wanted = {kind, key};
    struct cached_record *entry =
        table_find(&self->entries, hash_of(kind, key), is_wanted, &wanted);
    if (!entry)
        return NULL;
    entry->used_turn = self->turn;
    make_newest(entry->order, entry);
    return entry;
}

const frozen_t *
record_cache_known(const struct record_cache *self, unsigned kind, const struct text *key)
{
    const struct wanted wanted = {kind, key};
    const struct cached_record *entry =
        table_find(&self->entries, hash_of(kind, key), is_wanted, &wanted);
    assert(entry && entry->is_known);
    assert(entry->used_turn == self->turn); // a handler fetches what it reads
    return entry->record;
}

struct cached_record *
record_cache_take(struct record_cache *self, unsigned kind, const struct text *key)
{
    struct cached_record *entry = record_cache_find(self, kind, key);
    if (entry)
        return entry;
    entry = memory_take_zeroed(sizeof *entry);
    entry->kind = kind;
    entry->key = text_duplicate(key);
    entry->used_turn = self->turn;
    if (kind == POSTING_KIND) {
        entry->posting = memory_take_zeroed(sizeof *entry->posting);
        self->postings++;
    }
    table_add(&self->entries, hash_of(kind, key), entry);
    link_newest(&self->uses, entry);
    self->bytes += cost_of(entry);
    return entry;
}

void
record_cache_set(struct record_cache *self, struct cached_record *entry, const frozen_t *record)
{
    const frozen_t *held = record ? record_ref(record) : NULL;
    self->bytes -= cost_of(entry);
    record_unref(&entry->record);
    entry->record = held;
    entry->is_known = true;
    self->bytes += cost_of(entry);
    make_newest(record ? &self->uses : &self->absences, entry);
}

void
record_cache_forget(struct record_cache *self, struct cached_record *entry)
{
    assert(!entry->is_asked && !entry->is_held && entry->waiting.count == 0);
    table_remove(&self->entries, hash_of(entry->kind, entry->key), entry);
    unlink_use(entry);
    self->bytes -= cost_of(entry);
    self->postings -= entry->posting != NULL;
    destroy(entry);
}

void
record_cache_begin_read(struct record_cache *self, struct cached_record *entry)
{
    assert(!entry->is_asked);
    entry->is_asked = true;
    entry->asked_turn = self->turn;
    entry->asked_earlier = self->last_asked;
    *(self->last_asked ? &self->last_asked->asked_later : &self->first_asked) = entry;
    self->last_asked = entry;
}

void
record_cache_end_read(struct record_cache *self, struct cached_record *entry)
{
    struct cached_record *earlier = entry->asked_earlier, *later = entry->asked_later;
    assert(entry->is_asked);
    entry->is_asked = false;
    *(earlier ? &earlier->asked_later : &self->first_asked) = later;
    *(later ? &later->asked_earlier : &self->last_asked) = earlier;
    entry->asked_earlier = entry->asked_later = NULL;
}

void
record_cache_hold(struct record_cache *self, struct cached_record *entry)
{
    if (entry->is_held)
        return;
    entry->is_held = true;
    entry->next_held = self->held;
    self->held = entry;
}

void
record_cache_let_go(struct record_cache *self)
{
    struct cached_record *entry;
    while ((entry = self->held) != NULL) {
        self->held = entry->next_held;
        entry->is_held = false;
        entry->next_held = NULL;
    }
}

// --- postings ---

struct cached_record *
record_cache_peek_posting(const struct record_cache *self, struct bytes prefix)
{
    struct arena arena = {0};
    const struct wanted wanted = {POSTING_KIND, text_new(&arena, prefix.data, prefix.size)};
    struct cached_record *entry =
        table_find(&self->entries, hash_of(wanted.kind, wanted.key), is_wanted, &wanted);
    arena_finish(&arena);
    return entry;
}

struct cached_record *
record_cache_take_posting(struct record_cache *self, struct bytes prefix)
{
    struct arena arena = {0};
    struct cached_record *entry =
        record_cache_take(self, POSTING_KIND, text_new(&arena, prefix.data, prefix.size));
    arena_finish(&arena);
    return entry;
}

static bool
is_text(const void *value, const void *key)
{
    return text_equal(value, key);
}

static bool
was_written(const struct posting *self, const struct text *key)
{
    return table_find(&self->written, table_hash_text(key), is_text, key) != NULL;
}

// What is read later of this key is older.
static void
note_written(struct cached_record *entry, const struct text *key)
{
    if (entry->is_asked && !was_written(entry->posting, key))
        table_add(&entry->posting->written, table_hash_text(key), text_duplicate(key));
}

void
record_cache_post(struct record_cache *self, struct cached_record *entry, const frozen_t *record)
{
    self->bytes -= cost_of(entry);
    record_set_put(&entry->posting->set, record);
    note_written(entry, frozen_key(record));
    self->bytes += cost_of(entry);
    choose_order(self, entry);
}

void
record_cache_unpost(struct record_cache *self, struct cached_record *entry, const struct text *key)
{
    self->bytes -= cost_of(entry);
    note_written(entry, key);
    record_set_remove(&entry->posting->set, key);
    self->bytes += cost_of(entry);
    choose_order(self, entry);
}

void
record_cache_post_read(struct record_cache *self, struct cached_record *entry,
                       const frozen_t *record)
{
    if (was_written(entry->posting, frozen_key(record)))
        return;
    self->bytes -= cost_of(entry);
    record_set_put(&entry->posting->set, record);
    self->bytes += cost_of(entry);
}

void
record_cache_posting_is_whole(struct record_cache *self, struct cached_record *entry)
{
    entry->is_known = true;
    forget_written(entry->posting);
    choose_order(self, entry);
}

// While there are more of them, or all entries take more, than they may.
static void
trim(struct record_cache *self, const struct use_order *order, size_t most)
{
    struct cached_record *entry = order->oldest;
    uint64_t kept_from = self->first_asked ? self->first_asked->asked_turn : UINT64_MAX;
    while (entry && (order->count > most || self->bytes > self->limit) &&
           entry->used_turn < kept_from) {
        struct cached_record *newer = entry->newer;
        if (!entry->is_asked && !entry->is_held)
            record_cache_forget(self, entry);
        entry = newer;
    }
}

void
record_cache_trim(struct record_cache *self)
{
    trim(self, &self->absences, RECORD_ABSENCES_MOST);
    trim(self, &self->uses, SIZE_MAX);
    self->turn++;
}
