// control_sender.h - sends a device a datagram about its feed, sealed if its registration says so.
// One thread.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_CONTROL_SENDER_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_CONTROL_SENDER_H

#include "actors/streamer/fanout/device_sealer.h"
#include "actors/udp/udp_endpoint.h"

// Sends at once. Returns whether the kernel took it. `sealer` NULL: in the clear.
bool control_send(int udp_socket, struct device_sealer *sealer, const void *data, size_t size,
                  const union udp_endpoint *endpoint);

#endif
