// repository.c - records in memory, their indexes, and what commits make of them (repository.h).
#include "actors/repository/repository.h"

#include <assert.h>
#include <stdio.h>

#include "actors/repository/repository_fetch.h"
#include "actors/runtime/actor_family.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/metrics.h"

enum {
    READ_DEADLINE_MS = 600000,
    STOP_WITHIN_MS = 2000, // what is staged may take that long at the end
};

// --- what is durable ---

static void
unindex_record(struct repository *self, unsigned kind, const frozen_t *record)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    struct record_table *table = &self->tables[kind];
    for (unsigned i = 0; i < row->index_count; i++)
        secondary_index_remove(&table->indexes[i],
                               record_text(frozen_record(record), row->indexes[i]), record);
    record_set_remove(&table->records, frozen_key(record));
}

static void
index_record(struct repository *self, unsigned kind, const frozen_t *record)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    struct record_table *table = &self->tables[kind];
    for (unsigned i = 0; i < row->index_count; i++)
        secondary_index_put(&table->indexes[i], record_text(frozen_record(record), row->indexes[i]),
                            record);
    record_set_put(&table->records, record);
}

// Among those in memory.
static void
replace_in_table(struct repository *self, unsigned kind, const frozen_t *before,
                 const frozen_t *after)
{
    if (self->settings.kinds[kind].is_cached)
        return;
    record_orders_replace(&self->tables[kind].orders, before, after);
    if (before)
        unindex_record(self, kind, before);
    if (after)
        index_record(self, kind, after);
}

// Puts `after` (NULL = nothing) in the place of `before` (NULL = nothing), and calls the hook of
// the kind. Workers find what is published no more before anybody is told of what takes its place.
static void
replace(struct repository *self, unsigned kind, const frozen_t *before, const frozen_t *after)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    const frozen_t *held = before ? record_ref(before) : NULL;
    const struct text *key = frozen_key(held ? held : after);
    if (held)
        shown_remove_key(self->settings.shown, row->schema, key);
    replace_in_table(self, kind, held, after);
    repository_fetch_committed(self, kind, key, held, after);
    if (row->committed)
        row->committed(self, held, after);
    record_unref(&held);
}

const frozen_t *
repository_find(const struct repository *self, unsigned kind, const struct text *key)
{
    if (repository_must_fetch(self, kind, key))
        return record_cache_known(&self->cache, kind, key);
    if (self->settings.kinds[kind].is_cached)
        return NULL;
    return record_set_find(&self->tables[kind].records, key);
}

static unsigned
index_of(const struct repository_kind *row, unsigned field)
{
    unsigned i = 0;
    while (i < row->index_count && row->indexes[i] != field)
        i++;
    return i;
}

static const struct secondary_index *
index_by(const struct repository *self, unsigned kind, unsigned field)
{
    unsigned place = index_of(&self->settings.kinds[kind], field);
    assert(place < self->settings.kinds[kind].index_count);
    return &self->tables[kind].indexes[place];
}

struct record_set *
repository_set_by(const struct repository *self, unsigned kind, unsigned field,
                  const struct text *value)
{
    return secondary_index_set(index_by(self, kind, field), value);
}

const frozen_t *const *
repository_find_by(const struct repository *self, unsigned kind, unsigned field,
                   const struct text *value, size_t *ret_count)
{
    return secondary_index_find(index_by(self, kind, field), value, ret_count);
}

size_t
record_table_size(const struct record_table *self)
{
    size_t bytes = self->records.bytes + record_set_room(&self->records) + self->orders.bytes;
    for (unsigned i = 0; i < REPOSITORY_INDEXES; i++)
        bytes += secondary_index_room(&self->indexes[i]);
    return bytes;
}

static void
tell_memory(struct repository *self)
{
    size_t bytes = 0;
    for (unsigned kind = 0; kind < self->settings.kind_count; kind++)
        bytes += record_table_size(&self->tables[kind]);
    gauge_follow(self->settings.gauge, &self->told_bytes, bytes);
    gauge_follow(GAUGE_LIBRARY_BYTES, &self->told_cached, self->cache.bytes);
    gauge_follow(GAUGE_SHOWN_BYTES, &self->told_shown, shown_bytes(self->settings.shown));
}

// --- what is kept, as a table ---

struct index_family
repository_indexes(enum family family, const struct repository_kind *kinds, unsigned kind_count)
{
    struct index_family indexes = {.family = family, .parts = 1};
    for (unsigned i = 0; i < kind_count; i++)
        if (kinds[i].stored)
            indexes.kinds[indexes.count++] =
                (struct index_kind){kinds[i].tag, kinds[i].schema, kinds[i].stored};
    return indexes;
}

struct due_family
repository_dues(enum family family, const struct repository_kind *kinds, unsigned kind_count)
{
    struct due_family dues = {.indexes = repository_indexes(family, kinds, kind_count)};
    size_t count = 0;
    for (unsigned i = 0; i < kind_count; i++)
        if (kinds[i].dues)
            dues.kinds[count++] = (struct due_kind){kinds[i].tag, kinds[i].dues};
    return dues;
}

// --- commits ---

// The row of the kind that somebody pays for and that has this tag, or NULL.
static const struct due_kind *
due_kind_of(const struct repository *self, key_tag_t tag)
{
    const struct due_kind *kind = self->due_kinds;
    while (kind->tag && kind->tag != tag)
        kind++;
    return kind->tag ? kind : NULL;
}

void
repository_show(struct repository *self, const struct change *change)
{
    for (unsigned kind = 0; kind < self->settings.kind_count; kind++) {
        const struct repository_kind *row = &self->settings.kinds[kind];
        if (row->tag != change->tag)
            continue;
        replace(self, kind, change->before, change->record);
        if (row->topic)
            record_events_add(&self->events, row->topic, change->before, change->record);
    }
}

static void
apply(struct commit_pipeline *pipeline, const struct change *change)
{
    struct repository *self = repository_of(pipeline->actor);
    if (change->tag == KEY_OUTBOX)
        outbox_committed(&self->outbox, change);
    const struct due_kind *due = due_kind_of(self, change->tag);
    if (due)
        dues_settled(self->settings.book, due->row, change->before, change->record);
    repository_show(self, change);
}

static void
drop(struct commit_pipeline *pipeline, struct change *change)
{
    struct repository *self = repository_of(pipeline->actor);
    if (change->tag == KEY_OUTBOX)
        outbox_dropped(&self->outbox, change);
    const struct due_kind *due = due_kind_of(self, change->tag);
    if (!due)
        return;
    dues_dropped(self->settings.book, due->row, change->before, change->record);
    due_sums_drop(&self->dues, due, change->before, change->record);
}

static void
finish(struct commit_pipeline *pipeline, struct message *message, enum error error)
{
    const struct actor_operation *row = actor_operation_of(pipeline->actor, message);
    if (error == OK && row->goes_on && row->goes_on(message)) {
        actor_dispatch(pipeline->actor, message);
        return;
    }
    if (error == OK && outbox_hold(&repository_of(pipeline->actor)->outbox, message))
        return;
    actor_answer_now(pipeline->actor, &message, error);
}

static void
again(struct commit_pipeline *pipeline, struct message *message)
{
    reply_truncate(message, 0);
    message_end_work(message); // it may rest on what did not become durable
    actor_dispatch(pipeline->actor, message);
}

static const struct commit_behaviour repository_commits = {
    .apply = apply,
    .drop = drop,
    .finish = finish,
    .again = again,
};

enum error
repository_committed(actor_t *actor, struct message *message)
{
    return commit_pipeline_committed(&repository_of(actor)->pipeline, message);
}

enum error
repository_goes_on(actor_t *actor, struct message *message, enum error error)
{
    (void)error; // nobody else may end it
    return commit_pipeline_go_on(&repository_of(actor)->pipeline, message);
}

void
repository_drained(actor_t *actor)
{
    struct repository *self = repository_of(actor);
    if (actor->stopping && self->stop_deadline_ms == 0)
        self->stop_deadline_ms = clock_deadline_ms(STOP_WITHIN_MS);
    outbox_turn(&self->outbox);
    commit_pipeline_turn(&self->pipeline, false);
    record_events_turn(&self->events, actor->mailbox);
    record_cache_trim(&self->cache);
    tell_memory(self);
}

enum error
repository_acknowledged(actor_t *actor, struct message *message)
{
    return outbox_acknowledged(&repository_of(actor)->outbox, message);
}

enum error
repository_told(actor_t *actor, struct message *message)
{
    record_events_told(&repository_of(actor)->events);
    message_destroy(&message);
    return PARKED;
}

int
repository_timeout_ms(actor_t *actor)
{
    uint64_t deadline_ms = outbox_deadline_ms(&repository_of(actor)->outbox);
    return deadline_ms ? clock_left_ms(deadline_ms) : -1;
}

bool
repository_is_done(actor_t *actor)
{
    const struct repository *self = repository_of(actor);
    return !staging_is_busy(&self->staging) ||
           (self->stop_deadline_ms && clock_left_ms(self->stop_deadline_ms) == 0);
}

// --- start and end ---

// What a scan of one tag fills.
struct reading {
    struct repository *repository;
    unsigned kind;
    bool is_damaged;
};

static bool
read_record(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    const struct schema *schema = self->repository->settings.kinds[self->kind].schema;
    const frozen_t *frozen;
    (void)version;
    if (record_frozen_from_stored(schema, value.data, value.size, &frozen) == OK) {
        replace(self->repository, self->kind, NULL, frozen);
        record_unref(&frozen);
    } else {
        self->is_damaged = true;
        log_error("record_damaged", "actor=%s key=%.*s", self->repository->base.name, (int)key.size,
                  (const char *)key.data);
    }
    return true;
}

static fallible
read_kind(struct repository *self, unsigned kind)
{
    struct reading reading = {.repository = self, .kind = kind};
    struct key low = key_of_tag(self->settings.kinds[kind].tag), high = key_after(&low);
    enum store_result result = store_scan(
        self->settings.store, self->settings.family, 0, key_bytes(&low), key_bytes(&high), false, 0,
        clock_deadline_ms(READ_DEADLINE_MS), read_record, &reading);
    if (result == STORE_BAD || reading.is_damaged)
        return fail(ERR_INTERNAL, "",
                    "the records of actor %s are damaged (tag %c; see the log); restore a backup",
                    self->base.name, (char)self->settings.kinds[kind].tag);
    if (result != STORE_OK)
        return fail(store_error(result), "", "the records of actor %s cannot be read",
                    self->base.name);
    return OK;
}

static fallible
read_dues(struct repository *self)
{
    if (!self->due_kinds[0].tag)
        return OK;
    enum store_result result =
        due_sums_read(&self->dues, self->settings.book, self->due_kinds, self->settings.store,
                      self->settings.family, clock_deadline_ms(READ_DEADLINE_MS));
    return store_error(result);
}

enum error
repository_open(actor_t *actor)
{
    struct repository *self = repository_of(actor);
    TRY(read_dues(self));
    for (unsigned kind = 0; kind < self->settings.kind_count; kind++)
        if (!self->settings.kinds[kind].is_cached)
            TRY(read_kind(self, kind));
    if (self->settings.reader)
        TRY(page_reader_create(self->settings.store, self->settings.reader, &self->reader));
    if (self->settings.requests.follows) // the leader does what is left to be done
        return OK;
    TRY(repeats_read(&self->repeats, self->settings.store, 0));
    repeats_begin(&self->repeats);
    return outbox_read(&self->outbox, self->settings.store, 0);
}

void
repository_close(actor_t *actor)
{
    struct repository *self = repository_of(actor);
    page_reader_destroy(&self->reader, actor->mailbox);
    record_cache_finish(&self->cache);
    staging_finish(&self->staging);
    outbox_finish(&self->outbox);
    record_events_finish(&self->events);
    due_sums_finish(&self->dues);
    repeats_finish(&self->repeats);
    for (unsigned kind = 0; kind < self->settings.kind_count; kind++) {
        for (unsigned i = 0; i < REPOSITORY_INDEXES; i++)
            secondary_index_finish(&self->tables[kind].indexes[i]);
        record_orders_finish(&self->tables[kind].orders);
        record_set_finish(&self->tables[kind].records);
    }
}

void
repository_init(struct repository *self, const struct repository_settings *settings)
{
    self->settings = *settings;
    self->cache.limit = settings->memory;
    self->indexes = repository_indexes(settings->family, settings->kinds, settings->kind_count);
    for (unsigned i = 0; i < settings->kind_count; i++)
        self->readable[i] = (struct index_kind){settings->kinds[i].tag, settings->kinds[i].schema,
                                                settings->kinds[i].stored};
    const struct due_family dues =
        repository_dues(settings->family, settings->kinds, settings->kind_count);
    memcpy(self->due_kinds, dues.kinds, sizeof self->due_kinds);
    staging_init(&self->staging, settings->family, NULL);
    self->staging.is_refused = settings->requests.follows;
    actor_stages(&self->base, &self->staging);
    ended_sessions_init(&self->base.ended, settings->requests.deadline_ms);
    outbox_init(&self->outbox, &self->base, &self->staging, settings->shards);
    self->pipeline = (struct commit_pipeline){
        .behaviour = &repository_commits,
        .actor = &self->base,
        .staging = &self->staging,
        .repeats = &self->repeats,
    };
    repeats_init(&self->repeats, &self->base, &self->staging, self->pipeline.committer,
                 &settings->requests);
    snprintf(self->pipeline.committer, sizeof self->pipeline.committer, "%s", settings->committer);
}

fallible
repository_create(struct repository *self, const struct repository_settings *settings)
{
    repository_init(self, settings);
    return actor_create(&self->base, settings->behaviour, settings->name);
}
