// watch.c - `diorama watch`: prints what the server publishes on ZeroMQ PUB, one line per event;
// with --snapshot it prints the state of scenes first. One thread.
#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/feed/event.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/joiner.h"
#include "tools/cli/json_value.h"
#include "tools/cli/pub_feed.h"
#include "tools/cli/sequences.h"
#include "tools/cli/stop.h"

enum {
    HEARTBEAT_MS = 3000, // of silence are reported; the server sends a heartbeat each second
    FIRST_CONNECTION_MS = 5000,
    DRAIN_MESSAGES = 1000, // between two checks for signals and time
};

struct watch_values {
    struct pub_feed_values feed;
    struct connection_values connection;
    struct option_texts scenes;
    int64_t count;
    double seconds;
    bool json;
    bool snapshot;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct watch_values, feed.endpoint,         "pub",              "ENDPOINT", "tcp://127.0.0.1:8763", "Endpoint where the server publishes."),
    OPTION (struct watch_values, feed.curve_key,        "curve-key",        "FILE", "",    "File of your keys, made by diorama keygen."),
    OPTION (struct watch_values, feed.curve_server_key, "curve-server-key", "FILE", "",    "File of the server's public key; only that server is accepted."),
    OPTION (struct watch_values, scenes,   "scene",    "KEY", "",   "Only this scene; may be given several times."),
    OPTION (struct watch_values, snapshot, "snapshot", NULL,  "no", "Print the state of each --scene first, read by HTTP, then all changes after it."),
    CONNECTION_URL (struct watch_values, connection),
    CONNECTION_PROFILE (struct watch_values, connection),
    OPTION (struct watch_values, json,    "json",  NULL,       "yes",                  "Print one JSON object per event."),
    OPTION (struct watch_values, count,   "count", "N",        "0",                    "End after N events; 0 = never.", .maximum = 1e15),
    OPTION (struct watch_values, seconds, "for",   "SECONDS",  "0",                    "End after this time; 0 = never.", .maximum = 1e9),
};
// clang-format on

static const char more[] =
    "A line is {\"topic\":…,\"epoch\":…,\"seq\":…,\"time_us\":…,\"scene\":…,\"msg_type\":…,\n"
    "\"record\":{…}}; with --no-json: scene, seq, msg_type, key. With --snapshot a state is\n"
    "{\"topic\":\"snapshot\",\"scene\":…,\"epoch\":…,\"seq\":…,\"objects\":[…],\"properties\":[…]}."
    "\n"
    "After missed events the state is printed again in their place. Standard error reports the\n"
    "connection, gaps in (epoch, seq) of a scene and 3 s without heartbeat, and ends with\n"
    "watch: events=N scenes=N gaps=N lost=N back=N unreadable=N seconds=S\n";

struct watch {
    const struct watch_values *values;
    struct pub_feed feed;
    http_client_t *http; // this and the next are NULL without --snapshot
    joiner_t *joiner;
    unsigned beats_left; // heartbeats until the state is read; 0 = it was
    enum error error;    // why the state could not be read
    sequences_t *sequences;
    struct arena arena; // of the event at hand
    struct buffer line;
    uint64_t events;
    uint64_t unreadable;
    uint64_t begun_us;
    uint64_t beat_ms; // when the last heartbeat came, or the start
    uint64_t end_ms;  // UINT64_MAX without --for
    bool greeted;
    bool silent; // the missing heartbeat was reported
};

// One event, read from its three frames.
struct pub_event {
    const char *topic;
    const char *scene;
    uint64_t epoch;
    uint64_t seq;
    uint64_t time_us;
    uint64_t msg_type;
    const struct json *record;
};

static void
watch_finish(struct watch *self)
{
    pub_feed_finish(&self->feed);
    joiner_destroy(&self->joiner);
    http_client_destroy(&self->http);
    sequences_destroy(&self->sequences);
    arena_finish(&self->arena);
    buffer_finish(&self->line);
}

static fallible
watch_open(struct watch *self)
{
    const struct watch_values *values = self->values;
    if (values->snapshot && values->scenes.count == 0)
        return fail(ERR_INVALID, "", "--snapshot needs --scene");
    TRY(pub_feed_open(&values->feed, &values->scenes, &self->feed));
    if (!values->snapshot)
        return OK;
    TRY(connection_open(&values->connection, &self->http));
    self->joiner = joiner_create(self->http, &values->scenes);
    self->beats_left = 1;
    return OK;
}

static fallible
read_map(struct watch *self, zframe_t *frame, const struct json **ret_map)
{
    if (!frame)
        return fail(ERR_MALFORMED, "", "an event has three frames");
    return msgpack_to_json(&self->arena, zframe_data(frame), zframe_size(frame), ret_map);
}

static fallible
read_event(struct watch *self, zmsg_t *message, struct pub_event *ret_event)
{
    const struct json *header;
    zframe_t *topic = zmsg_first(message);
    TRY(read_map(self, zmsg_next(message), &header));
    TRY(read_map(self, zmsg_next(message), &ret_event->record));
    const struct text *name =
        text_new(&self->arena, (const char *)zframe_data(topic), zframe_size(topic));
    ret_event->topic = text_chars(name);
    ret_event->scene = json_value_chars(header, "scene", "");
    ret_event->epoch = json_value_unsigned(header, "epoch", 0);
    ret_event->seq = json_value_unsigned(header, "seq", 0);
    ret_event->time_us = json_value_unsigned(header, "time_us", 0);
    ret_event->msg_type = json_value_unsigned(header, "type", 0);
    if (ret_event->seq == 0)
        return fail(ERR_MALFORMED, "", "an event without seq");
    return OK;
}

static void
put_json(struct buffer *line, const struct pub_event *event)
{
    buffer_put_chars(line, "{\"topic\":");
    json_value_put_chars(line, event->topic);
    buffer_put_format(line, ",\"epoch\":%llu,\"seq\":%llu,\"time_us\":%llu,\"scene\":",
                      (unsigned long long)event->epoch, (unsigned long long)event->seq,
                      (unsigned long long)event->time_us);
    json_value_put_chars(line, event->scene);
    buffer_put_format(line, ",\"msg_type\":%llu,\"record\":", (unsigned long long)event->msg_type);
    json_value_put(line, event->record);
    buffer_put_chars(line, "}\n");
}

static void
put_short(struct buffer *line, const struct pub_event *event)
{
    buffer_put_format(line, "%s %llu %llu %s\n", event->scene, (unsigned long long)event->seq,
                      (unsigned long long)event->msg_type,
                      json_value_chars(event->record, "key", "-"));
}

static void
note_place(struct watch *self, const struct pub_event *event)
{
    const struct place place = {event->scene, event->epoch, event->seq - 1, event->seq};
    uint64_t missing;
    enum step step = sequences_note(self->sequences, &place, &missing);
    if (step == STEP_GAP)
        fprintf(stderr, "watch: gap scene=%s epoch=%llu before_seq=%llu missing=%llu\n",
                event->scene, (unsigned long long)event->epoch, (unsigned long long)event->seq,
                (unsigned long long)missing);
    if (step == STEP_BACK)
        fprintf(stderr, "watch: back scene=%s epoch=%llu seq=%llu\n", event->scene,
                (unsigned long long)event->epoch, (unsigned long long)event->seq);
    if (event->msg_type == EVENT_SCENE_DELETED)
        sequences_forget(self->sequences, event->scene);
}

// Prints the state of the scene, or of all if it is NULL. The counting of events starts again
// there.
static void
print_state(struct watch *self, const char *scene)
{
    buffer_clear(&self->line);
    self->error = joiner_read(self->joiner, scene, !self->values->json, &self->line);
    fwrite(self->line.data, 1, self->line.size, stdout);
    for (size_t i = 0; i < self->values->scenes.count; i++)
        if (!scene || strcmp(scene, self->values->scenes.items[i]) == 0)
            sequences_forget(self->sequences, self->values->scenes.items[i]);
}

// Whether the event must be printed. Prints the state of its scene first if events are missing.
static bool
is_printed(struct watch *self, const struct pub_event *event)
{
    if (!self->joiner)
        return true;
    enum joining joining =
        joiner_note(self->joiner, event->scene, event->epoch, event->seq, event->msg_type);
    if (joining == JOINING_BEHIND) {
        fprintf(stderr, "watch: behind scene=%s epoch=%llu seq=%llu\n", event->scene,
                (unsigned long long)event->epoch, (unsigned long long)event->seq);
        print_state(self, event->scene);
        joining =
            joiner_note(self->joiner, event->scene, event->epoch, event->seq, event->msg_type);
    }
    return joining == JOINING_NEXT;
}

static void
take_event(struct watch *self, zmsg_t *message)
{
    struct pub_event event;
    arena_finish(&self->arena);
    arena_init(&self->arena);
    if (read_event(self, message, &event) != OK) {
        self->unreadable++;
        fprintf(stderr, "watch: unreadable event: %s\n", fault_last()->detail);
        return;
    }
    if (!is_printed(self, &event))
        return;
    note_place(self, &event);
    buffer_clear(&self->line);
    (self->values->json ? put_json : put_short)(&self->line, &event);
    fwrite(self->line.data, 1, self->line.size, stdout);
    self->events++;
}

static void
take_beat(struct watch *self)
{
    self->beat_ms = clock_now_ms();
    if (self->silent)
        fputs("watch: heartbeats are back\n", stderr);
    self->silent = false;
    if (self->beats_left && --self->beats_left == 0)
        print_state(self, NULL);
}

static void
take_message(struct watch *self, zmsg_t *message)
{
    if (!self->greeted)
        fprintf(stderr, "watch: connected to %s\n", self->values->feed.endpoint);
    self->greeted = true;
    if (zframe_streq(zmsg_first(message), "hb"))
        take_beat(self);
    else
        take_event(self, message);
}

static bool
is_complete(const struct watch *self)
{
    return self->error != OK ||
           (self->values->count > 0 && self->events >= (uint64_t)self->values->count);
}

static void
drain(struct watch *self)
{
    if (pub_feed_is_renewed(&self->feed) && self->joiner)
        self->beats_left = 2;
    for (int i = 0; i < DRAIN_MESSAGES && !is_complete(self); i++) {
        owned(zmsg_destroy) zmsg_t *message = zmsg_recv(self->feed.socket);
        if (!message)
            break;
        take_message(self, message);
    }
    fflush(stdout);
}

static void
note_silence(struct watch *self)
{
    if (self->silent || clock_left_ms(self->beat_ms + HEARTBEAT_MS) > 0)
        return;
    fputs("watch: no heartbeat for 3 s\n", stderr);
    self->silent = true;
}

// Until a connection was made once: later ones may come and go.
static uint64_t
connection_deadline_ms(const struct watch *self)
{
    return self->begun_us / 1000 + FIRST_CONNECTION_MS;
}

static void
note_dead_address(struct watch *self)
{
    if (pub_feed_is_dead(&self->feed, connection_deadline_ms(self)) && self->error == OK)
        self->error = fail(ERR_UNAVAILABLE, "",
                           "%s: nobody publishes there; --pub names the server's pub.endpoint",
                           self->values->feed.endpoint);
}

static int
wait_ms(const struct watch *self)
{
    int end = clock_left_ms(self->end_ms);
    int first = clock_left_ms(connection_deadline_ms(self));
    if (self->feed.monitor && self->feed.connections == 0)
        end = end < first ? end : first;
    int beat = self->silent ? INT32_MAX : clock_left_ms(self->beat_ms + HEARTBEAT_MS);
    return end < beat ? end : beat;
}

static void
watch_until_end(struct watch *self, int stop)
{
    zmq_pollitem_t items[] = {{.socket = zsock_resolve(self->feed.socket), .events = ZMQ_POLLIN},
                              {.fd = stop, .events = ZMQ_POLLIN},
                              {.socket = self->feed.monitor, .events = ZMQ_POLLIN}};
    while (!is_complete(self) && !ferror(stdout) && clock_left_ms(self->end_ms) > 0) {
        zmq_poll(items, self->feed.monitor ? 3 : 2, wait_ms(self));
        drain(self);
        note_dead_address(self);
        note_silence(self);
        if (items[1].revents)
            break;
    }
}

static void
print_summary(const struct watch *self)
{
    struct sequence_totals totals = sequences_totals(self->sequences);
    fprintf(stderr,
            "watch: events=%llu scenes=%llu gaps=%llu lost=%llu back=%llu unreadable=%llu "
            "seconds=%.3f\n",
            (unsigned long long)self->events, (unsigned long long)totals.scenes,
            (unsigned long long)totals.gaps, (unsigned long long)totals.lost,
            (unsigned long long)totals.back, (unsigned long long)self->unreadable,
            (double)(clock_now_us() - self->begun_us) / 1e6);
}

static enum outcome
watch_run(const void *untyped)
{
    const struct watch_values *values = untyped;
    int stop = stop_open();
    zsys_handler_set(NULL); // otherwise czmq takes the signals
    owned(watch_finish) struct watch self = {
        .values = values,
        .sequences = sequences_create(),
        .begun_us = clock_now_us(),
        .beat_ms = clock_now_ms(),
        .end_ms = values->seconds > 0 ? clock_deadline_ms((uint64_t)(values->seconds * 1000))
                                      : UINT64_MAX};
    enum error error = watch_open(&self);
    if (error != OK)
        return command_failed("watch", error, OUTCOME_USAGE);
    watch_until_end(&self, stop);
    if (self.error != OK)
        return command_refused("watch", self.error);
    print_summary(&self);
    return ferror(stdout) ? OUTCOME_FILE : OUTCOME_DONE;
}

const struct command watch_command = {
    .name = "watch",
    .about = "Print the events that a server publishes.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct watch_values),
    .run = watch_run,
};
