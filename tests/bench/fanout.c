// fanout.c - the load of rows P6 to P8: one publisher and many receivers, the same for devices of
// Diorama and its PUB, and for subscribers of Redis, NATS and MQTT.
// Usage: fanout KIND PORT RECEIVERS PAYLOAD_BYTES [KEYS_FILE [PUB_PORT]]; KIND is udp, pub, redis,
// nats or mqtt. With udp it prints the ports of the receivers first; with udp and pub PORT and
// KEYS_FILE are those of updates.
// Then, for each line on standard input:
//   paced COUNT INTERVAL_US  one update, and the next when all have it: prints the median and the
//                            99th percentile of the time until the last one had it, in us, and how
//                            many updates did not reach all within a second
//   flood SECONDS RATE       more than all can take: prints the updates delivered to each a second
// A broker and PUB are given no more than they pass on (a window), so that nobody is thrown out as
// slow. Diorama is given RATE updates a second, and sends devices what is newest.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/zmtp.h"

enum {
    RECEIVERS = 2048,
    BUFFER = 1 << 16,
    SOCKET_BUFFER = 256 << 10,
    KEYS = 4096,
    PAYLOAD = 1024,
    WINDOW = 512, // messages that a broker may be behind
    BATCH = 16,
    DRAINED = 64,    // datagrams taken by one call
    DATAGRAM = 2048, // the largest of them
    TRIALS = 10000,
    LOST_AFTER_US = 1000000,
    STALLED_US = 250000, // updates by UDP that are not through by then were lost on their way in
};

struct kind {
    const char *name;
    const char *hello;        // what a subscriber says first
    const char *welcome_ends; // the last bytes of what it hears then
    bool is_udp;
    bool is_pub;
};

static const struct kind kinds[] = {
    {.name = "udp", .is_udp = true},
    {.name = "pub", .is_pub = true},
    {.name = "redis",
     .hello = "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\ns\r\n",
     .welcome_ends = "$1\r\ns\r\n:1\r\n"},
    {.name = "nats",
     .hello = "CONNECT {\"verbose\":false}\r\nSUB s 1\r\nPING\r\n",
     .welcome_ends = "PONG\r\n"},
    {.name = "mqtt"},
};

static const struct kind *kind;
static int receivers[RECEIVERS], receiver_count, publisher, poller, port, pub_port;
static struct zmtp_reader readers[RECEIVERS + 64]; // by descriptor
static char payload[PAYLOAD + 1], keys[KEYS][32], wire[2 * PAYLOAD];
static size_t payload_size, key_count, wire_size, delivered_size;
static _Atomic uint64_t delivered; // to all together: updates; of brokers in bytes
static _Atomic bool ending;
static double flood_rate; // of updates a second, where nothing else holds them back

static void
die(const char *what)
{
    fprintf(stderr, "fanout: %s: %s\n", what, strerror(errno));
    exit(1);
}

// Updates go in by UDP, whichever way they come out.
static bool
is_ours(void)
{
    return kind->is_udp || kind->is_pub;
}

static uint64_t
now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static struct sockaddr_in
loopback(int number)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)number),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void
send_all(int socket, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(socket, data, size, 0);
        if (sent < 0)
            die("send");
        data += sent;
        size -= (size_t)sent;
    }
}

static void
expect(int socket, const char *ends, size_t size)
{
    char heard[4096];
    size_t got = 0;
    while (got < size || memcmp(heard + got - size, ends, size) != 0) {
        ssize_t more = recv(socket, heard + got, sizeof heard - got, 0);
        if (more <= 0)
            die("the welcome");
        got += (size_t)more;
    }
}

static void
greet_mqtt(int socket, int number, bool subscribes)
{
    static const char subscribe[] = {(char)0x82, 6, 0, 1, 0, 1, 's', 0};
    char hello[] = {0x10, 16, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 4, 'r', 0, 0, 0};
    for (int i = 0; i < 3; i++, number /= 26)
        hello[15 + i] = (char)('a' + number % 26);
    send_all(socket, hello, sizeof hello);
    expect(socket, (char[]){0x20, 2, 0, 0}, 4);
    if (!subscribes)
        return;
    send_all(socket, subscribe, sizeof subscribe);
    expect(socket, (char[]){(char)0x90, 3, 0, 1, 0}, 5);
}

static int
connect_broker(int number, bool subscribes)
{
    struct sockaddr_in to = loopback(kind->is_pub ? pub_port : port);
    int opened = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (connect(opened, (struct sockaddr *)&to, sizeof to) != 0)
        die("connect");
    setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (kind->is_pub && !zmtp_subscribe(opened, "scene."))
        die("no PUB");
    if (kind->is_pub)
        return opened;
    if (!kind->hello)
        greet_mqtt(opened, number, subscribes);
    else if (subscribes) {
        send_all(opened, kind->hello, strlen(kind->hello));
        expect(opened, kind->welcome_ends, strlen(kind->welcome_ends));
    } else if (strcmp(kind->name, "nats") == 0) {
        static const char hello[] = "CONNECT {\"verbose\":false}\r\nPING\r\n";
        send_all(opened, hello, sizeof hello - 1);
        expect(opened, "PONG\r\n", 6);
    }
    return opened;
}

static int
open_udp(void)
{
    struct sockaddr_in self = loopback(0);
    int opened = socket(AF_INET, SOCK_DGRAM, 0), size = SOCKET_BUFFER;
    setsockopt(opened, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    if (bind(opened, (struct sockaddr *)&self, sizeof self) != 0)
        die("bind");
    return opened;
}

static void
open_receivers(void)
{
    poller = epoll_create1(0);
    for (int i = 0; i < receiver_count; i++) {
        receivers[i] = kind->is_udp ? open_udp() : connect_broker(i, true);
        fcntl(receivers[i], F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = receivers[i]};
        epoll_ctl(poller, EPOLL_CTL_ADD, receivers[i], &event);
        struct sockaddr_in bound;
        socklen_t size = sizeof bound;
        if (kind->is_udp && getsockname(receivers[i], (struct sockaddr *)&bound, &size) == 0)
            printf("%d%c", ntohs(bound.sin_port), i + 1 < receiver_count ? ' ' : '\n');
    }
    fflush(stdout);
}

// What the publisher says, and how much of it each subscriber hears.
static void
prepare_wire(void)
{
    memset(payload, 'x', payload_size);
    if (strcmp(kind->name, "redis") == 0) {
        wire_size =
            (size_t)snprintf(wire, sizeof wire, "*3\r\n$7\r\nPUBLISH\r\n$1\r\ns\r\n$%zu\r\n%s\r\n",
                             payload_size, payload);
        delivered_size = wire_size; // "message" is as long as "PUBLISH"
    } else if (strcmp(kind->name, "nats") == 0) {
        wire_size =
            (size_t)snprintf(wire, sizeof wire, "PUB s %zu\r\n%s\r\n", payload_size, payload);
        delivered_size = wire_size + 2; // "MSG s 1 "
    } else if (strcmp(kind->name, "mqtt") == 0) {
        size_t rest = payload_size + 3, head = 0;
        wire[head++] = 0x30;
        for (; rest >= 128; rest /= 128)
            wire[head++] = (char)(rest % 128 | 128);
        wire[head++] = (char)rest;
        memcpy(wire + head, "\0\1s", 3);
        memcpy(wire + head + 3, payload, payload_size);
        delivered_size = wire_size = head + 3 + payload_size;
    }
}

static size_t
write_update(uint64_t number, char *out)
{
    double x = (double)(number % 10000) / 100.0;
    return (size_t)snprintf(out, PAYLOAD,
                            "{\"msg_type\": 1, \"key\": \"%s\", \"transform\": [1.0, 0.0, 0.0, "
                            "%.3f, 0.0, 1.0, 0.0, %.3f, 0.0, 0.0, 1.0, %.3f, 0.0, 0.0, 0.0, 1.0]}",
                            keys[number % key_count], x, x + 1, x + 2);
}

static void
publish(uint64_t number)
{
    char update[PAYLOAD], replies[4096];
    if (!is_ours()) {
        send_all(publisher, wire, wire_size);
        while (recv(publisher, replies, sizeof replies, MSG_DONTWAIT) > 0)
            continue;
        return;
    }
    struct sockaddr_in to = loopback(port);
    size_t size = write_update(number, update);
    sendto(publisher, update, size, 0, (struct sockaddr *)&to, sizeof to);
}

// An unsigned number of msgpack; moves on.
static uint64_t
unsigned_at(const unsigned char **at)
{
    unsigned char first = *(*at)++;
    uint64_t value = 0;
    if (first < 0x80)
        return first;
    for (unsigned bytes = first >= 0xcc && first <= 0xcf ? 1U << (first - 0xcc) : 0; bytes; bytes--)
        value = value << 8 | *(*at)++;
    return value;
}

// Updates in a datagram: one in the plain form; what is no mere repetition in the packed one.
static uint64_t
updates_in(const unsigned char *datagram, ssize_t size)
{
    if (size < 16 || datagram[0] != 0x96)
        return size > 0;
    const unsigned char *at = datagram + 2;
    (void)unsigned_at(&at);
    uint64_t prev = unsigned_at(&at), seq = unsigned_at(&at), count = unsigned_at(&at);
    return prev < seq ? count : 0;
}

// Many datagrams by one call, as a broker's stream brings many messages.
static uint64_t
drain_udp(int receiver)
{
    static unsigned char heard[DRAINED][DATAGRAM];
    static struct iovec parts[DRAINED];
    static struct mmsghdr in[DRAINED];
    uint64_t sum = 0;
    for (int i = 0; i < DRAINED; i++) {
        parts[i] = (struct iovec){heard[i], DATAGRAM};
        in[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
    }
    int got = recvmmsg(receiver, in, DRAINED, MSG_DONTWAIT, NULL);
    for (int i = 0; i < got; i++)
        sum += updates_in(heard[i], in[i].msg_len);
    return sum; // what is left wakes us again
}

static uint64_t
drain_stream(int receiver)
{
    static unsigned char heard[BUFFER];
    uint64_t sum = 0;
    ssize_t got;
    while ((got = recv(receiver, heard, sizeof heard, MSG_DONTWAIT)) > 0)
        sum += kind->is_pub ? zmtp_read(&readers[receiver], heard, (size_t)got) : (uint64_t)got;
    if (got == 0)
        die("a subscriber was thrown out");
    return sum;
}

static uint64_t
drain(int receiver)
{
    return kind->is_udp ? drain_udp(receiver) : drain_stream(receiver);
}

static void
receive(int timeout_ms)
{
    struct epoll_event events[256];
    int count = epoll_wait(poller, events, 256, timeout_ms);
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += drain(events[i].data.fd);
    atomic_fetch_add(&delivered, sum);
}

static uint64_t
unit(void)
{
    return (uint64_t)receiver_count * (is_ours() ? 1 : delivered_size);
}

static int
compare(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

static void
run_paced(unsigned count, unsigned interval_us)
{
    static uint32_t times[TRIALS];
    unsigned lost = 0;
    for (unsigned i = 0; i < count && i < TRIALS; i++) {
        atomic_store(&delivered, 0);
        uint64_t begin_us = now_us(), took_us = 0;
        publish(i);
        while (atomic_load(&delivered) < unit() && (took_us = now_us() - begin_us) < LOST_AFTER_US)
            receive(1);
        times[i] = (uint32_t)(now_us() - begin_us);
        lost += atomic_load(&delivered) < unit();
        while (now_us() < begin_us + interval_us)
            receive(0);
    }
    qsort(times, count, sizeof times[0], compare);
    printf("%u %u %u\n", times[count / 2], times[count * 99 / 100], lost);
}

// Whether update `number` must wait. Of PUB's, those that were lost on their way in count as
// through.
static bool
is_early(uint64_t number, uint64_t begun_us)
{
    static uint64_t through, seen, since_us;
    if (kind->is_udp)
        return (double)number > (double)(now_us() - begun_us) * flood_rate / 1e6;
    uint64_t now = atomic_load(&delivered);
    if (number == 0 || now != seen) {
        through = number == 0 ? 0 : through;
        seen = now;
        since_us = now_us();
    }
    if (kind->is_pub && now_us() > since_us + STALLED_US) {
        through = number * unit() - now;
        since_us = now_us();
    }
    return number * unit() > now + through + WINDOW * unit();
}

static void *
flood(void *unused)
{
    (void)unused;
    uint64_t begun_us = now_us();
    for (uint64_t number = 0; !atomic_load(&ending);) {
        if (is_early(number, begun_us)) {
            nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
            continue;
        }
        for (int i = 0; i < BATCH; i++)
            publish(number++);
    }
    return NULL;
}

static void
run_flood(double seconds)
{
    pthread_t thread;
    atomic_store(&ending, false);
    atomic_store(&delivered, 0);
    uint64_t begin_us = now_us(), end_us = begin_us + (uint64_t)(seconds * 1e6);
    pthread_create(&thread, NULL, flood, NULL);
    while (now_us() < end_us)
        receive(10);
    uint64_t counted = atomic_load(&delivered), took_us = now_us() - begin_us;
    atomic_store(&ending, true);
    pthread_join(thread, NULL);
    for (uint64_t last = now_us(); now_us() < last + 300000;) // what is under way arrives
        receive(10);
    printf("%.1f\n", (double)counted / (double)unit() * 1e6 / (double)took_us);
}

static void
read_keys(const char *path)
{
    FILE *file = fopen(path, "r");
    while (file && key_count < KEYS && fscanf(file, "%31s", keys[key_count]) == 1)
        key_count++;
    if (!key_count)
        die(path);
    fclose(file);
}

int
main(int argc, char **argv)
{
    char line[128];
    unsigned count, interval_us;
    double seconds;
    for (size_t i = 0; argc >= 5 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kind = &kinds[i];
    if (!kind || argc != 5 + is_ours() + kind->is_pub)
        return 2;
    port = atoi(argv[2]);
    receiver_count = atoi(argv[3]);
    payload_size = (size_t)atoi(argv[4]);
    if (receiver_count < 1 || receiver_count > RECEIVERS || payload_size > PAYLOAD)
        return 2;
    if (is_ours())
        read_keys(argv[5]);
    if (kind->is_pub)
        pub_port = atoi(argv[6]);
    prepare_wire();
    open_receivers();
    publisher = is_ours() ? open_udp() : connect_broker(receiver_count, false);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "paced %u %u", &count, &interval_us) == 2)
            run_paced(count < TRIALS ? count : TRIALS, interval_us);
        else if (sscanf(line, "flood %lf %lf", &seconds, &flood_rate) == 2)
            run_flood(seconds);
        fflush(stdout);
    }
    return 0;
}
