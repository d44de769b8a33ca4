// shard_merge.h - one page out of the first records of several scene actors. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_SHARD_MERGE_H
#define DIORAMA_GATEWAY_REQUEST_SHARD_MERGE_H

#include "proto/message/message.h"

// Fills the reply of `message` with the records that its parameters ask for, of `count` answers
// that each begin with the first record of their actor: nearest first, then by key. Says where the
// next page begins, if there is one.
void shard_merge(struct message *message, struct message *const *answers, size_t count);

#endif
