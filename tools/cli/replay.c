// replay.c - `diorama replay`: plays recorded walks as objects that move in a scene in real time.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/base/text.h"
#include "proto/spatial/convention.h"
#include "tools/cli/bvh.h"
#include "tools/cli/connection.h"
#include "tools/cli/device.h"
#include "tools/cli/mover.h"
#include "tools/cli/progress.h"
#include "tools/cli/proof.h"
#include "tools/cli/stop.h"
#include "tools/cli/trajectory.h"

enum { LAST_DATAGRAMS_US = 200000 };

struct replay_values {
    const char *file;
    const char *scene;
    const char *via;
    struct connection_values connection;
    const char *udp;
    const char *device;
    const char *up;
    const char *format;
    const char *convention;
    double speed;
    double rate;
    double scale;
    bool sealed;
    bool settle;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct replay_values, file,   "FILE",   NULL,        NULL,             "Recording in one of the formats below, plain or gzip; - = standard input.", .is_operand = true),
    OPTION (struct replay_values, scene,  "scene",  "KEY",       NULL,             "Scene to create the objects in; required."),
    OPTION (struct replay_values, format, "format", "NAME",      "auto",           "Format of the file; auto = by its columns, or by the name *.bvh.", .choices = "auto|walk|tum|kitti|euroc|eth|ucy|bvh"),
    OPTION (struct replay_values, speed,  "speed",  "X",         "1",              "Speed as a multiple of real time; 0 = as fast as possible.", .maximum = 1e6),
    OPTION (struct replay_values, rate,   "rate",   "FRAMES/S",  "0",              "Frames per second of the recording; 0 = as the format has it.", .maximum = 1e6),
    OPTION (struct replay_values, scale,  "scale",  "M",         "0",              "Metres per unit of the file; 0 = as the format has it.", .maximum = 1e9),
    OPTION (struct replay_values, up,     "up",     "AXIS",      "auto",           "Axis of height in the file: y is --convention=gltf, z is enu; auto = y if it says `# up: y`.", .choices = "auto|y|z"),
    OPTION (struct replay_values, convention, "convention", "NAME", "",           "Axes of the file: gltf, enu, cv and the others of the server; empty = as the format has it."),
    OPTION (struct replay_values, via,    "via",    "udp|http",  "udp",            "Protocol of the updates.", .choices = "udp|http"),
    CONNECTION_URL (struct replay_values, connection),
    CONNECTION_PROFILE (struct replay_values, connection),
    OPTION (struct replay_values, udp,    "udp",    "HOST:PORT", "127.0.0.1:8762", "Address where the server receives updates by UDP."),
    OPTION (struct replay_values, device, "device", "KEY",       "",               "Device to register as; by default replay-<process id>, by UDP while logged in."),
    OPTION (struct replay_values, sealed, "sealed", NULL,        "no",             "Register a device and seal its updates by UDP."),
    OPTION (struct replay_values, settle, "settle", NULL,        "yes",            "After UDP, send the last positions by HTTP until they stay."),
};
// clang-format on

static const char more[] =
    "Creates one object per id by HTTP at its first row; its name is the id. Each later row "
    "updates\n"
    "its transform. Height is y in a scene: a file whose height is z is turned, y leads to -z.\n"
    "Formats, with the columns of a row, frames a second, metres per unit and axes:\n"
    "  walk   id frame x y z                     16     0.01  enu   5 columns\n"
    "  tum    timestamp tx ty tz qx qy qz qw     -      1     enu   8 columns\n"
    "  kitti  a matrix of 3 rows and 4 columns   10     1     cv    12 columns\n"
    "  euroc  timestamp,px,py,pz,qw,qx,qy,qz,... -      1     enu   17 columns\n"
    "  eth    frame id x z y vx vz vy            15     1     enu   must be named\n"
    "  ucy    frame id x y                       25     1     enu   4 columns\n"
    "  bvh    joints of motion capture           (file) 1     gltf  *.bvh; positions alone\n"
    "A file without ids is one object, called as the file.\n"
    "The summary on standard output is one line:\n"
    "replay: objects=N rows=N updates=N unsent=N settled=N seconds=S updates_per_s=R\n";

struct replay {
    const struct replay_values *values;
    const struct trajectory *trajectory;
    mover_t *mover;
    double rate; // frames a second
    uint64_t begun_us;
    size_t done; // rows
};

static size_t
end_of_frame(const struct trajectory *trajectory, size_t at)
{
    double frame = trajectory->rows[at].frame;
    while (at < trajectory->row_count && trajectory->rows[at].frame == frame)
        at++;
    return at;
}

static const double *
rotation_of(const struct trajectory *trajectory, const struct trajectory_row *row)
{
    bool has_one = trajectory->format && trajectory_format_has_rotation(trajectory->format);
    return has_one ? row->rotation : NULL;
}

// Creates the objects that appear in these rows, then moves those that were there before.
static fallible
play_frame(struct replay *self, size_t end)
{
    const struct trajectory *trajectory = self->trajectory;
    size_t begin = self->done;
    for (size_t i = begin; i < end; i++) {
        const struct trajectory_row *row = &trajectory->rows[i];
        if (!mover_knows(self->mover, row->object))
            TRY(mover_add(self->mover, row->object, trajectory->ids[row->object], row->position,
                          rotation_of(trajectory, row)));
    }
    TRY(mover_make(self->mover));
    for (size_t i = begin; i < end; i++) {
        const struct trajectory_row *row = &trajectory->rows[i];
        if (!mover_is_at(self->mover, row->object, row->position))
            TRY(mover_move(self->mover, row->object, row->position, rotation_of(trajectory, row)));
        self->done++;
    }
    return OK;
}

// Waits for the time of the next frame. True if a signal came before.
static bool
wait_for_frame(const struct replay *self)
{
    double speed = self->values->speed * self->rate; // frames a second
    if (speed <= 0)
        return stop_asked();
    const struct trajectory_row *rows_ = self->trajectory->rows;
    double after_s = (rows_[self->done].frame - rows_[0].frame) / speed;
    return stop_wait_until(self->begun_us + (uint64_t)(after_s * 1e6));
}

static fallible
play(struct replay *self, struct progress *progress)
{
    while (self->done < self->trajectory->row_count && !wait_for_frame(self)) {
        TRY(play_frame(self, end_of_frame(self->trajectory, self->done)));
        progress_at(progress, self->done);
    }
    return OK;
}

static void
print_summary(const struct replay *self, double seconds)
{
    struct mover_counts counts = mover_counts(self->mover);
    printf("replay: objects=%llu rows=%zu updates=%llu unsent=%llu settled=%llu seconds=%.3f "
           "updates_per_s=%.1f\n",
           (unsigned long long)counts.objects, self->done, (unsigned long long)counts.updates,
           (unsigned long long)counts.unsent, (unsigned long long)counts.settled, seconds,
           (double)counts.updates / seconds);
}

static enum outcome
replay_all(struct replay *self)
{
    struct progress progress;
    self->begun_us = clock_now_us();
    progress_begin(&progress, "replay", self->trajectory->row_count);
    enum error error = play(self, &progress);
    progress_end(&progress);
    double seconds = (double)(clock_now_us() - self->begun_us + 1) / 1e6;
    if (error == OK && self->values->settle && strcmp(self->values->via, "udp") == 0)
        error = mover_settle(self->mover);
    print_summary(self, seconds);
    if (error != OK)
        return command_refused("replay", error);
    return stop_asked() ? OUTCOME_INTERRUPTED : OUTCOME_DONE;
}

// The device in whose name datagrams are sent, and its registration.
struct sender {
    http_client_t *http;
    struct device_place place; // key NULL = no device
    char own_key[32];
    char token[PROOF_TOKEN_SIZE];
    struct sealed_link link; // of --sealed
};

// Deregisters the device after a pause: datagrams still under way need its registration.
static void
sender_finish(struct sender *self)
{
    sealed_link_finish(&self->link);
    if (!self->place.key)
        return;
    stop_wait_until(clock_now_us() + LAST_DATAGRAMS_US);
    error_ignore(device_deregister(self->http, &self->place), "the work is done");
}

// Registers a device if --device names one, or if updates go by UDP and are sealed or a user is
// logged in. A sealed device that only sends needs no address.
static fallible
sender_begin(struct sender *self, const struct replay_values *values, http_client_t *http)
{
    const struct json *answer;
    bool by_udp = strcmp(values->via, "udp") == 0;
    bool is_sealed = by_udp && values->sealed;
    owned(buffer_finish) struct buffer members = {0};
    if (!values->device[0] && !is_sealed && !(by_udp && http_client_is_authorized(http)))
        return OK;
    if (is_sealed)
        buffer_put_chars(&members, ",\"connection_string\":\"udp+sealed://\"");
    snprintf(self->own_key, sizeof self->own_key, "replay-%ld", (long)getpid());
    const struct device_place place = {values->scene,
                                       values->device[0] ? values->device : self->own_key};
    TRY(device_register(http, &place, &members, &answer));
    self->http = http;
    self->place = place;
    if (is_sealed)
        return sealed_link_begin(&self->link, answer);
    snprintf(self->token, sizeof self->token, "%s", device_feed_token(answer));
    return OK;
}

static fallible
find_convention(const char *name, const struct convention **ret_convention)
{
    struct arena arena;
    arena_init(&arena);
    enum error error = convention_find(text_new(&arena, name, strlen(name)), "", ret_convention);
    arena_finish(&arena);
    return error;
}

// Refuses axes that cannot be meant, before the file is read.
static fallible
check_axes(const struct replay_values *values)
{
    const struct convention *convention;
    if (values->convention[0] && strcmp(values->up, "auto") != 0)
        return fail(ERR_INVALID, "", "--convention and --up exclude each other");
    return find_convention(values->convention, &convention);
}

// The axes of the file: those that are named, those that --up or the file says, those of its
// format.
static const char *
convention_of(const struct replay_values *values, const struct trajectory *trajectory)
{
    if (values->convention[0])
        return values->convention;
    if (values->up[0] == 'z')
        return "enu";
    if (values->up[0] == 'y' || trajectory->is_y_up || !trajectory->format)
        return "gltf";
    return trajectory->format->convention;
}

// Turns all rows into the axes of scenes.
static void
turn(struct trajectory *trajectory, const struct convention *convention)
{
    for (size_t i = 0; convention && i < trajectory->row_count; i++) {
        struct trajectory_row *row = &trajectory->rows[i];
        convention_turn(convention, CONVENTION_IN, AXES_POINT, row->position);
        convention_turn(convention, CONVENTION_IN, AXES_QUATERNION, row->rotation);
    }
}

static bool
is_motion_capture(const struct replay_values *values)
{
    const char *dot = strrchr(values->file, '.');
    bool is_named_so = dot && strcmp(dot, ".bvh") == 0;
    return strcmp(values->format, "bvh") == 0 || (values->format[0] == 'a' && is_named_so);
}

// Reads the file, in the axes of scenes, and finds its rate.
static fallible
read_recording(const struct replay_values *values, struct trajectory *trajectory, double *ret_rate)
{
    const struct convention *convention;
    double scale = values->scale, rate = 1;
    if (is_motion_capture(values))
        TRY(bvh_read(values->file, scale > 0 ? scale : 1, trajectory, &rate));
    else
        TRY(trajectory_read_as(values->file, trajectory_format_find(values->format), scale,
                               trajectory));
    TRY(find_convention(convention_of(values, trajectory), &convention));
    turn(trajectory, convention);
    if (trajectory->format)
        rate = trajectory->format->rate;
    *ret_rate = values->rate > 0 ? values->rate : rate;
    return OK;
}

static enum outcome
replay_run(const void *untyped)
{
    const struct replay_values *values = untyped;
    double rate;
    owned(trajectory_finish) struct trajectory trajectory = {0};
    owned(http_client_destroy) http_client_t *http = NULL;
    owned(sender_finish) struct sender sender = {0};
    owned(mover_destroy) mover_t *mover = NULL;
    enum error error = check_axes(values);
    if (error == OK)
        error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("replay", error);
    struct mover_addresses addresses = {.http = http,
                                        .udp = values->udp,
                                        .scene = values->scene,
                                        .by_udp = strcmp(values->via, "udp") == 0};
    error = read_recording(values, &trajectory, &rate);
    if (error != OK)
        return command_failed("replay", error, OUTCOME_FILE);
    error = mover_create(&addresses, trajectory.id_count, &mover);
    if (error != OK)
        return command_failed("replay", error, OUTCOME_USAGE);
    stop_open();
    error = sender_begin(&sender, values, http);
    if (error != OK)
        return command_refused("replay", error);
    addresses.token = sender.token[0] ? sender.token : NULL;
    addresses.link = strcmp(values->via, "udp") == 0 && values->sealed ? &sender.link : NULL;
    struct replay replay = {
        .values = values, .trajectory = &trajectory, .mover = mover, .rate = rate};
    return replay_all(&replay);
}

const struct command replay_command = {
    .name = "replay",
    .about = "Play recorded walks and poses as objects that move in a scene.",
    .more = more,
    .examples = "replay crowd.txt --scene=plaza\n"
                "replay groundtruth.txt --format=tum --scene=lab\n"
                "replay 00.txt --format=kitti --scene=street --speed=4\n"
                "replay obsmat.txt --format=eth --scene=campus",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct replay_values),
    .run = replay_run,
};
