// relay.c - the peer of row P10: what the kernel alone allows. Takes datagrams in batches and sends
// each to every device, with the same calls as the streamer, and nothing in between.
// Usage: relay PORT DEVICE_PORT...

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { BATCH = 64, DATAGRAM = 2048, DEVICES = 1024, BUFFER = 8 << 20 };

static struct sockaddr_in
loopback(const char *port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int
main(int argc, char **argv)
{
    static char bytes[BATCH][DATAGRAM];
    static struct sockaddr_in devices[DEVICES];
    static struct mmsghdr in[BATCH], out[DEVICES];
    struct iovec parts[BATCH];
    int count = argc - 2, size = BUFFER;
    if (count < 1 || count > DEVICES)
        return 2;
    for (int i = 0; i < count; i++)
        devices[i] = loopback(argv[i + 2]);
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    setsockopt(udp, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
    struct sockaddr_in self = loopback(argv[1]);
    if (bind(udp, (struct sockaddr *)&self, sizeof self) != 0)
        return 1;
    for (;;) {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){bytes[i], DATAGRAM};
            in[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
        }
        int got = recvmmsg(udp, in, BATCH, MSG_WAITFORONE, NULL);
        for (int i = 0; i < got; i++) {
            parts[i].iov_len = in[i].msg_len;
            for (int k = 0; k < count; k++)
                out[k] = (struct mmsghdr){.msg_hdr = {.msg_name = &devices[k],
                                                      .msg_namelen = sizeof devices[k],
                                                      .msg_iov = &parts[i],
                                                      .msg_iovlen = 1}};
            for (int sent = 0; sent < count;) {
                int now = sendmmsg(udp, out + sent, (unsigned)(count - sent), 0);
                if (now <= 0)
                    break;
                sent += now;
            }
        }
    }
}
