// scene_service.h - scene actors with their committers, loaders and a store, and the asset actor,
// in the process of a test that speaks to them as gateway and streamer would. What does not happen
// within 10 s fails the test.
#ifndef DIORAMA_TESTS_SUPPORT_SCENE_SERVICE_H
#define DIORAMA_TESTS_SUPPORT_SCENE_SERVICE_H

#include "actors/alignment/relation_actor.h"
#include "actors/asset/asset_actor.h"
#include "actors/runtime/committer.h"
#include "actors/scene/scene_actor.h"
#include "actors/scene/scene_loader.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/asker.h"
#include "tests/support/tested_store.h"

enum { SERVICE_SHARDS = 3 }; // at most

struct service {
    struct temporary directory;
    struct shard_settings settings; // of every shard; changes count from the next start
    store_t *store;                 // a gate over faults over RocksDB
    struct asker asker;
    mailbox_t *streamer; // hears events
    mailbox_t *solver;   // and of corrections; nobody solves
    atlas_t *atlas;
    relation_actor_t *relation_actor;
    committer_t *committers[SERVICE_SHARDS];
    shard_t *actors[SERVICE_SHARDS];
    committer_t *library_committer; // of the asset actor, which hears of what is gone
    asset_actor_t *library;
    blobs_t *blobs;        // its bytes; nobody sends any
    struct events *events; // all since the start
};

void service_start(struct service *self);
// The same, but nothing is sent to the scene actors.
void service_start_unasked(struct service *self);
// Ends the actors, opens the gates, closes the store; its files stay.
void service_stop(struct service *self);

static inline void
service_restart(struct service *self)
{
    service_stop(self);
    service_start(self);
}

// A test whose body runs with one shard and with three, each in a fresh service.
#define SHARDED_TEST(suite, name)                                                                  \
    static void suite##_##name(struct service *service);                                           \
    Test(suite, name##_with_one_shard, .fini = service_end)                                        \
    {                                                                                              \
        suite##_##name(service_begin(1));                                                          \
    }                                                                                              \
    Test(suite, name##_with_three_shards, .fini = service_end)                                     \
    {                                                                                              \
        suite##_##name(service_begin(3));                                                          \
    }                                                                                              \
    static void suite##_##name(struct service *service)

// The same with three shards alone: of what no number of shards changes.
#define SERVICE_TEST(suite, name)                                                                  \
    static void suite##_##name(struct service *service);                                           \
    Test(suite, name, .fini = service_end)                                                         \
    {                                                                                              \
        suite##_##name(service_begin(3));                                                          \
    }                                                                                              \
    static void suite##_##name(struct service *service)

// The service of a test, and its end: also of a test that failed, or its process would wait for
// the actors for ever.
struct service *service_begin(unsigned shards);
void service_end(void);

// The faults from the next commit on (store/fault.h); "" is none.
void service_set_faults(struct service *self, const char *plan);

// --- requests ---

// A request in words: `records` is one JSON record or an array of them, with ' in place of ".
struct wish {
    enum operation operation;
    const char *scene;
    const char *object;
    const char *property;
    const char *device;
    const char *asset;
    const char *records;
    const char *token;        // of datagrams
    const char *seed;         // 16 characters: it is a part of a request with an Idempotency-Key
    const char *repeat_key;   // an Idempotency-Key, and
    const char *repeat_print; // what stands for path and body
    int64_t num_records;
    int64_t start_record;
    enum caller_role role; // trusted where nothing is said
    const char *user;      // id of the user who asks
    int64_t revocations;   // how often they had lost access
    uint64_t deadline_ms;  // of clock.h; 0 = none
};

// Sends it to the shard that owns its scene, its object, or the object of its first datagram;
// returns the id of its answer.
uint64_t service_send(struct service *self, const struct wish *wish);
// The answer, yours.
struct message *service_answer(struct service *self, uint64_t id);
// The error of the answer; the rest of it is dropped.
enum error service_outcome(struct service *self, uint64_t id);

#define SEND(service, ...) service_send((service), &(struct wish){__VA_ARGS__})
#define ASK(service, ...) service_answer((service), SEND((service), __VA_ARGS__))
#define DO(service, ...) service_outcome((service), SEND((service), __VA_ARGS__))

// Returns when every shard has handled all that was sent before.
void service_barrier(struct service *self);

// Returns after the end of a turn of the scene's shard that began after what was answered before;
// changes the scene's thumbnail.
void service_await_turn_end(struct service *self, const char *scene);

struct object_key {
    char chars[GENERATED_KEY_SIZE + 1];
};

// Creates one object and returns its key.
struct object_key service_create_object(struct service *self, const char *scene,
                                        const char *record);

// Registers a device of the user in the scene, as an administrator does it.
void service_register(struct service *self, const char *scene, const char *user,
                      const char *device);

static inline const struct scene *
reply_scene(const struct message *message, uint32_t index)
{
    return (const struct scene *)(const void *)reply_record(&message->reply, index);
}

static inline const struct object *
reply_object(const struct message *message, uint32_t index)
{
    return (const struct object *)(const void *)reply_record(&message->reply, index);
}

// Whether the object's name, as a reader gets it, is this one; NULL = there is no such object.
bool service_shows_name(struct service *self, struct object_key key, const char *name);

// --- events ---

// The event of the scene with this place among all since the start, the first is 0; waits for it.
const struct event *service_event(struct service *self, const char *scene, size_t place);
// How many events were heard of the scene, without waiting.
size_t service_count_events(struct service *self, const char *scene);

static inline const struct object *
event_object(const struct event *event)
{
    return (const struct object *)(const void *)event_record(event);
}

// --- the disk ---

// What is stored, decoded into the arena, or NULL.
const struct scene *service_stored_scene(struct service *self, struct arena *arena,
                                         const char *scene);
const struct object *service_stored_object(struct service *self, struct arena *arena,
                                           const char *scene, struct object_key key);
// How many keys of all partitions belong to this scene id.
size_t service_count_keys(struct service *self, uint64_t scene_id);

#endif
