// message.c - requests and replies.

#include "proto/message/message.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"

static struct message *
without_params(enum operation operation)
{
    struct message *self = memory_take_zeroed(sizeof *self);
    self->operation = operation;
    return self;
}

struct message *
message_create(enum operation operation)
{
    struct message *self = without_params(operation);
    self->params = (struct params *)(void *)record_new(&self->arena, &params_schema);
    return self;
}

static void
end_parcel(struct parcel **self)
{
    struct parcel *parcel = *self;
    *self = NULL;
    if (parcel)
        parcel->destroy(parcel);
}

static void
reply_clear(struct reply *self)
{
    end_parcel(&self->source);
    for (uint32_t i = 0; i < self->count; i++)
        record_unref(&self->records[i]);
    free(self->records);
    arena_finish(&self->opened);
    arena_finish(&self->lent);
    *self = (struct reply){0};
}

void
message_end_work(struct message *self)
{
    end_parcel(&self->work);
    end_parcel(&self->condition);
}

void
message_destroy(struct message **self)
{
    struct message *message = *self;
    if (!message)
        return;
    *self = NULL;
    reply_clear(&message->reply);
    if (message->parcel)
        message->parcel->destroy(message->parcel);
    if (message->learned)
        message->learned->destroy(message->learned);
    end_parcel(&message->answers);
    message_end_work(message);
    arena_finish(&message->arena);
    if (message->share) // when the memory is free
        message->share->destroy(message->share);
    free(message);
}

static struct records *
records_copy(struct arena *arena, const struct records *records)
{
    struct records *copy = records_new(arena, records->count);
    for (uint32_t i = 0; i < records->count; i++)
        copy->items[copy->count++] =
            record_copy(arena, records->items[i]->schema, records->items[i]);
    return copy;
}

struct message *
message_clone(const struct message *self)
{
    struct message *copy = without_params(self->operation);
    copy->id = self->id;
    copy->deadline_ms = self->deadline_ms;
    copy->caller = self->caller;
    copy->params =
        (struct params *)(void *)record_copy(&copy->arena, &params_schema, &self->params->base);
    if (self->records)
        copy->records = records_copy(&copy->arena, self->records);
    if (self->array)
        copy->array = arena_copy(&copy->arena, self->array, strlen(self->array) + 1);
    return copy;
}

void
message_queue_push(struct message_queue *self, struct message **message)
{
    (*message)->next = NULL;
    if (self->last)
        self->last->next = *message;
    else
        self->first = *message;
    self->last = *message;
    self->count++;
    *message = NULL;
}

struct message *
message_queue_pop(struct message_queue *self)
{
    struct message *message = self->first;
    if (!message)
        return NULL;
    self->first = message->next;
    if (!self->first)
        self->last = NULL;
    self->count--;
    message->next = NULL;
    return message;
}

void
message_queue_finish(struct message_queue *self)
{
    struct message *message;
    while ((message = message_queue_pop(self)) != NULL)
        message_destroy(&message);
}

bool
message_partition(const struct message *self, uint16_t *ret_partition)
{
    const struct params *params = self->params;
    switch (operation_rows[self->operation].target) {
    case BY_OBJECT:
        return partition_of_key(params->object, ret_partition);
    case BY_PROPERTY:
        if (partition_of_key(params->property, ret_partition))
            return true;
        break;
    case BY_SCENE:
        break;
    default:
        return false;
    }
    if (!record_has(&params->base, PARAMS_SCENE))
        return false;
    *ret_partition = partition_of_scene(params->scene);
    return true;
}

const struct text *
message_key(struct message *self, uint32_t index, uint16_t partition)
{
    return self->seed ? key_derive(&self->arena, self->seed, index, partition)
                      : key_generate(&self->arena, partition);
}

void
reply_reserve(struct reply *self, uint32_t more)
{
    if (self->capacity - self->count >= more)
        return;
    self->capacity = self->count + more;
    self->records = memory_resize(self->records, self->capacity * sizeof self->records[0]);
}

// Takes the reference.
static void
reply_push(struct reply *self, const frozen_t *frozen)
{
    if (self->count == self->capacity)
        reply_reserve(self, self->capacity ? self->capacity : 4);
    self->records[self->count++] = frozen;
}

void
reply_add(struct message *self, const frozen_t *frozen)
{
    reply_push(&self->reply, record_ref(frozen));
}

void
reply_add_packed(struct message *self, const packed_t *packed)
{
    enum { LENT_MOST = 256 }; // bytes
    if (record_size(packed_frozen(packed)) <= LENT_MOST)
        reply_push(&self->reply, packed_frozen(packed_lend(packed, &self->reply.lent)));
    else
        reply_add(self, packed_frozen(packed));
}

void
reply_take(struct message *self, struct reply *from, uint32_t index)
{
    if (from->lent.chunks)
        arena_join(&self->reply.lent, &from->lent);
    const frozen_t *record = reply_frozen(from, index);
    from->records[index] = NULL;
    reply_push(&self->reply, record);
}

void
reply_add_loose(struct message *self, const struct schema *schema, const struct record *loose)
{
    const frozen_t *frozen = record_freeze(schema, loose);
    reply_push(&self->reply, frozen);
}

void
reply_begin_loose(struct message *self, const struct record *loose, struct parcel **source)
{
    struct reply *reply = &self->reply;
    assert(reply->count == 0);
    reply->loose = loose;
    reply->source = *source;
    *source = NULL;
    reply_push(reply, NULL);
}

// Nothing is loose any more.
static void
reply_drop_loose(struct reply *self)
{
    self->loose = NULL;
    end_parcel(&self->source);
}

const struct record *
reply_record(const struct reply *self, uint32_t index)
{
    if ((index == 0 && self->loose) || !frozen_is_packed(self->records[index]))
        return reply_open(self, index, NULL);
    struct arena *opened = (struct arena *)(uintptr_t)&self->opened; // no part of what it says
    return packed_open_in(frozen_packed(self->records[index]), opened);
}

void
reply_unpack(struct reply *self)
{
    for (uint32_t i = self->loose ? 1 : 0; i < self->count; i++) {
        const frozen_t *packed = self->records[i];
        self->records[i] = frozen_unpack(packed);
        record_unref(&packed);
    }
}

const frozen_t *
reply_frozen(struct reply *self, uint32_t index)
{
    if (index == 0 && self->loose) {
        self->records[0] = record_freeze(self->loose->schema, self->loose);
        reply_drop_loose(self);
    }
    return self->records[index];
}

void
reply_fail(struct message *self, enum error error)
{
    struct record *envelope = self->reply.envelope;
    reply_clear(&self->reply);
    fault_take(error, &self->reply.fault);
    self->reply.envelope = envelope;
}

void
reply_truncate(struct message *self, uint32_t count)
{
    while (self->reply.count > count)
        record_unref(&self->reply.records[--self->reply.count]);
    if (count > 0)
        return;
    reply_drop_loose(&self->reply);
    self->reply.distances = NULL;
}

struct envelope *
reply_envelope(struct message *self)
{
    if (!self->reply.envelope)
        self->reply.envelope = record_new(&self->arena, &envelope_schema);
    return (struct envelope *)(void *)self->reply.envelope;
}

const char *
message_pointer(struct message *self, size_t index, const char *member)
{
    if (!self->array)
        return member;
    return text_chars(text_format(&self->arena, "/%s/%zu%s", self->array, index, member));
}

fallible
message_check_edits(struct message *self)
{
    if (!self->records || self->records->count <= LIMIT_EDITS)
        return OK;
    return fail(ERR_INVALID, message_pointer(self, LIMIT_EDITS, ""),
                "at most %d records of a request change the same thing", LIMIT_EDITS);
}
