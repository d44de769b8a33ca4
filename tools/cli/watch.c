// watch.c - `diorama watch`: what the server publishes on ZeroMQ PUB, one line an event
// (live-feed, "ZeroMQ PUB"). One thread.
#include <czmq.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/curve.h"
#include "proto/event.h"
#include "proto/record_msgpack.h"
#include "tools/cli/command.h"
#include "tools/cli/json_value.h"
#include "tools/cli/percent.h"
#include "tools/cli/sequences.h"
#include "tools/cli/stop.h"

enum {
    HEARTBEAT_MS = 3000, // silence that is worth a note; the server beats each second
    QUEUE_MESSAGES = 100000,
    DRAIN_MESSAGES = 1000, // between two looks at signals and time
};

struct watch_values {
    const char *pub;
    const char *curve_key;
    const char *curve_server_key;
    struct option_texts scenes;
    int64_t count;
    double seconds;
    bool json;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct watch_values, pub,     "pub",   "ENDPOINT", "tcp://127.0.0.1:8763", "Where the server publishes."),
    OPTION (struct watch_values, curve_key,        "curve-key",        "FILE", "",        "Our keys, as diorama keygen made them."),
    OPTION (struct watch_values, curve_server_key, "curve-server-key", "FILE", "",        "The server's public key; it then must be that server."),
    OPTION (struct watch_values, scenes,  "scene", "KEY",      "",                     "Only this scene; may be given several times."),
    OPTION (struct watch_values, json,    "json",  NULL,       "yes",                  "A JSON object an event."),
    OPTION (struct watch_values, count,   "count", "N",        "0",                    "Ends after N events; 0 = never.", .maximum = 1e15),
    OPTION (struct watch_values, seconds, "for",   "SECONDS",  "0",                    "Ends after this time; 0 = never.", .maximum = 1e9),
};
// clang-format on

static const char more[] =
    "A line is {\"topic\":…,\"epoch\":…,\"seq\":…,\"time_us\":…,\"scene\":…,\"msg_type\":…,\n"
    "\"record\":{…}}; with --no-json: scene, seq, msg_type, key. Standard error says when the "
    "feed\n"
    "is there, tells holes in (epoch, seq) of a scene and 3 s without heartbeat, and ends with\n"
    "watch: events=N scenes=N gaps=N lost=N back=N unreadable=N seconds=S\n";

struct watch {
    const struct watch_values *values;
    zsock_t *feed;
    sequences_t *sequences;
    struct arena arena; // of the event at hand
    struct buffer line;
    uint64_t events;
    uint64_t unreadable;
    uint64_t begun_us;
    uint64_t beat_ms; // when the last heartbeat came, or the start
    uint64_t end_ms;  // UINT64_MAX without --for
    bool greeted;
    bool silent; // the missing heartbeat was noted
};

// The three frames of one event, read.
struct news {
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
    zsock_destroy(&self->feed);
    sequences_destroy(&self->sequences);
    arena_finish(&self->arena);
    buffer_finish(&self->line);
}

// The heartbeat last: where one is heard, what was asked for before it is heard too.
static void
subscribe(struct watch *self)
{
    const struct option_texts *scenes = &self->values->scenes;
    if (scenes->count == 0)
        zsock_set_subscribe(self->feed, "scene.");
    for (size_t i = 0; i < scenes->count; i++) {
        buffer_clear(&self->line);
        buffer_put_chars(&self->line, "scene.");
        percent_put_word(&self->line, scenes->items[i]);
        buffer_put(&self->line, ".", sizeof "."); // with its NUL
        zsock_set_subscribe(self->feed, self->line.data);
    }
    zsock_set_subscribe(self->feed, "hb");
}

// Keys of CURVE. Without our own the server's key alone is of no use, and the other way round.
static fallible
unlock(zsock_t *feed, const struct watch_values *values)
{
    struct curve_keys ours, server;
    if (!*values->curve_key && !*values->curve_server_key)
        return OK;
    if (!*values->curve_key || !*values->curve_server_key)
        return fail(ERR_INVALID, "", "--curve-key and --curve-server-key are only useful together");
    TRY(curve_keys_read_secret(values->curve_key, &ours));
    TRY(curve_keys_read(values->curve_server_key, &server));
    zsock_set_curve_publickey(feed, ours.open);
    zsock_set_curve_secretkey(feed, ours.secret);
    zsock_set_curve_serverkey(feed, server.open);
    return OK;
}

static fallible
watch_open(struct watch *self)
{
    self->feed = zsock_new(ZMQ_SUB);
    TRY(unlock(self->feed, self->values));
    zsock_set_rcvhwm(self->feed, QUEUE_MESSAGES);
    zsock_set_rcvtimeo(self->feed, 0);
    zsock_set_linger(self->feed, 0);
    if (zsock_connect(self->feed, "%s", self->values->pub) < 0)
        return fail(ERR_INVALID, "", "--pub: %s is no endpoint", self->values->pub);
    subscribe(self); // in this order, as ZeroMQ sorts what is asked for before it connects
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
read_news(struct watch *self, zmsg_t *message, struct news *ret_news)
{
    const struct json *header;
    zframe_t *topic = zmsg_first(message);
    TRY(read_map(self, zmsg_next(message), &header));
    TRY(read_map(self, zmsg_next(message), &ret_news->record));
    const struct text *name =
        text_new(&self->arena, (const char *)zframe_data(topic), zframe_size(topic));
    ret_news->topic = text_chars(name);
    ret_news->scene = json_value_chars(header, "scene", "");
    ret_news->epoch = json_value_unsigned(header, "epoch", 0);
    ret_news->seq = json_value_unsigned(header, "seq", 0);
    ret_news->time_us = json_value_unsigned(header, "time_us", 0);
    ret_news->msg_type = json_value_unsigned(header, "type", 0);
    if (ret_news->seq == 0)
        return fail(ERR_MALFORMED, "", "an event without seq");
    return OK;
}

static void
put_json(struct buffer *line, const struct news *news)
{
    buffer_put_chars(line, "{\"topic\":");
    json_value_put_chars(line, news->topic);
    buffer_put_format(line, ",\"epoch\":%llu,\"seq\":%llu,\"time_us\":%llu,\"scene\":",
                      (unsigned long long)news->epoch, (unsigned long long)news->seq,
                      (unsigned long long)news->time_us);
    json_value_put_chars(line, news->scene);
    buffer_put_format(line, ",\"msg_type\":%llu,\"record\":", (unsigned long long)news->msg_type);
    json_value_put(line, news->record);
    buffer_put_chars(line, "}\n");
}

static void
put_short(struct buffer *line, const struct news *news)
{
    buffer_put_format(line, "%s %llu %llu %s\n", news->scene, (unsigned long long)news->seq,
                      (unsigned long long)news->msg_type,
                      json_value_chars(news->record, "key", "-"));
}

static void
note_place(struct watch *self, const struct news *news)
{
    const struct place place = {news->scene, news->epoch, news->seq - 1, news->seq};
    uint64_t missing;
    enum step step = sequences_note(self->sequences, &place, &missing);
    if (step == STEP_GAP)
        fprintf(stderr, "watch: gap scene=%s epoch=%llu before_seq=%llu missing=%llu\n",
                news->scene, (unsigned long long)news->epoch, (unsigned long long)news->seq,
                (unsigned long long)missing);
    if (step == STEP_BACK)
        fprintf(stderr, "watch: back scene=%s epoch=%llu seq=%llu\n", news->scene,
                (unsigned long long)news->epoch, (unsigned long long)news->seq);
    if (news->msg_type == EVENT_SCENE_DELETED)
        sequences_forget(self->sequences, news->scene);
}

static void
take_event(struct watch *self, zmsg_t *message)
{
    struct news news;
    arena_finish(&self->arena);
    arena_init(&self->arena);
    if (read_news(self, message, &news) != OK) {
        self->unreadable++;
        fprintf(stderr, "watch: unreadable event: %s\n", fault_last()->detail);
        return;
    }
    note_place(self, &news);
    buffer_clear(&self->line);
    (self->values->json ? put_json : put_short)(&self->line, &news);
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
}

static void
take_message(struct watch *self, zmsg_t *message)
{
    if (!self->greeted)
        fprintf(stderr, "watch: connected to %s\n", self->values->pub);
    self->greeted = true;
    if (zframe_streq(zmsg_first(message), "hb"))
        take_beat(self);
    else
        take_event(self, message);
}

static bool
is_complete(const struct watch *self)
{
    return self->values->count > 0 && self->events >= (uint64_t)self->values->count;
}

static void
drain(struct watch *self)
{
    for (int i = 0; i < DRAIN_MESSAGES && !is_complete(self); i++) {
        owned(zmsg_destroy) zmsg_t *message = zmsg_recv(self->feed);
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

static int
wait_ms(const struct watch *self)
{
    int end = clock_left_ms(self->end_ms);
    int beat = self->silent ? INT32_MAX : clock_left_ms(self->beat_ms + HEARTBEAT_MS);
    return end < beat ? end : beat;
}

static void
watch_until_end(struct watch *self, int stop)
{
    zmq_pollitem_t items[] = {{.socket = zsock_resolve(self->feed), .events = ZMQ_POLLIN},
                              {.fd = stop, .events = ZMQ_POLLIN}};
    while (!is_complete(self) && !ferror(stdout) && clock_left_ms(self->end_ms) > 0) {
        zmq_poll(items, 2, wait_ms(self));
        drain(self);
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
    zsys_handler_set(NULL); // or czmq takes the signals
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
    print_summary(&self);
    return ferror(stdout) ? OUTCOME_FILE : OUTCOME_DONE;
}

const struct command watch_command = {
    .name = "watch",
    .about = "Print what happens in scenes, as the server publishes it.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct watch_values),
    .run = watch_run,
};
