// bench.c - `diorama bench feed`: moves objects by UDP in a scene of their own while many devices
// listen, and counts and times what they receive: from just before an update is written until the
// system receives the datagram for a device. Updates carry their time as `timestamp`, a member that
// the server passes on.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/listeners.h"
#include "tools/cli/motion.h"
#include "tools/cli/mover.h"
#include "tools/cli/sheet.h"
#include "tools/cli/stop.h"

struct bench_values {
    const char *what;
    const char *form;
    const char *input;
    struct connection_values connection;
    const char *udp;
    const char *bind;
    int64_t objects;
    int64_t devices;
    int64_t threads;
    int64_t copies;
    int64_t packed_rate;
    int64_t pid;
    double rate;
    double speed;
    double frames;
    double scale;
    double seconds;
    double settle;
    bool json;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct bench_values, what,        "feed",        NULL,        NULL,             "What to measure.", .is_operand = true, .choices = "feed"),
    OPTION (struct bench_values, devices,     "devices",     "N",         "10",             "Devices that listen.", .minimum = 1, .maximum = 10000),
    OPTION (struct bench_values, objects,     "objects",     "N",         "100",            "Objects that move on circles.", .minimum = 1, .maximum = 100000),
    OPTION (struct bench_values, rate,        "rate",        "HZ",        "30",             "Updates per second of each object.", .minimum = 0.001, .maximum = 1e6),
    OPTION (struct bench_values, input,       "input",       "FILE",      "",               "Play a file instead: rows `id frame x y z`, or motion capture (*.bvh)."),
    OPTION (struct bench_values, speed,       "speed",       "X",         "1",              "Speed of the file as a multiple of real time; 0 = as fast as possible.", .maximum = 1e6),
    OPTION (struct bench_values, copies,      "copies",      "N",         "1",              "Copies of the file, side by side.", .minimum = 1, .maximum = 1000),
    OPTION (struct bench_values, frames,      "frames",      "FRAMES/S",  "16",             "Frames per second of the rows; motion capture has its own.", .minimum = 0.001, .maximum = 1e6),
    OPTION (struct bench_values, scale,       "scale",       "M",         "0.01",           "Metres per unit of the file.", .minimum = 1e-9, .maximum = 1e9),
    OPTION (struct bench_values, seconds,     "for",         "SECONDS",   "5",              "End after this time; 0 = at the end of the file.", .maximum = 1e6),
    OPTION (struct bench_values, settle,      "settle",      "SECONDS",   "3",              "Longest wait until all devices have the last states.", .maximum = 1e3),
    OPTION (struct bench_values, form,        "form",        "FORM",      "both",           "Form of the feed; both measures plain and packed one after the other, indexed is packed with keys=index.", .choices = "plain|packed|indexed|both"),
    OPTION (struct bench_values, packed_rate, "packed-rate", "HZ",        "60",             "Most datagrams per second of the packed form.", .minimum = 1, .maximum = 240),
    OPTION (struct bench_values, threads,     "threads",     "N",         "1",              "Threads that read.", .minimum = 1, .maximum = 64),
    OPTION (struct bench_values, pid,         "pid",         "PID",       "0",              "Process id of the server, to measure its processor time; 0 = unknown.", .maximum = 1e9),
    CONNECTION_URL (struct bench_values, connection),
    CONNECTION_PROFILE (struct bench_values, connection),
    OPTION (struct bench_values, udp,         "udp",         "HOST:PORT", "127.0.0.1:8762", "Address where the server receives updates by UDP."),
    OPTION (struct bench_values, bind,        "bind",        "ADDRESS",   "127.0.0.1",      "Address of this machine to receive at."),
    OPTION (struct bench_values, json,        "json",        NULL,        "no",             "Print a JSON object per form with all counts; times in microseconds."),
};
// clang-format on

static const char more[] =
    "Creates a scene for the measurement and deletes it. Columns: sent, updates given to the\n"
    "network; taken, events that they became; datagrams, bytes and changes received by all "
    "devices;\n"
    "loss_%, events in gaps of seq (superseded events are no gaps); behind, pairs of device and\n"
    "object whose last state never arrived; times from the write of an update to its arrival, of\n"
    "updates that were new to a device; cpu_%, processor time of the server, as a share of one\n"
    "core, until all had arrived.\n";

enum bench_form { BENCH_PLAIN, BENCH_PACKED, BENCH_INDEXED };

struct bench {
    const struct bench_values *values;
    http_client_t *http;
    motion_t *motion;
    mover_t *mover;
    listeners_t *listeners;
    roster_t *roster;
    struct buffer path;
    struct mover_addresses addresses;
    char scene[64];
    enum bench_form form;
};

static const char *const form_names[] = {
    [BENCH_PLAIN] = "plain", [BENCH_PACKED] = "packed", [BENCH_INDEXED] = "indexed"};

// The result for one form.
struct result {
    struct mover_counts counts;
    struct arrivals arrivals;
    struct sequence_totals totals;
    uint64_t taken;  // events
    uint64_t behind; // pairs of device and object
    double seconds;  // of sending
    double whole_s;  // until all had arrived
    double cpu_s;    // negative: unknown
};

// Frees what belongs to one form.
static void
bench_clear(struct bench *self)
{
    listeners_destroy(&self->listeners);
    mover_destroy(&self->mover);
    roster_destroy(&self->roster);
    motion_destroy(&self->motion);
}

static void
bench_finish(struct bench *self)
{
    bench_clear(self);
    http_client_destroy(&self->http);
    buffer_finish(&self->path);
}

// --- the server ---

static void
put_scene_path(struct bench *self)
{
    buffer_clear(&self->path);
    buffer_put_chars(&self->path, "/v1/scene/");
    http_client_escape(&self->path, self->scene);
}

// The number of the last event of the scene.
static fallible
ask_seq(struct bench *self, uint64_t *ret_seq)
{
    const struct json *answer;
    put_scene_path(self);
    TRY(http_client_call(self->http, "GET", &self->path, NULL, &answer));
    *ret_seq = json_value_unsigned(answer, "seq", 0);
    return OK;
}

// Processor time of the server so far in seconds; negative if unknown.
static double
server_cpu_s(const struct bench *self)
{
    char path[64], line[1024];
    unsigned long user, system;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", self->values->pid);
    FILE *file = self->values->pid ? fopen(path, "re") : NULL;
    if (!file)
        return -1;
    size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = '\0';
    const char *name_end = strrchr(line, ')'); // the name may have blanks
    if (!name_end || sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                            &user, &system) != 2)
        return -1;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

// --- one form ---

static fallible
make_motion(struct bench *self)
{
    const struct bench_values *values = self->values;
    if (values->input[0])
        return motion_create_recorded(values->input, values->scale, values->frames, values->speed,
                                      (uint32_t)values->copies, &self->motion);
    self->motion = motion_create_circles((uint32_t)values->objects, values->rate);
    return OK;
}

static fallible
make_listeners(struct bench *self)
{
    const struct bench_values *values = self->values;
    return listeners_create(
        &(struct listeners_values){
            .http = self->http,
            .scene = self->scene,
            .bind = values->bind,
            .devices = (uint32_t)values->devices,
            .threads = (uint32_t)values->threads,
            .rate_hz = self->form == BENCH_PLAIN ? 0 : (uint32_t)values->packed_rate,
            .is_indexed = self->form == BENCH_INDEXED},
        &self->listeners);
}

static fallible
make_objects(struct bench *self)
{
    uint32_t count = motion_objects(self->motion);
    const char *token = listeners_token(self->listeners);
    self->addresses = (struct mover_addresses){.http = self->http,
                                               .udp = self->values->udp,
                                               .scene = self->scene,
                                               .token = *token ? token : NULL,
                                               .by_udp = true,
                                               .stamped = true};
    TRY(mover_create(&self->addresses, count, &self->mover));
    for (uint32_t i = 0; i < count; i++)
        TRY(mover_add(self->mover, i, motion_name(self->motion, i), motion_first(self->motion, i),
                      NULL));
    TRY(mover_make(self->mover));
    self->roster = roster_create(count);
    for (uint32_t i = 0; i < count; i++)
        roster_put(self->roster, i, mover_key(self->mover, i));
    return OK;
}

// Sends each step at its time, and late steps at once.
static fallible
play(struct bench *self)
{
    struct motion_step step;
    uint64_t begun_us = clock_now_us();
    double end_s = self->values->seconds > 0 ? self->values->seconds : 1e9;
    for (uint64_t steps = 0; motion_next(self->motion, &step) && step.time_s < end_s; steps++) {
        uint64_t due_us = begun_us + (uint64_t)(step.time_s * 1e6), now_us = clock_now_us();
        bool is_behind = now_us >= due_us;
        if (is_behind && (double)(now_us - begun_us) > end_s * 1e6)
            break; // the rest cannot be sent in time
        if ((!is_behind && stop_wait_until(due_us)) || (steps % 1024 == 0 && stop_asked()))
            break;
        TRY(mover_move(self->mover, step.object, step.position, NULL));
    }
    return OK;
}

// Waits until every device has the last state of every object, at most for --settle.
static uint64_t
settle(struct bench *self)
{
    uint64_t deadline_ms = clock_deadline_ms((uint64_t)(self->values->settle * 1000)), behind;
    uint32_t count = motion_objects(self->motion);
    uint64_t *stamps_us = memory_take(count * sizeof *stamps_us);
    for (uint32_t i = 0; i < count; i++)
        stamps_us[i] = mover_stamp_us(self->mover, i);
    while ((behind = listeners_behind(self->listeners, stamps_us)) > 0 &&
           clock_left_ms(deadline_ms) > 0 && !stop_wait_until(clock_now_us() + 10000))
        ;
    free(stamps_us);
    return behind;
}

static fallible
measure(struct bench *self, struct result *result)
{
    uint64_t seq, last_seq;
    listeners_start(self->listeners, self->roster);
    TRY(ask_seq(self, &seq));
    double cpu_s = server_cpu_s(self);
    uint64_t begun_us = clock_now_us();
    TRY(play(self));
    result->seconds = (double)(clock_now_us() - begun_us) / 1e6;
    result->behind = settle(self);
    result->whole_s = (double)(clock_now_us() - begun_us) / 1e6;
    result->cpu_s = cpu_s < 0 ? -1 : server_cpu_s(self) - cpu_s;
    TRY(ask_seq(self, &last_seq));
    result->taken = last_seq - seq;
    result->counts = mover_counts(self->mover);
    listeners_stop(self->listeners, &result->arrivals, &result->totals);
    return OK;
}

static fallible
run_form(struct bench *self, struct result *result)
{
    snprintf(self->scene, sizeof self->scene, "bench-%ld-%s", (long)getpid(),
             form_names[self->form]);
    TRY(make_motion(self));
    TRY(make_listeners(self));
    TRY(make_objects(self));
    TRY(measure(self, result));
    put_scene_path(self);
    TRY(http_client_call(self->http, "DELETE", &self->path, NULL, NULL));
    return OK;
}

// --- the output ---

static double
loss(const struct bench *self, const struct result *result)
{
    double all = (double)result->taken * (double)self->values->devices;
    return all > 0 ? (double)result->totals.lost / all : 0;
}

static double
cpu_percent(const struct result *result)
{
    return 100 * result->cpu_s / result->whole_s;
}

static void
print_json(const struct bench *self, const struct result *result)
{
    const struct arrivals *arrivals = &result->arrivals;
    const struct latency *latency = &arrivals->latency;
    printf("{\"form\":\"%s\",\"devices\":%" PRId64 ",\"objects\":%" PRIu64
           ",\"seconds\":%.3f,\"sent\":%" PRIu64 ",\"unsent\":%" PRIu64 ",\"taken\":%" PRIu64
           ",\"datagrams\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"changes\":%" PRIu64
           ",\"news\":%" PRIu64 ",\"unreadable\":%" PRIu64 ",\"gaps\":%" PRIu64 ",\"lost\":%" PRIu64
           ",\"loss\":%.6f,\"back\":%" PRIu64 ",\"behind\":%" PRIu64 ",\"p50_us\":%" PRIu64
           ",\"p99_us\":%" PRIu64 ",\"p999_us\":%" PRIu64 ",\"max_us\":%" PRIu64,
           form_names[self->form], self->values->devices, result->counts.objects, result->seconds,
           result->counts.updates, result->counts.unsent, result->taken, arrivals->datagrams,
           arrivals->bytes, arrivals->changes, arrivals->news, arrivals->unreadable,
           result->totals.gaps, result->totals.lost, loss(self, result), result->totals.back,
           result->behind, latency_within(latency, 0.5), latency_within(latency, 0.99),
           latency_within(latency, 0.999), latency->largest_us);
    if (result->cpu_s >= 0)
        printf(",\"cpu_s\":%.2f,\"cpu_percent\":%.1f", result->cpu_s, cpu_percent(result));
    printf("}\n");
}

static void add_cell(struct sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
add_cell(struct sheet *sheet, const char *format, ...)
{
    char cell[64];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(cell, sizeof cell, format, values);
    va_end(values);
    sheet_add(sheet, cell, (size_t)size);
}

static void
add_head(struct sheet *sheet)
{
    static const char *const names[] = {
        "form",    "devices", "objects", "sent",   "sent/s", "taken",    "datagrams", "bytes",
        "changes", "loss_%",  "behind",  "p50_ms", "p99_ms", "p99.9_ms", "max_ms",    "cpu_%"};
    sheet->columns = sizeof names / sizeof names[0];
    for (size_t i = 0; i < sheet->columns; i++)
        add_cell(sheet, "%s", names[i]);
}

static void
add_row(struct sheet *sheet, const struct bench *self, const struct result *result)
{
    const struct latency *latency = &result->arrivals.latency;
    add_cell(sheet, "%s", form_names[self->form]);
    add_cell(sheet, "%" PRId64, self->values->devices);
    add_cell(sheet, "%" PRIu64, result->counts.objects);
    add_cell(sheet, "%" PRIu64, result->counts.updates);
    add_cell(sheet, "%.0f", (double)result->counts.updates / result->seconds);
    add_cell(sheet, "%" PRIu64, result->taken);
    add_cell(sheet, "%" PRIu64, result->arrivals.datagrams);
    add_cell(sheet, "%" PRIu64, result->arrivals.bytes);
    add_cell(sheet, "%" PRIu64, result->arrivals.changes);
    add_cell(sheet, "%.3f", 100 * loss(self, result));
    add_cell(sheet, "%" PRIu64, result->behind);
    add_cell(sheet, "%.2f", (double)latency_within(latency, 0.5) / 1e3);
    add_cell(sheet, "%.2f", (double)latency_within(latency, 0.99) / 1e3);
    add_cell(sheet, "%.2f", (double)latency_within(latency, 0.999) / 1e3);
    add_cell(sheet, "%.2f", (double)latency->largest_us / 1e3);
    add_cell(sheet, result->cpu_s < 0 ? "" : "%.1f", cpu_percent(result));
}

static bool
is_wanted(const char *wanted, enum bench_form form)
{
    return strcmp(wanted, form_names[form]) == 0 ||
           (strcmp(wanted, "both") == 0 && form != BENCH_INDEXED);
}

static fallible
run_forms(struct bench *self, struct sheet *sheet)
{
    for (enum bench_form form = BENCH_PLAIN; form <= BENCH_INDEXED && !stop_asked(); form++) {
        if (!is_wanted(self->values->form, form))
            continue;
        struct result *result = memory_take_zeroed(sizeof *result);
        self->form = form;
        enum error error = run_form(self, result);
        if (error == OK && self->values->json)
            print_json(self, result);
        else if (error == OK)
            add_row(sheet, self, result);
        free(result);
        bench_clear(self);
        if (error != OK)
            return error;
    }
    return OK;
}

static enum outcome
bench_run(const void *untyped)
{
    const struct bench_values *values = untyped;
    owned(bench_finish) struct bench self = {.values = values};
    owned(sheet_finish) struct sheet sheet = {0};
    enum error error = connection_open(&values->connection, &self.http);
    if (error != OK)
        return connection_failed("bench", error);
    stop_open();
    add_head(&sheet);
    error = run_forms(&self, &sheet);
    if (!values->json)
        sheet_print(&sheet, stdout);
    if (error == ERR_NOT_FOUND || error == ERR_MALFORMED)
        return command_failed("bench", error, OUTCOME_FILE);
    if (error != OK)
        return command_refused("bench", error);
    return stop_asked() ? OUTCOME_INTERRUPTED : OUTCOME_DONE;
}

const struct command bench_command = {
    .name = "bench",
    .about = "Measure a server's feed: loss, and times from update to arrival.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct bench_values),
    .run = bench_run,
};
