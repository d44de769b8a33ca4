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
    _Alignas(struct cmsghdr) char control[UDP_ENDPOINT_CONTROL_BYTES];
    union udp_endpoint to = *endpoint;
    struct iovec content = {(void *)(uintptr_t)data, size};
    struct msghdr message = {.msg_name = &to.any,
                             .msg_namelen = udp_endpoint_size(&to),
                             .msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_controllen = udp_endpoint_control(&to, control)};
    message.msg_control = message.msg_controllen ? control : NULL;
    ssize_t sent = sendmsg(udp_socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent >= 0 && (size_t)sent == size;
}
