// waiting_edits.h - updates by UDP of entities that are being read from the disk: of each entity
// and sender the newest state waits, and of all a bounded number.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_WAITING_EDITS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_WAITING_EDITS_H

#include "proto/message/message.h"

struct shard;

// Keeps a copy of an edit whose entity is not in memory. Returns the message that has to wait for
// the entity, yours, with the edit as its one record; NULL: an edit that waits already has become
// this one, or too many wait and it is dropped. Both are counted.
struct message *waiting_edits_keep(struct shard *self, const struct record *edit);

#endif
