// control_sender.c - one datagram, by itself (control_sender.h).

#include "actors/streamer/admission/control_sender.h"

#include "proto/base/owned.h"

bool
control_send(int udp_socket, struct device_sealer *sealer, const void *data, size_t size,
             const union udp_endpoint *endpoint)
{
    owned(buffer_finish) struct buffer sealed = {0};
    if (sealer) {
        feed_sealer_put(&sealer->sealer, data, size, &sealed);
        data = sealed.data;
        size = sealed.size;
    }
    ssize_t sent = sendto(udp_socket, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, &endpoint->any,
                          udp_endpoint_size(endpoint));
    return sent >= 0 && (size_t)sent == size;
}
