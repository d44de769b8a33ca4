// repository.h - the state of an actor that keeps the records of a family (asset actor, user
// actor): of some kinds all in memory, of others those that were used last (repository_fetch.h).
// Reads see what is durable. Writes are staged and committed, and then become visible, with their
// indexes, in one step (commit_pipeline.h). Runs on the actor's thread.
//
// Such an actor is a table of kinds (what it keeps) and a table of operations (what it can be
// asked), most of them rows over resource.h.
#ifndef DIORAMA_ACTORS_REPOSITORY_REPOSITORY_H
#define DIORAMA_ACTORS_REPOSITORY_REPOSITORY_H

#include "actors/repository/record_cache.h"
#include "actors/repository/record_events.h"
#include "actors/repository/secondary_index.h"
#include "actors/runtime/commit_pipeline.h"
#include "actors/runtime/due_count.h"
#include "actors/runtime/index_records.h"
#include "actors/runtime/list_rows.h"
#include "actors/runtime/outbox.h"
#include "actors/runtime/page_reader.h"
#include "actors/runtime/record_orders.h"
#include "proto/message/metrics.h"
#include "proto/message/shown.h"

struct repository;

enum { REPOSITORY_KINDS = 8, REPOSITORY_INDEXES = 4, REPOSITORY_POSTED = 16 };

// One kind of records: all those under one tag of the family.
struct repository_kind {
    key_tag_t tag;
    const struct schema *schema; // its records begin with their key (record_set.h)
    unsigned index_count;
    unsigned indexes[REPOSITORY_INDEXES]; // ids of the text members by which records are found
    // A change is durable and visible, and no request of its batch is answered yet; may be NULL.
    // `before` is NULL for a new record, `after` for a removed one. At the start every record that
    // is read is new; of a cached kind none is read then.
    void (*committed)(struct repository *self, const frozen_t *before, const frozen_t *after);
    const struct due_row *dues;     // what its records take from budgets; NULL = nothing
    const struct index_row *stored; // what they are found by in the store; NULL = their keys
    const struct list_rows *lists;  // of `stored`, by which it is listed; NULL = in memory
    const struct topic *topic;      // of the catalogue, which is told of changes; NULL = it is not
    // Not all of them are in memory, and the start reads none: repository_fetch.h brings them. Such
    // a kind has no indexes in memory.
    bool is_cached;
};

// Whether a change of a record has to be told with what was there before it: a follower fetches
// that (record_copy.h).
static inline bool
repository_kind_tells(const struct repository_kind *self)
{
    return self->committed || self->topic;
}

// The records of one kind, as they are durable.
struct record_table {
    struct record_set records;
    struct secondary_index indexes[REPOSITORY_INDEXES];
    struct record_orders orders; // for lists
};

// Bytes of memory that they take with all that finds them, about.
size_t record_table_size(const struct record_table *self);

// What an actor is made of.
struct repository_settings {
    enum family family;
    const char *name;      // of its mailbox
    const char *committer; // mailbox of its committer
    const struct repository_kind *kinds;
    unsigned kind_count;
    const struct actor_behaviour *behaviour;
    store_t *store;         // borrowed; read at the start only, later by the reader
    const char *reader;     // mailbox of the thread that reads for it; NULL = no kind is cached
    size_t memory;          // bytes of cached records
    enum metric_cell gauge; // of the bytes that those which are not cached take
    unsigned shards;        // how many scene actors there are; 0 where its outbox asks none
    budget_book_t *book;    // borrowed, or NULL
    shown_t *shown;         // borrowed, or NULL: what others may read without asking (resource_get)
    struct request_settings requests;
};

// The stored indexes of such an actor, which keeps everything in part 0.
struct index_family repository_indexes(enum family family, const struct repository_kind *kinds,
                                       unsigned kind_count);

// Those that somebody pays for.
struct due_family repository_dues(enum family family, const struct repository_kind *kinds,
                                  unsigned kind_count);

// The first member of the actor's own state.
struct repository {
    actor_t base;
    struct repository_settings settings;
    struct record_table tables[REPOSITORY_KINDS];
    struct record_cache cache;   // of the kinds that are cached
    page_reader_t *reader;       // or NULL
    struct record_page *arrived; // for the message whose handler runs, or NULL
    const struct message *arrived_for;
    struct index_family indexes;                  // of what the reader reads
    struct index_kind readable[REPOSITORY_KINDS]; // its kinds, in their places here
    // The rows of each kind of which there are postings, or were: those that commits follow.
    struct index_row posted[REPOSITORY_KINDS][REPOSITORY_POSTED + 1];
    struct staging staging;
    struct commit_pipeline pipeline;
    struct outbox outbox;
    struct due_sums dues; // of all kinds that somebody pays for
    struct due_kind due_kinds[REPOSITORY_KINDS + 1];
    struct record_events events;
    struct repeats repeats;
    uint64_t told_bytes, told_cached, told_shown; // to the metrics
    uint64_t stop_deadline_ms;
};

static inline struct repository *
repository_of(actor_t *actor)
{
    return (struct repository *)(void *)actor;
}

// What repository_create does before it starts the thread: enough for repository_open, reading and
// staging on the caller's own thread.
void repository_init(struct repository *self, const struct repository_settings *settings);

// Starts the actor (actor_create) on a state that is zero but for what follows the repository; it
// reads its records before it is ready. Fails where they cannot be read.
fallible repository_create(struct repository *self, const struct repository_settings *settings);

// For the actor's behaviour: repository_open reads the kinds that are all in memory.
enum error repository_open(actor_t *actor);
void repository_drained(actor_t *actor);
int repository_timeout_ms(actor_t *actor);
bool repository_is_done(actor_t *actor);
void repository_close(actor_t *actor);
enum error repository_committed(actor_t *actor, struct message *message);
enum error repository_goes_on(actor_t *actor, struct message *message, enum error error);
// The answer to an effect (outbox.h).
enum error repository_acknowledged(actor_t *actor, struct message *message);
// CATALOGUE_TELL came back (record_events.h).
enum error repository_told(actor_t *actor, struct message *message);

// --- reading: what is durable ---

static inline struct record_set *
repository_records(struct repository *self, unsigned kind)
{
    return &self->tables[kind].records;
}

// NULL where there is none. Of a cached kind it was fetched before, since the handler was called
// (repository_fetch.h): a handler that has not is stopped, also where it is in memory by chance.
const frozen_t *repository_find(const struct repository *self, unsigned kind,
                                const struct text *key);

// The records whose indexed member `field` is `value`; NULL where there are none. Its place is
// valid until the next change.
struct record_set *repository_set_by(const struct repository *self, unsigned kind, unsigned field,
                                     const struct text *value);

// The same in the order of their keys; *ret_count of them. Valid until the next change.
const frozen_t *const *repository_find_by(const struct repository *self, unsigned kind,
                                          unsigned field, const struct text *value,
                                          size_t *ret_count);

// Makes a durable change of a record visible, with its indexes; what no kind keeps is passed over.
void repository_show(struct repository *self, const struct change *change);

#endif
