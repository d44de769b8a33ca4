// demo.c - `diorama demo`: a scene in which people walk, until a signal or for some seconds.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/demo_scene.h"
#include "tools/cli/json_value.h"
#include "tools/cli/stop.h"
#include "tools/cli/udp_socket.h"

enum {
    RATE_HZ = 30,
    LOOK_AFTER = 2 * RATE_HZ,   // rounds, until it is seen whether anything moves
    GIVE_UP_AFTER = 5 * RATE_HZ // rounds of which nothing could be sent
};

struct demo_values {
    struct connection_values connection;
    const char *scene;
    const char *udp;
    int64_t people;
    double seconds;
    double speed;
    bool remove;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct demo_values, people,  "people",  "N",         "20",   "People who walk.", .minimum = 1, .maximum = DEMO_PEOPLE_MAX),
    OPTION (struct demo_values, scene,   "scene",   "KEY",       "demo", "Scene to make, or to go on with; KEY-pavilion is made beside it."),
    OPTION (struct demo_values, seconds, "seconds", "S",         "0",    "End after this time; 0 = at Ctrl-C.", .maximum = 1e6),
    OPTION (struct demo_values, speed,   "speed",   "X",         "1",    "Speed as a multiple of how people walk.", .maximum = 100),
    OPTION (struct demo_values, remove,  "remove",  NULL,        "no",   "Remove all that the demo made, and end."),
    CONNECTION_URL (struct demo_values, connection),
    CONNECTION_PROFILE (struct demo_values, connection),
    OPTION (struct demo_values, udp,     "udp",     "HOST:PORT", "",     "Address where the server receives updates by UDP. [what the server says]"),
};
// clang-format on

static const char more[] =
    "Makes a plaza with people who walk, and a second scene that is linked with it: devices that\n"
    "stand in both say where. Models are made here and uploaded. Once more is the same demo; what\n"
    "others put into its scenes stays until --remove.\n";

struct demo {
    const struct demo_values *values;
    struct connection connection;
    http_client_t *http;
    struct demo_scene scene;
    struct buffer datagram;
    int udp;       // -1 until connected
    double from_s; // time of the walks at the beginning
};

static void
demo_finish(struct demo *self)
{
    if (self->udp >= 0)
        close(self->udp);
    demo_scene_finish(&self->scene);
    buffer_finish(&self->datagram);
    http_client_destroy(&self->http);
    connection_finish(&self->connection);
}

// --- what people see ---

// Says why, and what to do.
static enum outcome
refused(enum error error)
{
    enum outcome outcome = command_refused("demo", error);
    if (error == ERR_UNAVAILABLE)
        fputs("diorama demo: start a server, for example with tools/run, or name one with --url\n",
              stderr);
    if (error == ERR_UNAUTHENTICATED)
        fputs("diorama demo: log in first: diorama login\n", stderr);
    if (error == ERR_FORBIDDEN)
        fputs("diorama demo: this may be somebody else's; choose another scene with --scene\n",
              stderr);
    return outcome;
}

// Arguments that another command needs to reach the same server.
static void
put_server(const struct demo *self, struct buffer *out)
{
    if (self->values->connection.url[0])
        buffer_put_format(out, " --url=%s", self->values->connection.url);
    if (self->values->connection.profile[0])
        buffer_put_format(out, " --profile=%s", self->values->connection.profile);
}

static void
print_welcome(const struct demo *self)
{
    owned(buffer_finish) struct buffer base = {0}, key = {0}, server = {0};
    const char *plaza = self->scene.keys[STAGE_PLAZA];
    buffer_put_chars(&base, self->connection.url);
    while (base.size && base.data[base.size - 1] == '/')
        base.size--;
    buffer_put_char(&base, '\0');
    http_client_escape(&key, plaza);
    buffer_put_char(&key, '\0');
    put_server(self, &server);
    buffer_put_char(&server, '\0');
    printf("%s/console/scene/%s\n\n"
           "Move a crate in the picture, or in another terminal:\n"
           "  diorama object list %s%s\n"
           "  diorama graph get scene=%s%s\n"
           "  curl -N %s/v1/scene/%s/events\n\n"
           "%lld people walk. Ctrl-C ends it; the scene stays.\n",
           base.data, key.data, plaza, server.data, plaza, server.data, base.data, key.data,
           (long long)self->values->people);
    fflush(stdout);
}

static void
print_farewell(const struct demo *self)
{
    owned(buffer_finish) struct buffer line = {0};
    buffer_put_chars(&line, "diorama demo --remove");
    if (strcmp(self->values->scene, "demo") != 0)
        buffer_put_format(&line, " --scene=%s", self->values->scene);
    put_server(self, &line);
    buffer_put_char(&line, '\0');
    printf("The scene stays. To remove all of it: %s\n", line.data);
}

// --- walking ---

static void
put_datagram(struct demo *self, const struct demo_object *walker, const double *matrix)
{
    struct buffer *out = &self->datagram;
    buffer_clear(out);
    buffer_put_chars(out, "{\"msg_type\":1,\"key\":");
    json_value_put_chars(out, walker->key);
    if (self->scene.token[0]) {
        buffer_put_chars(out, ",\"token\":");
        json_value_put_chars(out, self->scene.token);
    }
    buffer_put_chars(out, ",\"transform\":");
    json_value_put_matrix(out, matrix);
    buffer_put_char(out, '}');
}

// Sends where everybody is; returns how many datagrams the system took.
static size_t
send_round(struct demo *self, double time_s)
{
    size_t sent = 0;
    for (size_t i = 0; i < self->scene.people; i++) {
        struct demo_thing thing = demo_walker(self->scene.people, i, time_s);
        put_datagram(self, &self->scene.walkers[i], thing.matrix);
        sent += write(self->udp, self->datagram.data, self->datagram.size) > 0;
    }
    return sent;
}

// Datagrams get no answer: a look at the first walker tells whether they arrive.
static void
look(struct demo *self)
{
    bool has_moved = true;
    if (demo_object_has_moved(self->http, self->scene.keys[STAGE_PLAZA], &self->scene.walkers[0],
                              &has_moved) == OK &&
        !has_moved)
        fprintf(stderr,
                "diorama demo: nothing moves: no datagram reaches the server at %s port %u; "
                "--udp=HOST:PORT names another address\n",
                self->scene.host, self->scene.port);
}

static fallible
walk(struct demo *self)
{
    uint64_t begun_us = clock_now_us(), idle = 0;
    double rounds = self->values->seconds > 0 ? self->values->seconds * RATE_HZ : 1e18;
    for (uint64_t round = 0; (double)round < rounds; round++) {
        double time_s = self->from_s + (double)round / RATE_HZ * self->values->speed;
        idle = send_round(self, time_s) > 0 ? 0 : idle + 1;
        if (idle == GIVE_UP_AFTER)
            return fail(ERR_UNAVAILABLE, "", "the server takes no updates any more");
        if (round == LOOK_AFTER)
            look(self);
        if (stop_wait_until(begun_us + (round + 1) * 1000000 / RATE_HZ))
            break;
    }
    return OK;
}

// --- the command ---

static fallible
connect_udp(struct demo *self)
{
    char address[sizeof self->scene.host + 8];
    const char *given = self->values->udp;
    snprintf(address, sizeof address, strchr(self->scene.host, ':') ? "[%s]:%u" : "%s:%u",
             self->scene.host, self->scene.port);
    return udp_socket_connect(given[0] ? given : address, &self->udp);
}

static enum outcome
remove_all(struct demo *self)
{
    bool was_there;
    enum error error = demo_scene_remove(&self->scene, &was_there);
    if (error != OK)
        return refused(error);
    printf(was_there ? "Removed %s and %s.\n" : "There is no %s and no %s.\n",
           self->scene.keys[STAGE_PLAZA], self->scene.keys[STAGE_PAVILION]);
    return OUTCOME_DONE;
}

static enum outcome
run_demo(struct demo *self)
{
    // The walks go on between two demos, as if somebody had watched all the time.
    self->from_s = (double)clock_calendar_us() / 1e6;
    enum error error = demo_scene_make(&self->scene, (size_t)self->values->people, self->from_s);
    if (error != OK)
        return refused(error);
    error = connect_udp(self);
    if (error != OK)
        return command_failed("demo", error, OUTCOME_USAGE);
    stop_open();
    print_welcome(self);
    error = walk(self);
    print_farewell(self);
    return error == OK ? OUTCOME_DONE : refused(error);
}

static enum outcome
demo_run(const void *untyped)
{
    const struct demo_values *values = untyped;
    owned(demo_finish) struct demo self = {.values = values, .udp = -1};
    enum error error = connection_find(&values->connection, false, &self.connection);
    if (error != OK)
        return connection_failed("demo", error);
    self.http = http_client_create(self.connection.url);
    http_client_authorize(self.http, self.connection.token);
    error = demo_scene_init(&self.scene, self.http, values->scene);
    if (error != OK)
        return command_failed("demo", error, OUTCOME_USAGE);
    return values->remove ? remove_all(&self) : run_demo(&self);
}

const struct command demo_command = {
    .name = "demo",
    .about = "Make a scene in which people walk, to see what the server does.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct demo_values),
    .run = demo_run,
};
