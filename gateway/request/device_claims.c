// device_claims.c - asks the user actor who owns the devices of a request. Worker threads.
#include "gateway/request/device_claims.h"

#include "proto/base/limits.h"
#include "proto/message/partition.h"
#include "proto/records/bulk.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/records/user.h"

// A question that is being filled.
struct question {
    actor_client_t *client;
    const struct asker *asker;
    const struct message *about;
    struct message *message; // NULL: nothing to ask yet
};

static fallible
question_ask(struct question *self)
{
    if (!self->message)
        return OK;
    enum error error = actor_client_ask(self->client, self->asker, &self->message);
    if (error == OK && self->message->reply.fault.error != OK)
        error = fail(self->message->reply.fault.error, "", "%s", self->message->reply.fault.detail);
    message_destroy(&self->message);
    return error;
}

static void
question_begin(struct question *self)
{
    self->message =
        message_create(self->about->operation == REGISTER ? DEVICE_CLAIM : DEVICE_CHECK);
    self->message->records = records_new(&self->message->arena, LIMIT_CLAIMS);
}

static fallible
question_add(struct question *self, const struct text *device)
{
    if (text_size(device) == 0)
        return OK;
    if (!self->message)
        question_begin(self);
    struct arena *arena = &self->message->arena;
    struct record *claim = record_new(arena, &claim_schema);
    record_set_text(claim, CLAIM_DEVICE, text_copy(arena, device));
    struct records *records = self->message->records;
    records->items[records->count++] = claim;
    return records->count == LIMIT_CLAIMS ? question_ask(self) : OK;
}

static fallible
add_devices(struct question *self, struct message *message, const struct records *devices)
{
    for (uint32_t i = 0; devices && i < devices->count; i++) {
        struct record *device = devices->items[i];
        if (message->operation == REGISTER && !record_has(device, DEVICE_KEY))
            record_set_text(device, DEVICE_KEY, key_generate_free(&message->arena));
        TRY(question_add(self, device_of(device)->key));
    }
    return OK;
}

// The device that a body about a lock names, or NULL.
static const struct text *
device_of_lock(const struct message *message)
{
    if (!message->records || message->records->count == 0)
        return NULL;
    const struct record *record = message->records->items[0];
    if (record->schema == &lock_wish_schema)
        return record_text(record, LOCK_WISH_DEVICE);
    return record->schema == &lock_ask_wish_schema ? record_text(record, LOCK_ASK_DEVICE) : NULL;
}

static fallible
ask_all(struct question *self, struct message *message)
{
    TRY(question_add(self, message->params->device));
    for (uint32_t i = 0; message->records && i < message->records->count; i++)
        if (message->records->items[i]->schema == &scene_schema)
            TRY(add_devices(self, message, scene_of(message->records->items[i])->devices));
    const struct text *device = device_of_lock(message);
    if (device)
        TRY(question_add(self, device));
    return question_ask(self);
}

// The edits of objects in a request that may take their locks.
#define EDITS_MOST 2
static size_t
edits_of(const struct message *message, const struct records *ret_edits[EDITS_MOST])
{
    const struct records *records = message->records;
    if (!records || records->count == 0)
        return 0;
    if (message->operation == OBJECT_CREATE || message->operation == OBJECT_UPDATE) {
        ret_edits[0] = records;
        return 1;
    }
    if (message->operation != SCENE_BULK)
        return 0;
    const struct bulk *bulk = (const struct bulk *)(const void *)records->items[0];
    ret_edits[0] = bulk->objects.create;
    ret_edits[1] = bulk->objects.update;
    return EDITS_MOST;
}

// The next device in whose name an edit takes the lock of an object, or NULL. `*cursor` is 0 at
// first.
static const struct text *
next_owner(const struct message *message, size_t *cursor)
{
    const struct records *edits[EDITS_MOST];
    size_t lists = edits_of(message, edits), before = 0;
    for (size_t i = 0; i < lists; i++) {
        size_t count = edits[i] ? edits[i]->count : 0;
        for (; *cursor < before + count; ++*cursor) {
            const struct record *edit = edits[i]->items[*cursor - before];
            if (text_size(record_text(edit, OBJECT_OWNER)))
                return record_text(edits[i]->items[(*cursor)++ - before], OBJECT_OWNER);
        }
        before += count;
    }
    return NULL;
}

bool
device_claims_name_owner(const struct message *message)
{
    size_t cursor = 0;
    return next_owner(message, &cursor) != NULL;
}

static fallible
ask_owners(struct question *self, struct message *message)
{
    size_t cursor = 0;
    const struct text *owner;
    while ((owner = next_owner(message, &cursor)) != NULL)
        TRY(question_add(self, owner));
    return question_ask(self);
}

// Operations for which the scene actor decides whether a device of another user is refused, because
// it knows what the caller may do and learn: the owner of a scene ends any lock in it, and a device
// that is not registered to the scene is 404 to everybody.
static const bool is_left_to_scene[OPERATION_COUNT] = {
    [OBJECT_UNLOCK] = true, [ALIGN] = true, [DEREGISTER] = true, [DEVICE_DELETE] = true};

fallible
device_claims_settle(actor_client_t *client, const struct asker *asker, struct message *message)
{
    struct question question = {.client = client, .asker = asker, .about = message};
    enum error error = ask_all(&question, message);
    bool may_take = error == ERR_FORBIDDEN && is_left_to_scene[message->operation];
    if (error == OK) {
        error = ask_owners(&question, message);
        may_take = error == ERR_FORBIDDEN &&
                   (message->operation == OBJECT_UPDATE || message->operation == SCENE_BULK);
    }
    message_destroy(&question.message);
    if (may_take) {
        message->caller.takes_device = true;
        return OK;
    }
    return error;
}
