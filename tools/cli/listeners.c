// listeners.c - sockets, their registrations, and threads with an epoll each.
#include "tools/cli/listeners.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"
#include "tools/cli/udp_socket.h"

enum {
    BATCH_DEVICES = 200,  // of one registration
    BATCH_DATAGRAMS = 16, // of one system call
    LOOK_MS = 20,         // between two checks for the end
    SPARE_DESCRIPTORS = 64,
    TOKEN_BYTES = 256,
};

struct device {
    struct listener listener;
    int udp;
    uint16_t port;
};

struct reader {
    listeners_t *listeners;
    pthread_t thread;
    int events;
    struct arrivals arrivals;
    char (*datagrams)[LIMIT_DATAGRAM_BYTES]; // BATCH_DATAGRAMS
};

struct listeners {
    struct listeners_values values;
    struct device *devices;
    uint32_t bound; // devices that have a socket
    struct reader *readers;
    uint32_t started; // readers
    uint32_t objects;
    atomic_bool stops;
    struct buffer path;
    struct buffer body;
    char token[TOKEN_BYTES];
};

// --- registering ---

static void
allow_descriptors(uint32_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count)
        return;
    limit.rlim_cur = limit.rlim_max < count ? limit.rlim_max : count;
    (void)setrlimit(RLIMIT_NOFILE, &limit); // if that fails, socket() reports it
}

// Lets the system stamp datagrams with their arrival, so that they can be read later.
static fallible
bind_sockets(listeners_t *self)
{
    int yes = 1;
    allow_descriptors(self->values.devices + SPARE_DESCRIPTORS);
    for (; self->bound < self->values.devices; self->bound++) {
        struct device *device = &self->devices[self->bound];
        TRY(udp_socket_bind(self->values.bind, 0, &device->udp, &device->port));
        if (setsockopt(device->udp, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) < 0)
            return fail(ERR_UNAVAILABLE, "", "SO_TIMESTAMPNS: %s", strerror(errno));
    }
    return OK;
}

static void
put_device(listeners_t *self, uint32_t index)
{
    const struct listeners_values *values = &self->values;
    bool is_v6 = strchr(values->bind, ':') != NULL;
    unsigned port = self->devices[index].port;
    buffer_put_format(&self->body, "{\"key\":\"bench-%u\",", index);
    if (values->rate_hz)
        buffer_put_format(&self->body,
                          "\"connection_string\":\"udp+msgpack://%s%s%s:%u?rate=%u%s\"}",
                          is_v6 ? "[" : "", values->bind, is_v6 ? "]" : "", port, values->rate_hz,
                          values->is_indexed ? "&keys=index" : "");
    else
        buffer_put_format(&self->body, "\"hostname\":\"%s\",\"port\":%u}", values->bind, port);
}

// Registers the devices from `begin` to before `end`.
static fallible
register_some(listeners_t *self, uint32_t begin, uint32_t end)
{
    const struct json *answer;
    buffer_clear(&self->body);
    buffer_put_chars(&self->body, "{\"scenes\":[{\"key\":");
    json_value_put_chars(&self->body, self->values.scene);
    buffer_put_chars(&self->body, ",\"devices\":[");
    for (uint32_t i = begin; i < end; i++) {
        if (i > begin)
            buffer_put_char(&self->body, ',');
        put_device(self, i);
    }
    buffer_put_chars(&self->body, "]}]}");
    request_scene_path(&self->path, self->values.scene, "register", NULL);
    TRY(http_client_call(self->values.http, "POST", &self->path, &self->body, &answer));
    const struct json *udp = answer ? json_find(answer, "udp") : NULL;
    const char *state = json_value_chars(udp, "state", "");
    if (strcmp(state, "active") != 0)
        return fail(ERR_CONFLICT, "", "the server does not send to %s: udp is %s",
                    self->values.bind, *state ? state : "missing");
    if (begin == 0)
        snprintf(self->token, sizeof self->token, "%s", json_value_chars(udp, "token", ""));
    return OK;
}

static fallible
register_all(listeners_t *self)
{
    for (uint32_t begin = 0; begin < self->values.devices; begin += BATCH_DEVICES) {
        uint32_t end = begin + BATCH_DEVICES;
        TRY(register_some(self, begin, end < self->values.devices ? end : self->values.devices));
    }
    return OK;
}

fallible
listeners_create(const struct listeners_values *values, listeners_t **ret_listeners)
{
    listeners_t *self = memory_take_zeroed(sizeof *self);
    self->values = *values;
    self->devices = memory_take_zeroed(values->devices * sizeof *self->devices);
    enum error error = bind_sockets(self);
    if (error == OK)
        error = register_all(self);
    if (error == OK)
        *ret_listeners = self;
    else
        listeners_destroy(&self);
    return error;
}

const char *
listeners_token(const listeners_t *self)
{
    return self->token;
}

// --- reading ---

// When the datagram arrived according to the system, else now.
static uint64_t
arrival_us(struct msghdr *header)
{
    struct timespec came;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&came, CMSG_DATA(part), sizeof came);
            return (uint64_t)came.tv_sec * 1000000 + (uint64_t)came.tv_nsec / 1000;
        }
    return clock_calendar_us();
}

// Reads at most one batch from the socket; epoll reports the rest again.
static void
read_device(struct reader *self, struct device *device)
{
    struct mmsghdr messages[BATCH_DATAGRAMS] = {0};
    struct iovec rooms[BATCH_DATAGRAMS];
    char controls[BATCH_DATAGRAMS][CMSG_SPACE(sizeof(struct timespec))];
    for (int i = 0; i < BATCH_DATAGRAMS; i++) {
        rooms[i] = (struct iovec){self->datagrams[i], LIMIT_DATAGRAM_BYTES};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &rooms[i],
                                              .msg_iovlen = 1,
                                              .msg_control = controls[i],
                                              .msg_controllen = sizeof controls[i]};
    }
    int count = recvmmsg(device->udp, messages, BATCH_DATAGRAMS, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++)
        arrivals_take(&self->arrivals, &device->listener, self->datagrams[i], messages[i].msg_len,
                      arrival_us(&messages[i].msg_hdr));
}

static void *
read_until_stopped(void *untyped)
{
    struct reader *self = untyped;
    struct epoll_event ready[64];
    while (!atomic_load(&self->listeners->stops)) {
        int count = epoll_wait(self->events, ready, sizeof ready / sizeof ready[0], LOOK_MS);
        for (int i = 0; i < count; i++)
            read_device(self, ready[i].data.ptr);
    }
    return NULL;
}

static void
reader_start(listeners_t *listeners, struct reader *self, const roster_t *roster)
{
    self->listeners = listeners;
    self->events = epoll_create1(EPOLL_CLOEXEC);
    self->datagrams = memory_take(BATCH_DATAGRAMS * sizeof *self->datagrams);
    self->arrivals.roster = roster;
    self->arrivals.packed = listeners->values.rate_hz > 0;
    for (uint32_t i = (uint32_t)(self - listeners->readers); i < listeners->values.devices;
         i += listeners->values.threads) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listeners->devices[i]};
        epoll_ctl(self->events, EPOLL_CTL_ADD, listeners->devices[i].udp, &event);
    }
    if (pthread_create(&self->thread, NULL, read_until_stopped, self) != 0)
        abort(); // as memory_take does
    listeners->started++;
}

void
listeners_start(listeners_t *self, const roster_t *roster)
{
    self->objects = roster_objects(roster);
    for (uint32_t i = 0; i < self->values.devices; i++)
        listener_init(&self->devices[i].listener, self->objects);
    self->readers = memory_take_zeroed(self->values.threads * sizeof *self->readers);
    for (uint32_t i = 0; i < self->values.threads; i++)
        reader_start(self, &self->readers[i], roster);
}

uint64_t
listeners_behind(const listeners_t *self, const uint64_t *stamps_us)
{
    uint64_t behind = 0;
    for (uint32_t i = 0; i < self->values.devices; i++)
        for (uint32_t object = 0; object < self->objects; object++)
            behind += atomic_load_explicit(&self->devices[i].listener.newest_us[object],
                                           memory_order_relaxed) < stamps_us[object];
    return behind;
}

// --- the end ---

static void
join(listeners_t *self)
{
    atomic_store(&self->stops, true);
    for (; self->started > 0; self->started--)
        pthread_join(self->readers[self->started - 1].thread, NULL);
}

void
listeners_stop(listeners_t *self, struct arrivals *ret_arrivals, struct sequence_totals *ret_totals)
{
    join(self);
    for (uint32_t i = 0; i < self->values.threads; i++) {
        const struct arrivals *arrivals = &self->readers[i].arrivals;
        ret_arrivals->datagrams += arrivals->datagrams;
        ret_arrivals->bytes += arrivals->bytes;
        ret_arrivals->changes += arrivals->changes;
        ret_arrivals->news += arrivals->news;
        ret_arrivals->unreadable += arrivals->unreadable;
        latency_add(&ret_arrivals->latency, &arrivals->latency);
    }
    for (uint32_t i = 0; i < self->values.devices; i++) {
        struct sequence_totals totals = sequences_totals(self->devices[i].listener.sequences);
        ret_totals->gaps += totals.gaps;
        ret_totals->lost += totals.lost;
        ret_totals->back += totals.back;
    }
}

static void
readers_finish(listeners_t *self)
{
    for (uint32_t i = 0; self->readers && i < self->values.threads; i++) {
        close(self->readers[i].events);
        free(self->readers[i].datagrams);
        arrivals_finish(&self->readers[i].arrivals);
    }
    free(self->readers);
}

void
listeners_destroy(listeners_t **self)
{
    listeners_t *listeners = *self;
    if (!listeners)
        return;
    join(listeners);
    readers_finish(listeners);
    for (uint32_t i = 0; i < listeners->bound; i++)
        close(listeners->devices[i].udp);
    for (uint32_t i = 0; listeners->objects && i < listeners->values.devices; i++)
        listener_finish(&listeners->devices[i].listener);
    free(listeners->devices);
    buffer_finish(&listeners->path);
    buffer_finish(&listeners->body);
    free(listeners);
    *self = NULL;
}
