// streams.c - row P15: opens N streams of server-sent events, waits until each has its snapshot,
// and then takes the changes that come. A change holds `"name":"@MICROSECONDS"`, when it was sent
// by the monotonic clock. Usage: streams PORT TARGET N SECONDS; prints "open SECONDS", then "events
// P50_MS P99_MS" of the changes.

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

enum { EVENTS = 256, DIALLED_AT_ONCE = 200, READ_BYTES = 65536, SLOTS = 1 << 20 };

static struct sockaddr_in server;
static char request[512];
static size_t request_size;
static float *late_ms;
static size_t late_count;

struct stream {
    int socket;
    bool is_open; // has its snapshot
};

static double
now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void
dial(int poll, struct stream *stream)
{
    stream->socket = socket(AF_INET, SOCK_STREAM, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};
    if (stream->socket < 0 ||
        connect(stream->socket, (struct sockaddr *)&server, sizeof server) != 0 ||
        write(stream->socket, request, request_size) != (ssize_t)request_size ||
        epoll_ctl(poll, EPOLL_CTL_ADD, stream->socket, &event) != 0) {
        perror("streams");
        exit(1);
    }
}

// Events come whole: they are small, and each is one write of the server.
static void
note_changes(const char *bytes, size_t size)
{
    static const char mark[] = "\"name\":\"@";
    const char *end = bytes + size;
    double now = now_us();
    for (const char *at = bytes;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL;) {
        at += sizeof mark - 1;
        if (late_count < SLOTS)
            late_ms[late_count++] = (float)((now - strtod(at, NULL)) / 1e3);
    }
}

// Returns how many streams got their snapshot.
static unsigned
take(int poll, int timeout_ms)
{
    static char bytes[READ_BYTES + 1];
    struct epoll_event events[EVENTS];
    unsigned opened = 0;
    int ready = epoll_wait(poll, events, EVENTS, timeout_ms);
    for (int i = 0; i < ready; i++) {
        struct stream *stream = events[i].data.ptr;
        ssize_t got = read(stream->socket, bytes, READ_BYTES);
        if (got <= 0) {
            fprintf(stderr, "a stream ended\n");
            exit(1);
        }
        bytes[got] = '\0';
        bool has_state = memmem(bytes, (size_t)got, "event: snapshot", 15) != NULL;
        if (stream->is_open)
            note_changes(bytes, (size_t)got);
        opened += !stream->is_open && has_state;
        stream->is_open |= has_state;
    }
    return opened;
}

static int
compare(const void *one, const void *other)
{
    float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

int
main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    unsigned count = (unsigned)atoi(argv[3]), dialled = 0, open = 0;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argv[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    request_size = (size_t)snprintf(request, sizeof request,
                                    "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[2]);
    struct stream *streams = calloc(count, sizeof *streams);
    late_ms = calloc(SLOTS, sizeof *late_ms);
    int poll = epoll_create1(0);
    double begun = now_us();
    while (open < count) {
        while (dialled < count && dialled - open < DIALLED_AT_ONCE)
            dial(poll, &streams[dialled++]);
        open += take(poll, 1000);
    }
    printf("open %.3f\n", (now_us() - begun) / 1e6);
    fflush(stdout);
    for (double end = now_us() + atof(argv[4]) * 1e6; now_us() < end;)
        take(poll, 50);
    qsort(late_ms, late_count, sizeof *late_ms, compare);
    if (late_count)
        printf("%zu %.3f %.3f\n", late_count, (double)late_ms[late_count / 2],
               (double)late_ms[late_count - 1 - late_count / 100]);
    else
        printf("0 0 0\n");
    return 0;
}
