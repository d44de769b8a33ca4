// sealed_group.c - datagrams in the clear, sealed into the sender's buffers (sealed_group.h).

#include "actors/streamer/fanout/sealed_group.h"

#include <assert.h>

void
sealed_group_finish(struct sealed_group *self)
{
    for (unsigned i = 0; i < GROUP_DATAGRAMS; i++)
        buffer_finish(&self->clear[i]);
    self->count = 0;
}

void
sealed_group_begin(struct sealed_group *self)
{
    self->count = 0;
}

struct buffer *
sealed_group_datagram(struct sealed_group *self)
{
    assert(self->count < GROUP_DATAGRAMS);
    struct buffer *datagram = &self->clear[self->count++];
    buffer_clear(datagram);
    return datagram;
}

void
sealed_group_to(const struct sealed_group *self, struct feed_sealer *sealer, udp_sender_t *sender,
                const union udp_endpoint *endpoint)
{
    udp_sender_begin(sender, COUNT_UDP_OUT_SEALED);
    for (unsigned i = 0; i < self->count; i++)
        feed_sealer_put(sealer, self->clear[i].data, self->clear[i].size,
                        udp_sender_datagram(sender));
    udp_sender_to(sender, endpoint);
}
