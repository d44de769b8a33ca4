// scene_layout.c - the questions behind a picture of a scene, one after another (scene_layout.h).
#include "gateway/request/scene_layout.h"

#include "proto/base/owned.h"
#include "proto/records/ids.h"
#include "proto/records/object.h"

// --- what is asked ---

static struct message *
question_new(const struct message *message, enum operation operation, const struct text *scene)
{
    struct message *question = message_create(operation);
    question->caller = message->caller;
    if (scene)
        record_set_text(&question->params->base, PARAMS_SCENE, text_copy(&question->arena, scene));
    return question;
}

static struct message *
question_of_relation(const struct message *message)
{
    struct message *question = question_new(message, ALIGNMENT_RELATE, NULL);
    struct record *params = &question->params->base;
    record_set_text(params, PARAMS_FROM, text_copy(&question->arena, message->params->scene));
    record_set_text(params, PARAMS_TO, text_copy(&question->arena, message->params->placed_in));
    return question;
}

static struct message *
question_of_objects(const struct message *message, uint32_t start)
{
    struct message *question = question_new(message, OBJECT_QUERY, message->params->scene);
    record_set_integer(&question->params->base, PARAMS_START_RECORD, start);
    record_set_integer(&question->params->base, PARAMS_NUM_RECORDS, LIMIT_RECORDS);
    return question;
}

static struct message *
question_of_assets(const struct message *message, const struct text *const *keys, uint32_t count)
{
    struct message *question = question_new(message, ASSET_BULK, NULL);
    struct texts *ids =
        arena_alloc(&question->arena, sizeof *ids + count * sizeof(const struct text *));
    for (ids->count = 0; ids->count < count; ids->count++)
        ids->items[ids->count] = text_copy(&question->arena, keys[ids->count]);
    struct record *wanted = record_new(&question->arena, &ids_schema);
    ((struct ids *)(void *)wanted)->ids = ids;
    record_mark(wanted, IDS_IDS);
    question->records = records_new(&question->arena, 1);
    question->records->items[question->records->count++] = wanted;
    return question;
}

// --- what is answered ---

// Asks, and adds the records of the answer to the reply, which fails where the answer does.
static fallible
take(struct message *message, layout_ask *ask, void *context, struct message **question)
{
    owned(message_destroy) struct message *answer = *question;
    *question = NULL;
    TRY(ask(context, &answer));
    message->reply.fault = answer->reply.fault;
    if (answer->reply.fault.error != OK)
        return OK;
    for (uint32_t i = 0; i < answer->reply.count; i++)
        reply_add(message, reply_frozen(&answer->reply, i));
    return OK;
}

static fallible
take_frame(struct message *message, layout_ask *ask, void *context)
{
    struct message *question = question_new(message, SCENE_GET, message->params->placed_in);
    TRY(take(message, ask, context, &question));
    if (message->reply.fault.error != OK)
        return OK;
    question = question_of_relation(message);
    return take(message, ask, context, &question);
}

static fallible
take_objects(struct message *message, layout_ask *ask, void *context)
{
    uint32_t before, start = 0;
    do {
        struct message *question = question_of_objects(message, start);
        before = message->reply.count;
        TRY(take(message, ask, context, &question));
        start += LIMIT_RECORDS;
    } while (message->reply.count - before == LIMIT_RECORDS && start < LAYOUT_OBJECTS_MOST);
    return OK;
}

static bool
is_text(const void *value, const void *key)
{
    return text_equal(value, key);
}

// The keys of the files that the records show, each once; returns how many.
static uint32_t
collect_keys(struct message *message, const struct text **keys)
{
    struct table seen = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < message->reply.count; i++) {
        const struct text *key = scene_layout_asset(reply_record(&message->reply, i));
        uint64_t hash = key ? table_hash_text(key) : 0;
        if (!key || table_find(&seen, hash, is_text, key))
            continue;
        table_add(&seen, hash, (void *)(uintptr_t)key);
        keys[count++] = key;
    }
    table_finish(&seen);
    return count;
}

static fallible
take_assets(struct message *message, layout_ask *ask, void *context)
{
    const struct text **keys =
        arena_alloc(&message->arena, message->reply.count * sizeof(const struct text *));
    uint32_t count = collect_keys(message, keys);
    for (uint32_t done = 0; done < count && message->reply.fault.error == OK;
         done += LIMIT_RECORDS) {
        uint32_t most = count - done < LIMIT_RECORDS ? count - done : LIMIT_RECORDS;
        struct message *question = question_of_assets(message, keys + done, most);
        TRY(take(message, ask, context, &question));
    }
    return OK;
}

fallible
scene_layout_gather(struct message *message, layout_ask *ask, void *context)
{
    struct message *question = question_new(message, SCENE_GET, message->params->scene);
    TRY(take(message, ask, context, &question));
    if (message->reply.fault.error == OK && scene_layout_is_placed(message->params))
        TRY(take_frame(message, ask, context));
    if (message->reply.fault.error == OK)
        TRY(take_objects(message, ask, context));
    return message->reply.fault.error == OK ? take_assets(message, ask, context) : OK;
}

// --- reading it ---

bool
scene_layout_is_placed(const struct params *params)
{
    return text_size(params->node) == 0 && text_size(params->placed_in) &&
           !text_is(params->placed_in, "local");
}

const struct text *
scene_layout_asset(const struct record *object)
{
    if (object->schema != &object_schema)
        return NULL;
    const struct texts *assets = object_of(object)->assets;
    return texts_count(assets) && text_size(assets->items[0]) ? assets->items[0] : NULL;
}

static bool
has_key(const void *value, const void *key)
{
    return text_equal(record_key(value), key);
}

const struct record *
scene_layout_find(const struct table *assets, const struct text *key)
{
    return table_find(assets, table_hash_text(key), has_key, key);
}

void
scene_layout_index(struct table *assets, const struct record *asset)
{
    table_add(assets, table_hash_text(record_key(asset)), (void *)(uintptr_t)asset);
}
