// waiting_edits.h - updates by UDP of entities that are being read from the disk: of each entity
// and sender the newest state waits, and of all a bounded number. Those of one entity are applied
// in the order in which they came, one at a time.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_WAITING_EDITS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_WAITING_EDITS_H

#include "proto/message/message.h"

struct shard;

// Whether an edit of the same entity waits: this one comes behind it, even if the entity is in
// memory by now.
bool waiting_edits_are_before(const struct shard *self, const struct record *edit);
// Keeps a copy of an edit whose entity is not in memory. Returns the message that has to wait for
// the entity, yours, with the edit as its one record. NULL: one that waits already has become this
// one, or this one is done when those before it are; or too many wait and it is dropped, which is
// counted, as the first case is.
struct message *waiting_edits_keep(struct shard *self, const struct record *edit);

#endif
