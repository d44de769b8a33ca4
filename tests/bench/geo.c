// geo.c - the load of row P9: searches by distance, the same points and the same generator for all
// sides. Each connection has one request under way; answers are read to their end, not looked at.
// Usage: geo http|redis|records PORT RADIUS_KM CONNECTIONS SECONDS    < lines of "latitude
// longitude" Redis answers keys and distances; as `records`, what is stored under each key too.
// Prints searches a second and the mean number of places found.

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_POINTS = 10000, MOST_LINKS = 256, REQUEST_BYTES = 768, AT_MOST = 1000 };

// A search that answers the records too: record, distance, record, distance …
static const char with_records[] =
    "local found, keys, out = redis.call('GEOSEARCH', KEYS[1], 'FROMLONLAT', ARGV[1], ARGV[2], "
    "'BYRADIUS', ARGV[3], 'km', 'ASC', 'COUNT', ARGV[4], 'WITHDIST'), {}, {} "
    "for i, one in ipairs(found) do keys[i] = one[1] end "
    "if #keys == 0 then return out end "
    "for i, record in ipairs(redis.call('MGET', unpack(keys))) do "
    "out[2 * i - 1] = record out[2 * i] = found[i][2] end return out";

struct request {
    char text[REQUEST_BYTES];
    size_t size;
};

struct link {
    int socket;
    redisReader *reader; // of Redis
    char head[4096];     // of the answer under way, as far as it fits
    size_t head_size;
    size_t received; // bytes of that answer
    size_t expected; // 0 = not known yet (HTTP)
};

static struct request requests[MOST_POINTS];
static size_t request_count, next_request;
static unsigned long answers, places;
static bool is_redis, is_of_records;

static void
give_up(const char *why, const char *what)
{
    fprintf(stderr, "geo: %s %.300s\n", why, what);
    exit(1);
}

static double
now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
make_http(struct request *self, double latitude, double longitude, const char *radius)
{
    char body[256];
    int size = snprintf(body, sizeof body,
                        "{\"num_records\":%d,\"scenes\":[{\"latitude\":%.6f,\"longitude\":%.6f,"
                        "\"distance\":%s}]}",
                        AT_MOST, latitude, longitude, radius);
    self->size = (size_t)snprintf(self->text, sizeof self->text,
                                  "POST /v1/scene/query HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                  "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                                  size, body);
}

static void
make_redis(struct request *self, double latitude, double longitude, const char *radius)
{
    char *text;
    self->size =
        (size_t)(is_of_records
                     ? redisFormatCommand(&text, "EVAL %s 1 scenes %f %f %s %d", with_records,
                                          longitude, latitude, radius, AT_MOST)
                     : redisFormatCommand(
                           &text,
                           "GEOSEARCH scenes FROMLONLAT %f %f BYRADIUS %s km ASC COUNT %d WITHDIST",
                           longitude, latitude, radius, AT_MOST));
    memcpy(self->text, text, self->size);
    redisFreeCommand(text);
}

static void
link_open(struct link *self, const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(port)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    self->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(self->socket, (struct sockaddr *)&to, sizeof to) != 0)
        give_up("cannot connect to", port);
    self->reader = redisReaderCreate();
    self->reader->fn = NULL; // counts what it reads, makes nothing of it
}

static void
link_ask(struct link *self)
{
    const struct request *request = &requests[next_request++ % request_count];
    self->head_size = self->received = self->expected = 0;
    if (write(self->socket, request->text, request->size) != (ssize_t)request->size)
        give_up("cannot send", request->text);
}

// What stands behind `name` at the beginning of the answer.
static unsigned long
number_after(const struct link *self, const char *name)
{
    const char *found = strstr(self->head, name);
    return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}

static bool
http_is_through(struct link *self)
{
    const char *end = strstr(self->head, "\r\n\r\n");
    if (!self->expected && end) {
        if (strncmp(self->head, "HTTP/1.1 200", 12) != 0)
            give_up("refused:", self->head);
        self->expected = (size_t)(end - self->head) + 4 + number_after(self, "Content-Length: ");
    }
    return self->expected && self->received >= self->expected;
}

static bool
redis_is_through(struct link *self, const char *data, size_t size)
{
    void *reply = NULL;
    if (self->head[0] == '-' || redisReaderFeed(self->reader, data, size) != REDIS_OK ||
        redisReaderGetReply(self->reader, &reply) != REDIS_OK)
        give_up("refused:", self->head);
    return reply != NULL;
}

static void
link_hear(struct link *self)
{
    static char data[1 << 18];
    ssize_t got = read(self->socket, data, sizeof data);
    if (got <= 0)
        give_up("the connection ended after", self->head);
    size_t size = (size_t)got, room = sizeof self->head - 1 - self->head_size;
    size_t kept = size < room ? size : room;
    memcpy(self->head + self->head_size, data, kept);
    self->head_size += kept;
    self->head[self->head_size] = '\0';
    self->received += size;
    if (!(is_redis ? redis_is_through(self, data, size) : http_is_through(self)))
        return;
    answers++;
    places += number_after(self, is_redis ? "*" : "\"num_records\":") / (is_of_records ? 2 : 1);
    link_ask(self);
}

int
main(int argc, char **argv)
{
    static struct link links[MOST_LINKS];
    static struct pollfd waits[MOST_LINKS];
    double latitude, longitude;
    if (argc != 6)
        return 2;
    is_of_records = strcmp(argv[1], "records") == 0;
    is_redis = is_of_records || strcmp(argv[1], "redis") == 0;
    while (request_count < MOST_POINTS && scanf("%lf %lf", &latitude, &longitude) == 2)
        (is_redis ? make_redis : make_http)(&requests[request_count++], latitude, longitude,
                                            argv[3]);
    nfds_t count = (nfds_t)atoi(argv[4]);
    if (request_count == 0 || count > MOST_LINKS)
        return 2;
    double begin = now_s(), end = begin + atof(argv[5]);
    for (nfds_t i = 0; i < count; i++) {
        link_open(&links[i], argv[2]);
        waits[i] = (struct pollfd){.fd = links[i].socket, .events = POLLIN};
        link_ask(&links[i]);
    }
    while (now_s() < end) {
        poll(waits, count, 1000);
        for (nfds_t i = 0; i < count; i++)
            if (waits[i].revents)
                link_hear(&links[i]);
    }
    printf("%.1f %.1f %lu\n", (double)answers / (now_s() - begin),
           (double)places / (double)(answers ? answers : 1), answers);
    return 0;
}
