// pub_monitor.c - reads ZeroMQ's reports of connections (pub_monitor.h).
#include "actors/streamer/pub/pub_monitor.h"

#include <czmq.h>

// Its queue has no maximum: the thread that reports would wait for room and block the end of the
// monitor. The queue is emptied every second.
void *
pub_monitor_create(void *raw)
{
    char address[64];
    int no_limit = 0;
    void *monitor = zmq_socket(zsys_init(), ZMQ_PAIR);
    if (!monitor)
        return NULL;
    snprintf(address, sizeof address, "inproc://monitor.%p", raw);
    zmq_setsockopt(monitor, ZMQ_RCVHWM, &no_limit, sizeof no_limit);
    if (zmq_socket_monitor(raw, address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) == 0 &&
        zmq_connect(monitor, address) == 0)
        return monitor;
    zmq_socket_monitor(raw, NULL, 0);
    zmq_close(monitor);
    return NULL;
}

// Ends the reports first: they would wait for a socket that is closed.
void
pub_monitor_destroy(void *raw, void **monitor)
{
    if (!*monitor)
        return;
    zmq_socket_monitor(raw, NULL, 0);
    zmq_close(*monitor);
    *monitor = NULL;
}

// A report has two frames: the event's number (16 bits) and value (32), the descriptor; then the
// address.
bool
pub_monitor_next(void *monitor, struct pub_report *ret_report)
{
    unsigned char note[6];
    char address[256];
    uint16_t event;
    int32_t descriptor;
    if (zmq_recv(monitor, note, sizeof note, ZMQ_DONTWAIT) <= 0)
        return false;
    (void)zmq_recv(monitor, address, sizeof address, ZMQ_DONTWAIT);
    memcpy(&event, note, sizeof event);
    memcpy(&descriptor, note + sizeof event, sizeof descriptor);
    *ret_report = (struct pub_report){descriptor, event == ZMQ_EVENT_DISCONNECTED};
    return true;
}
