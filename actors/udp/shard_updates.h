// shard_updates.h - updates of one turn, sorted by the scene shard that owns them: each shard gets
// one DATAGRAMS message, whose `records` are loose edits with ENTITY_KEY present. One thread.
#ifndef DIORAMA_ACTORS_UDP_SHARD_UPDATES_H
#define DIORAMA_ACTORS_UDP_SHARD_UPDATES_H

#include "proto/message/mailbox.h"
#include "proto/record/record.h"

struct shard_updates {
    struct message **messages; // by shard; NULL: no updates for it
    unsigned shards;
    unsigned most; // updates of a message
};

// For turns of at most `most` updates, to so many scene actors.
void shard_updates_init(struct shard_updates *self, unsigned shards, unsigned most);
void shard_updates_finish(struct shard_updates *self);

// Puts a copy of the edit, of the entity with this key, into the message of its shard.
void shard_updates_put(struct shard_updates *self, uint16_t partition, const struct record *edit,
                       const struct text *key);

// Sends each shard its updates. A shard whose mailbox is full loses them: they are counted as
// dropped, reason "busy".
void shard_updates_send(struct shard_updates *self, mailbox_t *mailbox);

#endif
