// top.c - `diorama top`: what a server does and holds now, second by second.
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/sheet.h"
#include "tools/cli/stop.h"
#include "tools/cli/style.h"
#include "tools/cli/top_values.h"

enum { US_PER_S = 1000000 };

struct top_options {
    struct connection_values connection;
    double every;
    int64_t count, seconds;
};

// clang-format off
static const struct option_row options[] = {
    OPTION (struct top_options, every,   "every",   "SECONDS", "1",  "Time between two looks.", .minimum = 0.1, .maximum = 3600),
    OPTION (struct top_options, count,   "count",   "N",       "0",  "End after this many looks; 0 = never on a terminal, else after one.", .minimum = 0, .maximum = 1e9),
    OPTION (struct top_options, seconds, "seconds", "N",       "60", "How far mean and most go back.", .minimum = 1, .maximum = 3600),
    CONNECTION_URL (struct top_options, connection),
    CONNECTION_PROFILE (struct top_options, connection),
};

// What is shown, in groups: the series of the server, and what people call it.
static const struct {
    const char *series, *label; // a row without a series begins a group
} shown[] = {
    {NULL,                "REQUESTS"},
    {"http_requests",     "answered"},
    {"http_client_errors","refused (4xx)"},
    {"http_server_errors","failed (5xx)"},
    {"http_p50",          "half within"},
    {"http_p99",          "99 % within"},
    {"http_connections",  "connections"},
    {NULL,                "FEEDS"},
    {"events",            "events"},
    {"udp_in",            "datagrams in"},
    {"udp_out",           "datagrams out"},
    {"udp_dropped",       "datagrams dropped"},
    {"streams",           "streams open"},
    {"stream_events",     "events in streams"},
    {"pub_subscribers",   "subscribers"},
    {"pub_out",           "messages to them"},
    {NULL,                "SCENES"},
    {"scenes",            "scenes"},
    {"scenes_loaded",     "in memory"},
    {"objects_loaded",    "objects in memory"},
    {"devices",           "devices"},
    {NULL,                "STORE"},
    {"commits",           "commits"},
    {"commit_p99",        "99 % within"},
    {"commits_failed",    "failed"},
    {NULL,                "PROCESS"},
    {"processor",         "processor"},
    {"memory",            "memory"},
    {"turn_p99",          "turn of an actor, 99 %"},
    {"budget_refused",    "over a budget"},
};
// clang-format on

static void
add_cell(struct sheet *sheet, const char *chars)
{
    sheet_add(sheet, chars, strlen(chars));
}

static void
add_value(struct sheet *sheet, double value, const char *unit)
{
    owned(buffer_finish) struct buffer cell = {0};
    top_value_put(&cell, value, unit);
    sheet_add(sheet, cell.data, cell.size);
}

static void
add_row(struct sheet *sheet, const struct json *answer, size_t row)
{
    const char *name = shown[row].series;
    const struct json *values = json_find(json_find(answer, "series"), name);
    if (!values)
        return; // an older server does not have it
    struct top_span span = top_span_of(values);
    const char *unit = json_value_chars(json_find(answer, "units"), name, "");
    add_cell(sheet, shown[row].label);
    add_value(sheet, span.now, unit);
    add_value(sheet, span.mean, unit);
    add_value(sheet, span.most, unit);
}

static void
add_heading(struct sheet *sheet, const char *label, int64_t seconds)
{
    char mean[32], most[32];
    snprintf(mean, sizeof mean, "mean %" PRId64 " s", seconds);
    snprintf(most, sizeof most, "most %" PRId64 " s", seconds);
    add_cell(sheet, label);
    add_cell(sheet, "now");
    add_cell(sheet, mean);
    add_cell(sheet, most);
}

static void
show(const struct top_options *values, const struct json *answer)
{
    owned(sheet_finish) struct sheet sheet = {.columns = 4};
    for (size_t row = 0; row < sizeof shown / sizeof shown[0]; row++) {
        if (shown[row].series)
            add_row(&sheet, answer, row);
        else
            add_heading(&sheet, shown[row].label, values->seconds);
    }
    if (isatty(STDOUT_FILENO))
        fputs("\033[H\033[J", stdout); // from the upper left corner, which is emptied
    sheet_print(&sheet, stdout);
    fflush(stdout);
}

static fallible
look(const struct top_options *values, http_client_t *http)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    buffer_put_format(&path, "/v1/server/series?seconds=%" PRId64, values->seconds);
    TRY(http_client_call(http, "GET", &path, NULL, &answer));
    show(values, answer);
    return OK;
}

static enum outcome
top_run(const void *untyped)
{
    const struct top_options *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("top", error);
    int64_t most = values->count ? values->count : isatty(STDOUT_FILENO) ? INT64_MAX : 1;
    uint64_t next_us = clock_now_us();
    stop_open();
    for (int64_t looks = 1;; looks++) {
        error = look(values, http);
        if (error != OK)
            return command_refused("top", error);
        next_us += (uint64_t)(values->every * US_PER_S);
        if (looks == most || stop_wait_until(next_us))
            return OUTCOME_DONE;
    }
}

const struct command top_command = {
    .name = "top",
    .about = "Show what a server does and holds now: requests, feeds, scenes, store, process.",
    .more = "Needs an administrator's login, where users are enabled. On a terminal it is drawn "
            "anew each second until\n"
            "Ctrl-C; into a file or a pipe it is written once. `diorama_…` of /metrics has more.\n",
    .examples = "top\ntop --every=5 --seconds=600\ntop --count=1 --url=http://192.0.2.7:8080\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct top_options),
    .run = top_run,
};
