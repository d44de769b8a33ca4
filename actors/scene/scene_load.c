// scene_load.c - see the header.
#include "actors/scene/scene_load.h"

#include "actors/scene/scene_shard.h"

uint64_t
shard_load(struct shard *self, struct slice *slice, struct message *message)
{
    uint64_t id = ++self->next_id;
    message->operation = LOAD;
    message->parcel = &slice->base;
    message->id = id;
    if (mailbox_send(self->base.mailbox, self->loader_name, &message) == OK)
        return id;
    slice->result = STORE_UNAVAILABLE; // as the loader answers when it fails
    message->operation = LOADED;
    actor_pause(&self->base, message);
    return id;
}
