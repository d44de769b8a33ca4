// shard_updates.c - the messages of a turn (shard_updates.h).
#include "actors/udp/shard_updates.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "proto/records/entity.h"

void
shard_updates_init(struct shard_updates *self, unsigned shards, unsigned most)
{
    *self = (struct shard_updates){
        .messages = memory_take_zeroed(shards * sizeof(struct message *)),
        .shards = shards,
        .most = most,
    };
}

void
shard_updates_finish(struct shard_updates *self)
{
    for (unsigned shard = 0; self->messages && shard < self->shards; shard++)
        message_destroy(&self->messages[shard]);
    free(self->messages);
    self->messages = NULL;
}

void
shard_updates_put(struct shard_updates *self, uint16_t partition, const struct record *edit,
                  const struct text *key)
{
    struct message **message = &self->messages[partition % self->shards];
    if (!*message) {
        *message = message_create(DATAGRAMS);
        (*message)->records = records_new(&(*message)->arena, self->most);
    }
    struct arena *arena = &(*message)->arena;
    struct record *copy = record_copy(arena, edit->schema, edit);
    record_set_text(copy, ENTITY_KEY, text_new(arena, text_bytes(key), text_size(key)));
    struct records *records = (*message)->records;
    assert(records->count < self->most);
    records->items[records->count++] = copy;
}

void
shard_updates_send(struct shard_updates *self, mailbox_t *mailbox)
{
    for (unsigned shard = 0; shard < self->shards; shard++) {
        char name[MAILBOX_NAME_SIZE];
        struct message **message = &self->messages[shard];
        if (!*message)
            continue;
        mailbox_shard_name(shard, name);
        uint32_t count = (*message)->records->count;
        if (mailbox_send(mailbox, name, message) != OK) {
            counter_add(COUNT_UDP_DROP_BUSY, count);
            message_destroy(message);
        }
    }
}
