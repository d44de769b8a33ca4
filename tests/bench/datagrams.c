// datagrams.c - the load of row P10: N device sockets that count what they receive, one sender that
// offers updates of many objects as fast as it can, or at a rate.
// Usage: datagrams DEVICES: prints the devices' ports on one line; then, for each line
// "PORT SECONDS RATE KEYS_FILE" on standard input, offers updates to 127.0.0.1:PORT (RATE 0 = as
// fast as possible) and prints "sent received seconds" (received by all devices together).

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { DEVICES = 64, KEYS = 1000, BATCH = 32, DATAGRAM = 512, BUFFER = 16 << 20 };

static int sockets[DEVICES];
static int device_count;
static _Atomic unsigned long received;
static char keys[KEYS][32];
static int key_count;

static double
now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int
open_socket(int port)
{
    int udp = socket(AF_INET, SOCK_DGRAM, 0), size = BUFFER;
    struct sockaddr_in self = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    setsockopt(udp, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
    if (bind(udp, (struct sockaddr *)&self, sizeof self) != 0)
        exit(1);
    return udp;
}

static void *
receive(void *unused)
{
    static char bytes[BATCH][2048];
    struct pollfd polls[DEVICES];
    (void)unused;
    for (int i = 0; i < device_count; i++)
        polls[i] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
    for (;;) {
        poll(polls, (nfds_t)device_count, -1);
        for (int i = 0; i < device_count; i++) {
            struct mmsghdr in[BATCH];
            struct iovec parts[BATCH];
            if (!(polls[i].revents & POLLIN))
                continue;
            for (int k = 0; k < BATCH; k++) {
                parts[k] = (struct iovec){bytes[k], sizeof bytes[k]};
                in[k] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[k], .msg_iovlen = 1}};
            }
            int got = recvmmsg(sockets[i], in, BATCH, MSG_DONTWAIT, NULL);
            if (got > 0)
                atomic_fetch_add(&received, (unsigned long)got);
        }
    }
    return NULL;
}

static void
read_keys(const char *path)
{
    FILE *file = fopen(path, "r");
    key_count = 0;
    while (file && key_count < KEYS && fscanf(file, "%31s", keys[key_count]) == 1)
        key_count++;
    if (!key_count)
        exit(1);
    fclose(file);
}

static size_t
write_update(char *bytes, unsigned long number)
{
    double x = (double)(number % 10000) / 100.0;
    return (size_t)snprintf(
        bytes, DATAGRAM,
        "{\"msg_type\": 1, \"key\": \"%s\", \"transform\": [1.0, 0.0, 0.0, %.3f, 0.0, 1.0, 0.0, "
        "%.3f, 0.0, 0.0, 1.0, %.3f, 0.0, 0.0, 0.0, 1.0]}",
        keys[number % (unsigned long)key_count], x, x + 1, x + 2);
}

static unsigned long
offer(int udp, int port, double seconds, double rate)
{
    static char bytes[BATCH][DATAGRAM];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    double start = now_s();
    unsigned long sent = 0;
    while (now_s() - start < seconds) {
        struct mmsghdr out[BATCH];
        struct iovec parts[BATCH];
        if (rate > 0 && (double)sent > (now_s() - start) * rate) {
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
            continue;
        }
        for (unsigned i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){bytes[i], write_update(bytes[i], sent + i)};
            out[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &to,
                                                  .msg_namelen = sizeof to,
                                                  .msg_iov = &parts[i],
                                                  .msg_iovlen = 1}};
        }
        int now = sendmmsg(udp, out, BATCH, 0);
        sent += now > 0 ? (unsigned long)now : 0;
    }
    return sent;
}

int
main(int argc, char **argv)
{
    device_count = argc == 2 ? atoi(argv[1]) : 0;
    if (device_count < 1 || device_count > DEVICES)
        return 2;
    for (int i = 0; i < device_count; i++) {
        struct sockaddr_in bound;
        socklen_t size = sizeof bound;
        sockets[i] = open_socket(0);
        getsockname(sockets[i], (struct sockaddr *)&bound, &size);
        printf("%d%c", ntohs(bound.sin_port), i + 1 < device_count ? ' ' : '\n');
    }
    fflush(stdout);
    pthread_t receiver;
    pthread_create(&receiver, NULL, receive, NULL);
    int udp = open_socket(0), port;
    double seconds, rate;
    char path[1024];
    while (scanf("%d %lf %lf %1023s", &port, &seconds, &rate, path) == 4) {
        read_keys(path);
        atomic_store(&received, 0);
        double start = now_s();
        unsigned long sent = offer(udp, port, seconds, rate);
        double took = now_s() - start;
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); // what is under way arrives
        printf("%lu %lu %.3f\n", sent, atomic_load(&received), took);
        fflush(stdout);
    }
    return 0;
}
