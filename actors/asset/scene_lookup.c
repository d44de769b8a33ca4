// scene_lookup.c - asks scene actors about keys (scene_lookup.h). A key may be that of a scene: its
// hash tells the actor that owns the scene. Or it is a generated key of an entity: it begins with
// the partition.
#include "actors/asset/scene_lookup.h"

#include <stdlib.h>

#include "actors/runtime/record_set.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"
#include "proto/records/ids.h"

enum { NO_SHARD = 0xffff };

// What is known of one key.
struct known {
    const struct text *key; // in the message's arena
    const frozen_t *place;  // struct place, one reference, or NULL
    uint16_t owners[2];     // the shards that may know it
};

// What a request learned (message.h) for which something was asked.
struct knowledge {
    struct parcel base;
    struct table known; // struct known by key
};

// A request that waits.
struct scene_lookup {
    uint64_t id;
    struct message *message;
    unsigned asked;   // answers that are still missing
    enum error error; // that one of them brought
};

// --- what is known ---

static void
knowledge_release(struct parcel *parcel)
{
    struct knowledge *self = (struct knowledge *)(void *)parcel;
    struct known *known;
    for (size_t cursor = 0; (known = table_next(&self->known, &cursor)) != NULL;) {
        record_unref(&known->place);
        free(known);
    }
    table_finish(&self->known);
    free(self);
}

static struct knowledge *
knowledge_of(const struct message *message)
{
    return (struct knowledge *)(void *)message->learned;
}

static bool
has_key(const void *known, const void *key)
{
    return text_equal(((const struct known *)known)->key, key);
}

static struct known *
find(const struct message *message, const struct text *key)
{
    const struct knowledge *knowledge = knowledge_of(message);
    return knowledge ? table_find(&knowledge->known, table_hash_text(key), has_key, key) : NULL;
}

static const struct place *
place_of(const frozen_t *place)
{
    return (const struct place *)(const void *)frozen_record(place);
}

const struct place *
scene_lookup_find(const struct message *message, const struct text *key)
{
    const struct known *known = find(message, key);
    return known && known->place ? place_of(known->place) : NULL;
}

static struct known *
add_known(struct message *message, unsigned shards, const struct text *key)
{
    uint16_t part;
    struct known *known = memory_take_zeroed(sizeof *known);
    known->key = text_copy(&message->arena, key);
    known->owners[0] = (uint16_t)(partition_of_scene(key) % shards);
    known->owners[1] = (uint16_t)(partition_of_key(key, &part) ? part % shards : NO_SHARD);
    table_add(&knowledge_of(message)->known, table_hash_text(known->key), known);
    return known;
}

// --- asking ---

static struct known **
list_unknown(struct message *message, unsigned shards, const struct text *const *keys, size_t count,
             size_t *ret_count)
{
    struct known **list = arena_alloc(&message->arena, (count + 1) * sizeof *list);
    if (!message->learned) {
        struct knowledge *knowledge = memory_take_zeroed(sizeof *knowledge);
        knowledge->base.destroy = knowledge_release;
        message->learned = &knowledge->base;
    }
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (text_size(keys[i]) && text_size(keys[i]) <= LIMIT_KEY_BYTES && !find(message, keys[i]))
            list[(*ret_count)++] = add_known(message, shards, keys[i]);
    return list;
}

// The next question for the shard, about the items of the list from *place on; NULL = none is left.
static struct message *
question_for(unsigned shard, struct known *const *list, size_t count, size_t *place)
{
    struct message *question = NULL;
    struct texts *keys = NULL;
    for (; *place < count && !(keys && keys->count == LIMIT_LOOKUP_KEYS); ++*place) {
        const struct known *known = list[*place];
        if (known->owners[0] != shard && known->owners[1] != shard)
            continue;
        if (!question) {
            question = message_create(LOCATE);
            keys = arena_alloc(&question->arena,
                               sizeof *keys + LIMIT_LOOKUP_KEYS * sizeof keys->items[0]);
            keys->count = 0;
        }
        keys->items[keys->count++] = text_copy(&question->arena, known->key);
    }
    if (!question)
        return NULL;
    struct ids *ids = (struct ids *)(void *)record_new(&question->arena, &ids_schema);
    ids->ids = keys;
    record_mark(&ids->base, IDS_IDS);
    question->records = records_new(&question->arena, 1);
    question->records->items[question->records->count++] = &ids->base;
    return question;
}

static void
ask(struct scene_lookup *lookup, actor_t *actor, unsigned shard, struct known *const *list,
    size_t count)
{
    char name[MAILBOX_NAME_SIZE];
    struct message *question;
    mailbox_shard_name(shard, name);
    for (size_t place = 0; (question = question_for(shard, list, count, &place)) != NULL;) {
        question->id = lookup->id;
        question->caller = lookup->message->caller;
        if (mailbox_send_back(actor->mailbox, name, &question) == OK)
            lookup->asked++;
        else
            lookup->error = ERR_UNAVAILABLE;
        message_destroy(&question);
    }
}

fallible
scene_lookup_need(struct scene_lookups *self, actor_t *actor, struct message *message,
                  const struct text *const *keys, size_t count)
{
    size_t unknown;
    if (self->shards == 0)
        return OK;
    struct known **list = list_unknown(message, self->shards, keys, count, &unknown);
    if (unknown == 0)
        return OK;
    struct scene_lookup *lookup = memory_take_zeroed(sizeof *lookup);
    *lookup = (struct scene_lookup){.id = ++self->next_id, .message = message};
    for (unsigned shard = 0; shard < self->shards; shard++)
        ask(lookup, actor, shard, list, unknown);
    if (lookup->asked == 0) {
        free(lookup);
        return fail(ERR_UNAVAILABLE, "", "the scenes cannot be asked now");
    }
    table_add(&self->open, table_hash_u64(lookup->id), lookup);
    return PARKED;
}

// --- answers ---

static bool
has_id(const void *lookup, const void *id)
{
    return ((const struct scene_lookup *)lookup)->id == *(const uint64_t *)id;
}

// Two actors may know of a key: as that of a scene, and as that of something in one.
static bool
knows_better(const struct known *known, const frozen_t *place)
{
    return !known->place || (!place_of(known->place)->scene_id && place_of(place)->scene_id);
}

static void
learn(struct message *message, struct message *answer)
{
    for (uint32_t i = 0; i < answer->reply.count; i++) {
        const frozen_t *place = reply_frozen(&answer->reply, i);
        struct known *known = find(message, frozen_key(place));
        if (!known || !knows_better(known, place))
            continue;
        record_unref(&known->place);
        known->place = record_ref(place);
    }
}

enum error
scene_lookup_answered(struct scene_lookups *self, actor_t *actor, struct message *answer)
{
    struct scene_lookup *lookup =
        table_find(&self->open, table_hash_u64(answer->id), has_id, &answer->id);
    if (lookup) {
        learn(lookup->message, answer);
        if (answer->reply.fault.error != OK)
            lookup->error = ERR_UNAVAILABLE;
        lookup->asked--;
    }
    message_destroy(&answer);
    if (!lookup || lookup->asked > 0)
        return PARKED;
    struct message *message = lookup->message;
    enum error error = lookup->error;
    table_remove(&self->open, table_hash_u64(lookup->id), lookup);
    free(lookup);
    if (error == OK)
        actor_dispatch(actor, message);
    else
        actor_answer(actor, &message, fail(error, "", "the scenes cannot be asked now"));
    return PARKED;
}

void
scene_lookups_greeted(struct scene_lookups *self, const struct message *greeting)
{
    self->shards = (unsigned)greeting->params->num_records;
}

void
scene_lookups_finish(struct scene_lookups *self)
{
    struct scene_lookup *lookup;
    for (size_t cursor = 0; (lookup = table_next(&self->open, &cursor)) != NULL;) {
        message_destroy(&lookup->message);
        free(lookup);
    }
    table_finish(&self->open);
}
