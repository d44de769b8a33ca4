// scene_service.c - see the header. Runs on the test's thread.
#include "tests/support/scene_service.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/runtime/actor_family.h"
#include "actors/scene/scene_family.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "store/blob.h"
#include "store/key.h"

enum { PATIENCE_MS = 10000, PLENTY_BYTES = 1 << 30 };

enum { LIBRARY_MEMORY = 1 << 20 };

#define MUST(call) cr_assert_eq((call), OK, "%s", fault_last()->detail)

// --- life ---

static void
service_init(struct service *self, unsigned shards)
{
    *self = (struct service){.settings = {.shards = shards,
                                          .memory = PLENTY_BYTES,
                                          .requests = {.deadline_ms = 10000, .lifetime_s = 60},
                                          .udp_host = "127.0.0.1",
                                          .udp_port = 8762,
                                          .trusted_networks = ""}};
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&self->directory);
}

static void
start_shard(struct service *self, unsigned shard)
{
    char committer[MAILBOX_NAME_SIZE];
    struct shard_settings settings = self->settings;
    settings.shard = shard;
    settings.atlas = self->atlas;
    snprintf(committer, sizeof committer, "committer.%u", shard);
    MUST(committer_create(self->store, committer, &self->committers[shard]));
    MUST(scene_actor_create(self->store, &settings, committer, &self->actors[shard]));
}

void
service_start_unasked(struct service *self)
{
    self->store = tested_store_open(&self->directory);
    gate_watch_only(self->store, GATE_READS, FAMILY_SCENE); // what is asked beside: of the library
    asker_begin(&self->asker);
    MUST(mailbox_create("streamer", true, &self->streamer));
    MUST(mailbox_create("solver", true, &self->solver));
    self->atlas = atlas_create();
    MUST(relation_actor_create(self->atlas, &self->relation_actor));
    MUST(committer_create(self->store, "committer.asset", &self->library_committer));
    const struct config config = {.data_dir = self->directory.path};
    MUST(blob_folder_open(&config, reserve_measure, &self->blobs));
    MUST(asset_actor_create(self->store, self->blobs, NULL, NULL, "committer.asset", LIBRARY_MEMORY,
                            &self->settings.requests, &self->library));
    for (unsigned i = 0; i < self->settings.shards; i++)
        start_shard(self, i);
}

void
service_start(struct service *self)
{
    service_start_unasked(self);
    service_barrier(self);
}

void
service_stop(struct service *self)
{
    gate_open(self->store, GATE_READS); // a scene actor ends with its loader
    for (unsigned i = 0; i < SERVICE_SHARDS; i++)
        scene_actor_destroy(&self->actors[i], self->asker.mailbox);
    gate_open(self->store, GATE_COMMITS);
    for (unsigned i = 0; i < SERVICE_SHARDS; i++)
        committer_destroy(&self->committers[i], self->asker.mailbox);
    relation_actor_destroy(&self->relation_actor, self->asker.mailbox);
    asset_actor_destroy(&self->library, self->asker.mailbox);
    committer_destroy(&self->library_committer, self->asker.mailbox);
    blobs_destroy(&self->blobs);
    mailbox_destroy(&self->streamer);
    mailbox_destroy(&self->solver);
    atlas_destroy(&self->atlas);
    asker_end(&self->asker);
    events_destroy(&self->events);
    store_destroy(&self->store);
}

static void
service_finish(struct service *self)
{
    if (self->store)
        service_stop(self);
    temporary_finish(&self->directory);
}

static struct service service;

struct service *
service_begin(unsigned shards)
{
    service_init(&service, shards);
    service_start(&service);
    return &service;
}

void
service_end(void)
{
    service_finish(&service);
}

void
service_set_faults(struct service *self, const char *plan)
{
    tested_store_set_faults(&self->directory, plan);
}

// --- requests ---

static struct message *
message_of(const struct wish *wish)
{
    struct message *message = message_create(wish->operation);
    const struct schema *schema = wish->operation == DATAGRAMS
                                      ? &object_edit_schema
                                      : operation_rows[wish->operation].request;
    struct record *params = &message->params->base;
    asker_set_param(message, PARAMS_SCENE, wish->scene);
    asker_set_param(message, PARAMS_OBJECT, wish->object);
    asker_set_param(message, PARAMS_PROPERTY, wish->property);
    asker_set_param(message, PARAMS_DEVICE, wish->device);
    asker_set_param(message, PARAMS_ASSET, wish->asset);
    asker_set_param(message, PARAMS_REPEAT_SEED, wish->seed);
    asker_set_param(message, PARAMS_REPEAT_KEY, wish->repeat_key);
    asker_set_param(message, PARAMS_REPEAT_PRINT, wish->repeat_print);
    if (wish->num_records)
        record_set_integer(params, PARAMS_NUM_RECORDS, wish->num_records);
    if (wish->start_record)
        record_set_integer(params, PARAMS_START_RECORD, wish->start_record);
    if (wish->records)
        asker_set_records(message, schema, wish->records);
    if (wish->token)
        record_set_text(message->records->items[0], ENTITY_TOKEN,
                        text_from(&message->arena, wish->token));
    message->caller = (struct caller){.peer = "127.0.0.1",
                                      .loopback = true,
                                      .role = wish->role,
                                      .revocations = wish->revocations};
    message->deadline_ms = wish->deadline_ms;
    if (wish->user)
        snprintf(message->caller.user, sizeof message->caller.user, "%s", wish->user);
    return message;
}

static unsigned
shard_for(const struct service *self, const struct message *message)
{
    uint16_t part = 0;
    const struct text *object = message->params->object;
    if (message->operation == DATAGRAMS)
        object = ((const struct object *)(void *)message->records->items[0])->key;
    if (object)
        cr_assert(partition_of_key(object, &part), "%s is nobody's key", text_chars(object));
    else
        part = partition_of_scene(message->params->scene);
    return part % self->settings.shards;
}

static uint64_t
send_to_shard(struct service *self, struct message *message, unsigned shard)
{
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(shard, name);
    return asker_send(&self->asker, name, message);
}

uint64_t
service_send(struct service *self, const struct wish *wish)
{
    struct message *message = message_of(wish);
    return send_to_shard(self, message, shard_for(self, message));
}

struct message *
service_answer(struct service *self, uint64_t id)
{
    return asker_answer(&self->asker, id);
}

enum error
service_outcome(struct service *self, uint64_t id)
{
    return asker_outcome(&self->asker, id);
}

void
service_barrier(struct service *self)
{
    uint64_t ids[SERVICE_SHARDS];
    for (unsigned i = 0; i < self->settings.shards; i++)
        ids[i] = send_to_shard(self, message_create(PING), i);
    for (unsigned i = 0; i < self->settings.shards; i++)
        error_ignore(service_outcome(self, ids[i]), "a store that fails is no matter here");
}

struct object_key
service_create_object(struct service *self, const char *scene, const char *record)
{
    struct object_key key;
    owned(message_destroy) struct message *answer =
        ASK(self, OBJECT_CREATE, .scene = scene, .records = record);
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_eq(answer->reply.count, 1);
    snprintf(key.chars, sizeof key.chars, "%s", text_chars(reply_object(answer, 0)->key));
    return key;
}

void
service_register(struct service *self, const char *scene, const char *user, const char *device)
{
    char record[64];
    snprintf(record, sizeof record, "{'devices':[{'key':'%s'}]}", device);
    cr_assert_eq(
        DO(self, REGISTER, .scene = scene, .role = CALLER_ADMIN, .user = user, .records = record),
        OK);
}

bool
service_shows_name(struct service *self, struct object_key key, const char *name)
{
    owned(message_destroy) struct message *answer = ASK(self, OBJECT_GET, .object = key.chars);
    if (!name)
        return answer->reply.fault.error == ERR_NOT_FOUND;
    return answer->reply.fault.error == OK && text_is(reply_object(answer, 0)->name, name);
}

// --- events ---

// Moves the events of one message to the end of all.
static void
take_events(struct service *self, struct message *message)
{
    if (message->operation == RESTREAM || message->operation == CASCADE) {
        mailbox_reply(self->streamer, &message);
        return;
    }
    struct events *events = events_of(message);
    cr_assert_eq(message->operation, EVENTS);
    for (uint32_t i = 0; i < events->count; i++)
        events_add(&self->events, &events->items[i]);
    events->count = 0; // their references went along
    message_destroy(&message);
}

static const struct event *
find_event(const struct service *self, const char *scene, size_t place, size_t *ret_count)
{
    size_t count = 0;
    for (uint32_t i = 0; self->events && i < self->events->count; i++) {
        const struct event *event = &self->events->items[i];
        const struct scene *record = (const struct scene *)(const void *)event->scene;
        if (text_is(record->key, scene) && count++ == place)
            return event;
    }
    *ret_count = count;
    return NULL;
}

const struct event *
service_event(struct service *self, const char *scene, size_t place)
{
    size_t count;
    const struct event *event;
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while ((event = find_event(self, scene, place, &count)) == NULL) {
        struct message *message = mailbox_receive(self->streamer, clock_left_ms(deadline_ms));
        cr_assert_not_null(message, "%s has %zu events, not %zu", scene, count, place + 1);
        take_events(self, message);
    }
    return event;
}

size_t
service_count_events(struct service *self, const char *scene)
{
    struct message *message;
    size_t count = 0; // gcc does not see that no place is SIZE_MAX
    while ((message = mailbox_receive(self->streamer, 0)) != NULL)
        take_events(self, message);
    find_event(self, scene, SIZE_MAX, &count);
    return count;
}

void
service_await_turn_end(struct service *self, const char *scene)
{
    char record[64], token[32];
    snprintf(token, sizeof token, "turn %llu", (unsigned long long)self->asker.asked);
    snprintf(record, sizeof record, "{'thumbnail':'%s'}", token);
    cr_assert_eq(DO(self, SCENE_PUT, .scene = scene, .records = record), OK);
    // Events leave when all else of a turn is done.
    for (size_t place = 0;; place++) {
        const struct event *event = service_event(self, scene, place);
        const struct scene *changed = (const struct scene *)(const void *)event->scene;
        if (text_is(changed->thumbnail, token))
            return;
    }
}

// --- the disk ---

static struct record *
stored(struct service *self, struct arena *arena, uint16_t part, struct key key)
{
    const struct store_address address = {FAMILY_SCENE, part, key_bytes(&key)};
    store_version_t version;
    struct record *record = NULL;
    void *value = NULL;
    size_t size;
    enum store_result result = store_get(self->store, &address, 0, &version, &value, &size);
    cr_assert(result == STORE_OK || result == STORE_ABSENT);
    if (result == STORE_OK)
        MUST(record_from_stored(arena, scene_family_schema(key.data[0]), value, size, &record));
    free(value);
    return record;
}

const struct scene *
service_stored_scene(struct service *self, struct arena *arena, const char *scene)
{
    const struct text *key = text_from(arena, scene);
    return (const struct scene *)(void *)stored(self, arena, partition_of_scene(key),
                                                key_of_text(KEY_SCENE, key));
}

const struct object *
service_stored_object(struct service *self, struct arena *arena, const char *scene,
                      struct object_key key)
{
    const struct scene *record = service_stored_scene(self, arena, scene);
    if (!record)
        return NULL;
    return (const struct object *)(void *)stored(
        self, arena, partition_of_scene(record->key),
        key_in_scene(KEY_OBJECT, (uint64_t)record->id, text_from(arena, key.chars)));
}

struct counting {
    uint64_t scene_id;
    size_t count;
};

static bool
count_key(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct counting *counting = context;
    const char *tag = key.data;
    uint64_t id = 0;
    (void)version;
    if (*tag == KEY_LOOKUP)
        id = key_get_u64(value.data);
    else if (*tag != KEY_SCENE && *tag != KEY_COMMIT)
        cr_assert(key_scene_id(key, &id));
    counting->count += id == counting->scene_id;
    return true;
}

size_t
service_count_keys(struct service *self, uint64_t scene_id)
{
    struct counting counting = {.scene_id = scene_id};
    for (uint16_t part = 0; part < PARTITION_COUNT; part++)
        cr_assert_eq(store_scan(self->store, FAMILY_SCENE, part, (struct bytes){0},
                                (struct bytes){0}, false, 0, 0, count_key, &counting),
                     STORE_OK);
    return counting.count;
}
