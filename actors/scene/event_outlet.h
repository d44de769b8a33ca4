// event_outlet.h - the only way from a scene actor to the streamer: nothing overtakes an event. A
// question about the feed of a device that has just been registered would come before it otherwise.
#ifndef DIORAMA_ACTORS_SCENE_EVENT_OUTLET_H
#define DIORAMA_ACTORS_SCENE_EVENT_OUTLET_H

#include "proto/message/message.h"

struct shard;

// Sends the events that wait, as many as the streamer's queue takes. At the end of each turn.
void event_outlet_send(struct shard *self);
// The same once a message is full of them: whoever makes many at once keeps few in memory.
void event_outlet_send_many(struct shard *self);
// Sends the message behind all of them. False: the queue is full, and the message is still yours.
bool event_outlet_put(struct shard *self, struct message **message);

#endif
