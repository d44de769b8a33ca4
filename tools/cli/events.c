// events.c - `diorama events`: prints a stream of the server's over HTTP, one line per event: what
// happens in scenes, what there is, or what the server does. One thread.
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/event_stream.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"
#include "tools/cli/stop.h"

struct events_values {
    struct option_texts members;
    struct option_texts scenes, topics;
    struct connection_values connection;
    int64_t count;
    double seconds;
    bool server;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct events_values, members, "NAME=VALUE", NULL, "",   "A parameter of the stream: rate=10, form=delta, convention=unity, last_event=ID, names=events.", .is_operand = true),
    OPTION (struct events_values, scenes,  "scene",  "KEY",     "",  "What happens in this scene; may be given several times."),
    OPTION (struct events_values, topics,  "topic",  "TOPIC",   "",  "In place of scenes: what is created, changed and deleted; may be given several times."),
    OPTION (struct events_values, server,  "server", NULL,      "no", "In place of both: what the server does and holds, each second."),
    CONNECTION_URL (struct events_values, connection),
    CONNECTION_PROFILE (struct events_values, connection),
    OPTION (struct events_values, count,   "count",  "N",       "0", "End after N events; 0 = never.", .maximum = 1e15),
    OPTION (struct events_values, seconds, "for",    "SECONDS", "0", "End after this time, to a second; 0 = never.", .maximum = 1e9),
};
// clang-format on

struct events {
    const struct events_values *values;
    struct buffer line;
    uint64_t printed;
    uint64_t end_ms; // UINT64_MAX without --for
};

static fallible
check(const struct events_values *values)
{
    TRY(members_check(&values->members));
    if ((values->scenes.count > 0) + (values->topics.count > 0) + values->server != 1)
        return fail(ERR_INVALID, "", "name scenes, or topics, or the server");
    return OK;
}

static void
put_each(struct buffer *out, const char *name, const struct option_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        members_put_parameter(out, name, strlen(name), texts->items[i]);
}

static void
put_path(struct buffer *out, const struct events_values *values)
{
    buffer_put_chars(out, values->server ? "/v1/server/events" : "/v1/events");
    put_each(out, "scene", &values->scenes);
    put_each(out, "topic", &values->topics);
    members_put_query(out, &values->members);
}

static bool
is_complete(const struct events *self)
{
    return self->values->count > 0 && self->printed >= (uint64_t)self->values->count;
}

static bool
is_over(void *context)
{
    const struct events *self = context;
    return is_complete(self) || ferror(stdout) || stop_asked() || clock_left_ms(self->end_ms) <= 0;
}

static bool
print_event(void *context, const struct stream_event *event)
{
    struct events *self = context;
    if (is_over(self))
        return false;
    buffer_clear(&self->line);
    buffer_put_chars(&self->line, "{\"event\":");
    json_value_put_chars(&self->line, event->name);
    buffer_put_chars(&self->line, ",\"id\":");
    json_value_put_chars(&self->line, event->id);
    buffer_put_chars(&self->line, ",\"data\":");
    buffer_put(&self->line, event->data, event->data_size);
    buffer_put_chars(&self->line, "}\n");
    fwrite(self->line.data, 1, self->line.size, stdout);
    fflush(stdout);
    self->printed++;
    return !is_complete(self);
}

// Until it is over, or the server ends it.
static fallible
follow(struct events *self, http_client_t *http)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(event_stream_finish) struct event_stream stream = {.take = print_event, .context = self};
    put_path(&path, self->values);
    http_client_end_when(http, is_over, self);
    enum error error =
        http_client_receive(http, &path, "text/event-stream", event_stream_take, &stream);
    if (is_over(self))
        return OK; // a transfer that is cut is an error of curl's
    TRY(error);
    return fail(ERR_UNAVAILABLE, "", "the server has ended the stream");
}

static enum outcome
events_run(const void *untyped)
{
    const struct events_values *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    if (check(values) != OK)
        return command_failed("events", ERR_INVALID, OUTCOME_USAGE);
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("events", error);
    stop_open();
    struct events self = {.values = values, .end_ms = UINT64_MAX};
    if (values->seconds > 0)
        self.end_ms = clock_deadline_ms((uint64_t)(values->seconds * 1000));
    error = follow(&self, http);
    buffer_finish(&self.line);
    if (error != OK)
        return command_refused("events", error);
    return ferror(stdout) ? OUTCOME_FILE : OUTCOME_DONE;
}

const struct command events_command = {
    .name = "events",
    .about = "Print what happens, as browsers are told: in scenes, to scenes, or to the server.",
    .more =
        "A line is {\"event\":NAME,\"id\":ID,\"data\":{…}}. A stream of scenes begins with their\n"
        "state (snapshot), one of topics with reset: list again what there is. Where it ends\n"
        "because the server is away, exit code 3, last_event=ID goes on behind that event.\n"
        "By ZeroMQ, with gaps counted: diorama watch. By UDP: diorama listen.\n",
    .examples = "events --scene=plaza --count=1\nevents --topic=scenes --for=60\n"
                "events --server names=events,http_p99 --count=10\n",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct events_values),
    .run = events_run,
};
