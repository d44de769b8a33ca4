// library_service.h - the asset actor with its committer and a store, in the process of a test that
// speaks to it as the gateway would. What does not happen within 10 s fails the test.
#ifndef DIORAMA_TESTS_SUPPORT_LIBRARY_SERVICE_H
#define DIORAMA_TESTS_SUPPORT_LIBRARY_SERVICE_H

#include "actors/asset/asset_actor.h"
#include "actors/runtime/committer.h"
#include "proto/message/partition.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"
#include "proto/records/relationship.h"
#include "tests/support/asker.h"
#include "tests/support/tested_store.h"

struct library {
    struct temporary directory;
    store_t *store; // a gate over faults over RocksDB
    blobs_t *blobs; // bytes of assets, beside the store
    struct asker asker;
    committer_t *committer;
    asset_actor_t *actor;
};

void library_start(struct library *self);
// Ends the actor, opens the gates, closes the store; its files stay.
void library_stop(struct library *self);

static inline void
library_restart(struct library *self)
{
    library_stop(self);
    library_start(self);
}

// A test whose body gets a fresh library.
#define LIBRARY_TEST(suite, name)                                                                  \
    static void suite##_##name(struct library *library);                                           \
    Test(suite, name, .fini = library_end)                                                         \
    {                                                                                              \
        suite##_##name(library_begin());                                                           \
    }                                                                                              \
    static void suite##_##name(struct library *library)

// The library of a test, and its end: also of a test that failed.
struct library *library_begin(void);
void library_end(void);

void library_set_faults(struct library *self, const char *plan);

// A request in words: `records` is one JSON record or an array of them, with ' in place of ".
struct library_wish {
    enum operation operation;
    const char *project;
    const char *collection;
    const char *group;
    const char *scene;
    const char *tag;
    const char *asset;
    const char *type;
    const char *related;
    const char *subtype;
    const char *after, *sort, *q; // of a list
    const char *if_match;
    const char *repeat_key;   // an Idempotency-Key, and
    const char *repeat_print; // what stands for path and body
    const char *records;
    const char *bytes; // of an upload: a blob that its parcel pins
    int64_t num_records;
    int64_t start_record;
    enum caller_role role; // CALLER_TRUSTED where nothing is said
    const char *user;      // id of who asks
};

// Sends it; returns the id of its answer, which asker_answer gives.
uint64_t library_send(struct library *self, const struct library_wish *wish);

#define SEND(library, operation_, ...)                                                             \
    library_send((library), &(struct library_wish){.operation = (operation_), __VA_ARGS__})
#define ASK(library, ...) asker_answer(&(library)->asker, SEND((library), __VA_ARGS__))
#define DO(library, ...) asker_outcome(&(library)->asker, SEND((library), __VA_ARGS__))

struct library_id {
    char chars[GENERATED_KEY_SIZE + 1];
};

// The id of the one record of the answer, which must be a success and is dropped.
struct library_id library_id_of(struct message *answer);

#define MAKE(library, ...) library_id_of(ASK((library), __VA_ARGS__))

static inline const struct project *
reply_project(const struct message *message, uint32_t index)
{
    return (const struct project *)(const void *)reply_record(&message->reply, index);
}

static inline const struct asset *
reply_asset(const struct message *message, uint32_t index)
{
    return (const struct asset *)(const void *)reply_record(&message->reply, index);
}

static inline const struct relationship *
reply_relationship(const struct message *message, uint32_t index)
{
    return (const struct relationship *)(const void *)reply_record(&message->reply, index);
}

#endif
