// listen.c - `diorama listen`: registers a device to a scene and prints what the server sends it by
// UDP, in the plain or the packed form. One thread.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/datagram.h"
#include "tools/cli/device.h"
#include "tools/cli/json_value.h"
#include "tools/cli/latest.h"
#include "tools/cli/proof.h"
#include "tools/cli/stop.h"
#include "tools/cli/udp_socket.h"

enum {
    DATAGRAM_BYTES = LIMIT_DATAGRAM_BYTES,
    DRAIN_DATAGRAMS = 1000, // between two checks for signals and time
    SILENCE_MS = 5000,      // without a datagram at an address that is not proven
    REMAINING_MS = 1000,    // the longest time that the socket is emptied at the end
};

struct listen_values {
    const char *scene;
    const char *device;
    struct connection_values connection;
    const char *bind;
    const char *hostname;
    const char *latest;
    int64_t port;
    int64_t rate;
    int64_t count;
    double seconds;
    bool packed;
    bool sealed;
    bool quiet;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct listen_values, scene,    "scene",    "KEY",     NULL,        "Scene to register to; required, created if absent."),
    OPTION (struct listen_values, device,   "device",   "KEY",     "",          "Key of the device; empty = listen-<process id>."),
    CONNECTION_URL (struct listen_values, connection),
    CONNECTION_PROFILE (struct listen_values, connection),
    OPTION (struct listen_values, bind,     "bind",     "ADDRESS", "",          "Address of this machine to receive at; empty = the one that it has towards the server."),
    OPTION (struct listen_values, port,     "port",     "N",       "0",         "UDP port to receive at; 0 = any free one.", .maximum = 65535),
    OPTION (struct listen_values, hostname, "hostname", "NAME",    "",          "Name or address of this machine for the server; empty = where it receives."),
    OPTION (struct listen_values, packed,   "packed",   NULL,      "no",        "Ask for the packed form."),
    OPTION (struct listen_values, sealed,   "sealed",   NULL,      "no",        "Ask for the packed form, sealed; say HELLO and the like inside the seal."),
    OPTION (struct listen_values, rate,     "rate",     "HZ",      "60",        "Most datagrams per second of the packed form.", .minimum = 1, .maximum = 240),
    OPTION (struct listen_values, count,    "count",    "N",       "0",         "End after N datagrams; 0 = never.", .maximum = 1e15),
    OPTION (struct listen_values, seconds,  "for",      "SECONDS", "0",         "End after this time; 0 = never.", .maximum = 1e9),
    OPTION (struct listen_values, latest,   "latest",   "FILE",    "",          "Write the newest state of each object to this file at the end."),
    OPTION (struct listen_values, quiet,    "quiet",    NULL,      "no",        "Print no datagrams."),
};
// clang-format on

static const char more[] =
    "Standard error reports the registration and ends with\n"
    "listen: datagrams=N objects=N gaps=N lost=N back=N unreadable=N seconds=S\n"
    "A gap is a datagram whose prev is greater than the last seq received; lost is the number of\n"
    "events in between, at most, because the server may have coalesced some. A line is a change;\n"
    "with --packed it has the members that changed and epoch, seq and prev of its datagram, and\n"
    "missing changes are asked for again: they come late and count as back. If the server says\n"
    "udp=pending, listen proves that this socket receives, and again every 20 s.\n";

struct listen {
    const struct listen_values *values;
    const char *hostname;
    const char *device;
    int udp;
    uint16_t port;
    http_client_t *http;
    sequences_t *sequences;
    latest_t *latest;
    struct arena arena; // of the datagram at hand
    struct buffer members;
    struct buffer lines;
    struct proof proof;
    struct sealed_link link; // of --sealed
    uint64_t datagrams;
    uint64_t unreadable;
    uint64_t begun_us;
    uint64_t end_ms;  // UINT64_MAX without --for
    uint64_t hint_ms; // when people are told how to be reached; UINT64_MAX = never, or they were
    char address[UDP_SOCKET_ADDRESS_BYTES]; // to receive at
    char own_device[32];
    char *datagram; // DATAGRAM_BYTES
};

static void
listen_finish(struct listen *self)
{
    if (self->udp >= 0)
        close(self->udp);
    http_client_destroy(&self->http);
    sealed_link_finish(&self->link);
    sequences_destroy(&self->sequences);
    latest_destroy(&self->latest);
    arena_finish(&self->arena);
    buffer_finish(&self->members);
    buffer_finish(&self->lines);
    free(self->datagram);
}

// Whether the feed is packed: a sealed one is, too.
static bool
is_packed(const struct listen *self)
{
    return self->values->packed || self->values->sealed;
}

// Appends ,"hostname":H,"port":P, or the connection string that asks for the packed form.
static void
put_destination(struct listen *self)
{
    bool is_v6 = strchr(self->hostname, ':') != NULL;
    char packed[400];
    snprintf(packed, sizeof packed, "udp+%s://%s%s%s:%u?rate=%lld",
             self->values->sealed ? "sealed" : "msgpack", is_v6 ? "[" : "", self->hostname,
             is_v6 ? "]" : "", self->port, (long long)self->values->rate);
    if (is_packed(self)) {
        buffer_put_chars(&self->members, ",\"connection_string\":");
        json_value_put_chars(&self->members, packed);
        return;
    }
    buffer_put_chars(&self->members, ",\"hostname\":");
    json_value_put_chars(&self->members, self->hostname);
    buffer_put_format(&self->members, ",\"port\":%u", self->port);
}

static struct device_place
place_of(const struct listen *self)
{
    return (struct device_place){self->values->scene, self->device};
}

// Where to receive, and what the server is told to send to.
static fallible
choose_address(struct listen *self)
{
    const struct listen_values *values = self->values;
    if (values->bind[0] && strlen(values->bind) >= sizeof self->address)
        return fail(ERR_INVALID, "", "--bind: must be an address");
    if (values->bind[0])
        snprintf(self->address, sizeof self->address, "%s", values->bind);
    else
        TRY(connection_own_address(&values->connection, self->address));
    self->hostname = values->hostname[0] ? values->hostname : self->address;
    return OK;
}

// Where nothing arrives, the server cannot know why: it says what to pass.
static void
hint_at_address(struct listen *self)
{
    if (clock_left_ms(self->hint_ms) > 0)
        return;
    self->hint_ms = UINT64_MAX;
    if (self->datagrams == 0)
        fprintf(stderr,
                "listen: nothing came to %s port %u for %d s; if the server cannot reach this "
                "address, pass one that it can: --hostname=ADDRESS --bind=0.0.0.0 --port=PORT\n",
                self->hostname, self->port, SILENCE_MS / 1000);
}

static fallible
register_device(struct listen *self)
{
    const struct device_place place = place_of(self);
    const struct json *answer;
    put_destination(self);
    TRY(device_register(self->http, &place, &self->members, &answer));
    fprintf(stderr, "listen: device=%s scene=%s host=%s port=%u udp=%s\n", self->device,
            self->values->scene, self->hostname, self->port, device_feed_state(answer));
    if (strcmp(device_feed_state(answer), "pending") == 0)
        self->hint_ms = clock_deadline_ms(SILENCE_MS);
    if (!self->values->sealed)
        return proof_begin(&self->proof, self->udp, answer, NULL);
    TRY(sealed_link_begin(&self->link, answer));
    return proof_begin(&self->proof, self->udp, answer, &self->link);
}

static fallible
deregister_device(struct listen *self)
{
    const struct device_place place = place_of(self);
    return device_deregister(self->http, &place);
}

static void
note_place(struct listen *self, const struct place *place)
{
    uint64_t missing;
    enum step step = sequences_note(self->sequences, place, &missing);
    if (step != STEP_GAP)
        return;
    fprintf(stderr, "listen: gap scene=%s before_seq=%llu missing=%llu\n", place->scene,
            (unsigned long long)place->seq, (unsigned long long)missing);
    if (is_packed(self))
        proof_ask_again(&self->proof, place->prev - missing + 1, place->prev);
}

static fallible
read_datagram(struct listen *self, const void *data, size_t size, struct datagram *ret_datagram)
{
    arena_finish(&self->arena);
    arena_init(&self->arena);
    if (!is_packed(self))
        return datagram_read_plain(&self->arena, data, size, ret_datagram);
    return datagram_read_packed(&self->arena, self->values->scene, data, size, ret_datagram);
}

static void
take_datagram(struct listen *self, const void *data, size_t size)
{
    struct datagram datagram;
    if (proof_take(&self->proof, data, size)) {
        self->hint_ms = UINT64_MAX;
        return;
    }
    self->datagrams++;
    if (read_datagram(self, data, size, &datagram) != OK) {
        self->unreadable++;
        return;
    }
    note_place(self, &datagram.place);
    for (uint32_t i = 0; i < datagram.count; i++)
        latest_note(self->latest, &datagram.changes[i], datagram.place.seq);
    if (self->values->quiet)
        return;
    buffer_clear(&self->lines);
    datagram_put_lines(&self->lines, &datagram);
    fwrite(self->lines.data, 1, self->lines.size, stdout);
}

// Opens a datagram of --sealed. One that is not taken is unreadable; where it is of a session that
// is not known, the server may have been started again.
static void
open_datagram(struct listen *self, size_t size)
{
    const struct buffer *opened = sealed_link_open(&self->link, self->datagram, size);
    if (opened) {
        take_datagram(self, opened->data, opened->size);
        return;
    }
    self->datagrams++;
    self->unreadable++;
    if (self->link.is_strange)
        proof_begin_again(&self->proof, clock_now_ms());
}

static bool
is_complete(const struct listen *self)
{
    return self->values->count > 0 && self->datagrams >= (uint64_t)self->values->count;
}

// Reads the datagrams that wait in the socket; false if there were none.
static bool
drain(struct listen *self)
{
    bool any = false;
    for (int i = 0; i < DRAIN_DATAGRAMS && !is_complete(self); i++) {
        ssize_t size = recv(self->udp, self->datagram, DATAGRAM_BYTES, 0);
        if (size < 0)
            break;
        if (self->values->sealed)
            open_datagram(self, (size_t)size);
        else
            take_datagram(self, self->datagram, (size_t)size);
        any = true;
    }
    fflush(stdout);
    return any;
}

static void
listen_until_end(struct listen *self, int stop)
{
    struct pollfd items[] = {{.fd = self->udp, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
    while (!is_complete(self) && !ferror(stdout) && clock_left_ms(self->end_ms) > 0) {
        uint64_t now_ms = clock_now_ms();
        proof_turn(&self->proof, now_ms);
        uint64_t next_ms = self->hint_ms < self->end_ms ? self->hint_ms : self->end_ms;
        poll(items, 2, proof_timeout_ms(&self->proof, now_ms, clock_left_ms(next_ms)));
        drain(self);
        hint_at_address(self);
        if (items[1].revents)
            break;
    }
}

// Reads what the server sent before it stopped: all of that waits in the socket.
static void
take_remaining(struct listen *self)
{
    uint64_t deadline_ms = clock_deadline_ms(REMAINING_MS);
    while (drain(self) && clock_left_ms(deadline_ms) > 0)
        ;
}

static void
print_summary(const struct listen *self)
{
    struct sequence_totals totals = sequences_totals(self->sequences);
    fprintf(stderr,
            "listen: datagrams=%llu objects=%zu gaps=%llu lost=%llu back=%llu unreadable=%llu "
            "seconds=%.3f\n",
            (unsigned long long)self->datagrams, latest_count(self->latest),
            (unsigned long long)totals.gaps, (unsigned long long)totals.lost,
            (unsigned long long)totals.back, (unsigned long long)self->unreadable,
            (double)(clock_now_us() - self->begun_us) / 1e6);
}

static enum outcome
listen_registered(struct listen *self, int stop)
{
    listen_until_end(self, stop);
    enum error left = deregister_device(self);
    take_remaining(self);
    print_summary(self);
    enum outcome outcome = OUTCOME_DONE;
    if (left != OK)
        outcome = command_refused("listen", left);
    enum error written =
        self->values->latest[0] ? latest_write(self->latest, self->values->latest) : OK;
    if (written != OK)
        outcome = command_failed("listen", written, OUTCOME_FILE);
    return ferror(stdout) ? OUTCOME_FILE : outcome;
}

static enum outcome
listen_run(const void *untyped)
{
    const struct listen_values *values = untyped;
    int stop = stop_open();
    owned(listen_finish) struct listen self = {
        .values = values,
        .udp = -1,
        .sequences = sequences_create(),
        .latest = latest_create(),
        .datagram = memory_take(DATAGRAM_BYTES),
        .begun_us = clock_now_us(),
        .hint_ms = UINT64_MAX,
        .end_ms = values->seconds > 0 ? clock_deadline_ms((uint64_t)(values->seconds * 1000))
                                      : UINT64_MAX,
    };
    snprintf(self.own_device, sizeof self.own_device, "listen-%ld", (long)getpid());
    self.device = values->device[0] ? values->device : self.own_device;
    enum error error = connection_open(&values->connection, &self.http);
    if (error != OK)
        return connection_failed("listen", error);
    error = choose_address(&self);
    if (error == OK)
        error = udp_socket_bind(self.address, (uint16_t)values->port, &self.udp, &self.port);
    if (error != OK)
        return command_failed("listen", error, OUTCOME_USAGE);
    error = register_device(&self);
    if (error != OK)
        return command_refused("listen", error);
    return listen_registered(&self, stop);
}

const struct command listen_command = {
    .name = "listen",
    .about = "Register a device and print what it receives by UDP.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct listen_values),
    .run = listen_run,
};
