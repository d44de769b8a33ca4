// connections.c - row P2: opens N keep-alive connections at once, keeps each of them busy with GET
// requests, and counts how many distinct connections got an answer.
// Usage: connections PORT PATH N SECONDS; prints "distinct answers seconds_until_all" (-1 = not
// all).

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256 };

static char request[512];
static size_t request_size;
static struct sockaddr_in server;
static bool *served;

static double
now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Opens slot `index` again; the server may close a connection to let others have their turn.
static int
dial(int poll, unsigned index, int *sockets)
{
    int tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (tcp < 0 ||
        (connect(tcp, (struct sockaddr *)&server, sizeof server) != 0 && errno != EINPROGRESS))
        return -1;
    sockets[index] = tcp;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = index};
    return epoll_ctl(poll, EPOLL_CTL_ADD, tcp, &event);
}

int
main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    unsigned count = (unsigned)atoi(argv[3]), distinct = 0;
    double seconds = atof(argv[4]), all_after = -1;
    unsigned long answers = 0;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argv[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    request_size = (size_t)snprintf(request, sizeof request,
                                    "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[2]);
    int *sockets = calloc(count, sizeof *sockets), poll = epoll_create1(0);
    bool *asked = calloc(count, sizeof *asked);
    served = calloc(count, sizeof *served);
    double start = now_s();
    for (unsigned i = 0; i < count; i++)
        if (dial(poll, i, sockets) != 0)
            return 1;
    while (now_s() - start < seconds) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(poll, events, EVENTS, 20);
        for (int i = 0; i < ready; i++) {
            unsigned index = events[i].data.u32;
            char bytes[4096];
            if (!asked[index] && (events[i].events & EPOLLOUT))
                asked[index] = write(sockets[index], request, request_size) > 0;
            if (!(events[i].events & (EPOLLIN | EPOLLHUP)))
                continue;
            ssize_t got = read(sockets[index], bytes, sizeof bytes);
            if (got > 0 && memcmp(bytes, "HTTP/1.1 200", 12) == 0) {
                answers++;
                distinct += !served[index];
                served[index] = true;
                if (distinct == count && all_after < 0)
                    all_after = now_s() - start;
            }
            bool closed = got == 0 || (got > 0 && memmem(bytes, (size_t)got, "close", 5));
            asked[index] = !closed && got > 0 && write(sockets[index], request, request_size) > 0;
            if (closed) {
                close(sockets[index]);
                if (dial(poll, index, sockets) != 0)
                    return 1;
            }
        }
    }
    printf("%u %lu %.3f\n", distinct, answers, all_after);
    return 0;
}
