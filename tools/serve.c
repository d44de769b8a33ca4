// serve.c - main of dioramad: settings, store, actors, gateway, then wait for a signal.
// Exit status: 0 after SIGTERM or SIGINT, 2 on a bad configuration, 1 where it cannot start, 3
// where
// --check-store has mended something.

#include <czmq.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "actors/migration.h"
#include "actors/replica/replica_start.h"
#include "actors/store_check.h"
#include "actors/supervisor.h"
#include "gateway/gateway.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/version.h"
#include "proto/message/audit.h"
#include "proto/message/lease.h"
#include "proto/message/series.h"
#include "store/blob_place.h"
#include "store/format.h"
#include "store/store_open.h"
#include "tools/service_manager.h"
#include "tools/standby.h"

enum {
    EXIT_CANNOT_START = 1,
    EXIT_BAD_CONFIG = 2,
    EXIT_MENDED = 3,
    SOCKETS_AT_MOST = 8192,
    STOP_WITHIN_S = 4,
    RESTART_SIGNAL = SIGUSR1,
    AGAIN_S = 1, // between two starts while the database is away
};

// In the environment of a process that started anew.
static const char anew_variable[] = "DIORAMAD_STARTED_ANEW";

struct server {
    struct standby standby;
    store_t *store;
    blobs_t *blobs;
    budget_book_t *book;
    supervisor_t *supervisor;
    gateway_t *gateway;
};

// How the program was called, and the settings as they are now.
struct invocation {
    int argc;
    char *const *argv;
    struct config config;
};

// Says why it ends; what only a setting can have caused ends as a bad configuration does.
static int
complain(const char *what)
{
    const struct fault *fault = fault_last();
    fprintf(stderr, "dioramad: %s: %s\n", what, fault->detail);
    return fault->error == ERR_INVALID ? EXIT_BAD_CONFIG : EXIT_CANNOT_START;
}

// What the process writes and holds in memory is for its own user alone: records, hashes of
// passwords, keys. A sanitizer must look into its own process.
static void
close_to_others(void)
{
    umask(S_IRWXG | S_IRWXO);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (prctl(PR_SET_DUMPABLE, 0) != 0)
        log_warning("memory_readable", "reason=%s", strerror(errno));
#endif
}

// Every worker and every connection has descriptors: take as many as the system allows.
static void
raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        log_warning("descriptor_limit_kept", "limit=%llu", (unsigned long long)limit.rlim_cur);
}

// The workers that one user may keep waiting are a small part of all.
static budget_book_t *
open_book(const struct config *config)
{
    enum { PART = 8, LEAST = 4 };
    int64_t waiters = config->http_threads / PART;
    return budget_book_create(config->budgets, (unsigned)(waiters > LEAST ? waiters : LEAST));
}

// Whether a signal to end waits, which every thread blocks.
static bool
is_told_to_end(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

// The process takes a signal of its own: whoever asks goes on, and main ends in order.
static void
ask_for_restart(void)
{
    kill(getpid(), RESTART_SIGNAL);
}

static fallible
prepare_store(void *context, store_t *store)
{
    TRY(standby_take_charge(context, store));
    return migration_run(store);
}

static fallible
server_start(struct server *self, struct config *config)
{
    struct followed_place place;
    lease_set_blind((uint64_t)config->events_blind_ms);
    self->book = open_book(config);
    self->standby = (struct standby){.config = config,
                                     .must_end = is_told_to_end,
                                     .replaced = ask_for_restart,
                                     .book = self->book};
    const struct store_preparation preparation = {prepare_store, &self->standby};
    TRY(replica_open(config, is_told_to_end, &preparation, &self->store, &place));
    TRY(blob_place_open(config, self->store, reserve_measure, is_told_to_end, &self->blobs));
    const struct supervisor_surroundings around = {.store = self->store,
                                                   .blobs = self->blobs,
                                                   .book = self->book,
                                                   .must_end = is_told_to_end,
                                                   .restart = ask_for_restart,
                                                   .followed = place};
    TRY(supervisor_start(config, &around, &self->supervisor));
    const struct gateway_surroundings surroundings = {
        .shards = supervisor_shards(self->supervisor),
        .udp_port = supervisor_udp_port(self->supervisor),
        .replica_endpoint = supervisor_replica_endpoint(self->supervisor),
        .epoch = supervisor_epoch(self->supervisor),
        .measure_disk = reserve_measure,
        .blobs = self->blobs,
        .version = version_text(),
        .sessions = supervisor_sessions(self->supervisor),
        .shown = supervisor_shown(self->supervisor),
        .book = self->book,
    };
    standby_stop_listening(&self->standby);
    memory_trim(); // what reading the store took: buffers of the gateway would come to lie on it
    TRY(gateway_create(config, &surroundings, &self->gateway));
    gateway_set_ready(self->gateway, true);
    return OK;
}

static void
server_stop(struct server *self)
{
    gateway_destroy(&self->gateway);
    supervisor_stop(&self->supervisor);
    standby_finish(&self->standby);
    budget_book_destroy(&self->book);
    blobs_destroy(&self->blobs);
    store_destroy(&self->store);
}

// What was acknowledged is on disk: a store that hangs must not keep the process from ending.
static void
end_now(int signal_number)
{
    (void)signal_number;
    _exit(EXIT_SUCCESS);
}

static void
stop_within(struct server *server, void (*otherwise)(int))
{
    const struct sigaction action = {.sa_handler = otherwise, .sa_flags = SA_NODEFER};
    sigaction(SIGALRM, &action, NULL);
    alarm(STOP_WITHIN_S);
    server_stop(server);
    alarm(0);
}

static int
end_in_order(struct server *server)
{
    service_manager_tell("STOPPING=1");
    stop_within(server, end_now);
    return EXIT_SUCCESS;
}

// A start that was broken off because the server is told to end has not failed.
static int
end_start(struct server *server)
{
    if (is_told_to_end()) {
        log_info("stopping", "detail=%s", fault_last()->detail);
        return end_in_order(server);
    }
    int status = complain("cannot start");
    server_stop(server);
    return status;
}

// A signal, or 0 when the next second of the series begins, or the service manager is to be told
// that the server is alive (0 = never).
static int
next_signal(const sigset_t *signals, uint64_t alive_ms)
{
    enum { SECOND_MS = 1000 };
    long wait_ms = SECOND_MS - (long)(clock_now_ms() % SECOND_MS);
    if (alive_ms && clock_left_ms(alive_ms) < wait_ms)
        wait_ms = clock_left_ms(alive_ms);
    const struct timespec wait = {.tv_sec = wait_ms / SECOND_MS,
                                  .tv_nsec = wait_ms % SECOND_MS * 1000000};
    int number = sigtimedwait(signals, NULL, &wait);
    return number > 0 ? number : 0;
}

static void
reload(struct invocation *self)
{
    if (config_reload(self->argc, self->argv, &self->config) != OK) {
        log_error("configuration_kept", "detail=%s", fault_last()->detail);
        return;
    }
    log_setup((enum log_level)self->config.log_level, (enum log_format)self->config.log_format);
}

// Returns when the server shall end, with the signal that says so. A server whose scene actors do
// not answer says nothing to the service manager, which then starts it again.
static int
wait_for_end(struct invocation *self, const struct server *server, const sigset_t *signals)
{
    uint64_t watchdog_ms = service_manager_watchdog_ms();
    uint64_t alive_ms = watchdog_ms ? clock_deadline_ms(watchdog_ms) : 0;
    struct memory_rest rest = {0};
    for (;;) {
        series_sample(clock_now_ms());
        if (memory_rest_has_come(&rest, clock_now_ms(), clock_process_us()))
            memory_trim();
        int number = next_signal(signals, alive_ms);
        if (number == SIGTERM || number == SIGINT || number == RESTART_SIGNAL) {
            log_info("stopping", "signal=%d", number);
            return number;
        }
        if (number == SIGHUP) {
            audit_reopen();
            reload(self);
        }
        if (!watchdog_ms || clock_left_ms(alive_ms) > 0)
            continue;
        alive_ms = clock_deadline_ms(watchdog_ms);
        if (supervisor_is_answering(server->supervisor, watchdog_ms))
            service_manager_tell("WATCHDOG=1");
    }
}

static void
block_signals(sigset_t *ret_signals)
{
    sigemptyset(ret_signals);
    sigaddset(ret_signals, SIGTERM);
    sigaddset(ret_signals, SIGINT);
    sigaddset(ret_signals, SIGHUP);
    sigaddset(ret_signals, RESTART_SIGNAL);
    // Blocked in every thread: only wait_for_end sees them.
    pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
}

// One line for whoever started it: what it serves, and where people look at it.
static void
say_started(const struct server *server, const struct config *config)
{
    const char *host = config->http_host;
    bool bracketed = strchr(host, ':') != NULL;
    int port = gateway_port(server->gateway);
    printf("dioramad %s serves http://%s:%d udp %s:%d pub %s epoch %llu", version_text(), host,
           port, config->udp_host, supervisor_udp_port(server->supervisor), config->pub_endpoint,
           (unsigned long long)supervisor_epoch(server->supervisor));
    if (*supervisor_replica_endpoint(server->supervisor))
        printf(" replica %s", supervisor_replica_endpoint(server->supervisor));
    if (gateway_has_console(server->gateway))
        printf(" console http://%s%s%s:%d/console/\n", bracketed ? "[" : "", host,
               bracketed ? "]" : "", port);
    else
        printf(" console %s\n", config->console_enabled ? "none (built without npm)" : "off");
    fflush(stdout);
}

// Of start_now: how the program was called.
static char *const *own_arguments;

static void
start_now(int signal_number)
{
    (void)signal_number;
    execv("/proc/self/exe", own_arguments);
    _exit(EXIT_CANNOT_START);
}

// The same process serves anew: as the leader that it became, with a new copy of its leader, or as
// one of two on a database, whoever is in charge by then.
static int
start_anew(const struct invocation *invocation, struct server *server)
{
    const struct timespec at_once = {0};
    sigset_t asked;
    own_arguments = invocation->argv;
    service_manager_tell("STOPPING=1");
    setenv(anew_variable, "1", true);
    stop_within(server, start_now);
    sigemptyset(&asked);
    sigaddset(&asked, RESTART_SIGNAL);
    sigtimedwait(&asked, NULL, &at_once); // it would outlast the call below
    execv("/proc/self/exe", invocation->argv);
    fprintf(stderr, "dioramad: cannot start anew: %s\n", strerror(errno));
    return EXIT_CANNOT_START;
}

// Whether a start that failed is begun again. Who stood by, or served before, goes on: the database
// may be away for a moment. Whoever calls the program is told at once.
static bool
must_start_again(const struct server *server)
{
    bool goes_on = server->standby.has_listened || getenv(anew_variable);
    if (is_told_to_end())
        return false;
    if (lease_is_lost())
        return true;
    if (!goes_on || !server->standby.config->store_uri[0] || fault_last()->error != ERR_UNAVAILABLE)
        return false;
    log_warning("start_failed", "again_s=%d detail=%s", AGAIN_S, fault_last()->detail);
    sleep(AGAIN_S);
    return true;
}

static int
serve(struct invocation *invocation)
{
    // The actors read this copy for as long as they run; a reload changes the other one.
    struct config started = invocation->config, *config = &started;
    sigset_t signals;
    block_signals(&signals);
    struct server server = {0};
    if (server_start(&server, config) != OK)
        return must_start_again(&server) ? start_anew(invocation, &server) : end_start(&server);
    say_started(&server, config);
    service_manager_tell("READY=1");
    if (wait_for_end(invocation, &server, &signals) == RESTART_SIGNAL)
        return start_anew(invocation, &server);
    return end_in_order(&server);
}

// A server took the place of this tool, which was frozen.
static void
end_tool(void)
{
    fprintf(stderr, "dioramad: the store: %s\n", "a server has taken charge of it meanwhile");
    _exit(EXIT_CANNOT_START);
}

// Nobody serves the store meanwhile: one process at a time is in charge of it.
static int
check_store(struct config *config)
{
    uint64_t mended = 0;
    uint32_t format, steps;
    store_t *store = NULL;
    charge_keeper_t *keeper = NULL;
    enum error error = store_open(config, &store);
    if (error == OK)
        error = charge_hold_soon(store, config, end_tool, &keeper);
    if (error == OK)
        error = format_read(store, &format, &steps); // a newer one has other rows than ours
    if (error == OK)
        error = store_check(store, &mended);
    int status = error == OK ? (mended ? EXIT_MENDED : EXIT_SUCCESS) : complain("the store");
    if (error == OK)
        puts(mended ? "the store was mended" : "the store is good");
    charge_keeper_destroy(&keeper);
    store_destroy(&store);
    return status;
}

static int
act(enum config_action action, struct invocation *invocation)
{
    struct config *config = &invocation->config;
    switch (action) {
    case CONFIG_HELP:
        config_help(stdout);
        return EXIT_SUCCESS;
    case CONFIG_VERSION:
        printf("dioramad %s\n", version_text());
        return EXIT_SUCCESS;
    case CONFIG_PRINT:
        config_print(config, stdout);
        return EXIT_SUCCESS;
    case CONFIG_CHECK:
        puts("the configuration is good");
        return EXIT_SUCCESS;
    case CONFIG_STORE:
        return check_store(config);
    default:
        return serve(invocation);
    }
}

int
main(int argc, char **argv)
{
    struct invocation invocation = {.argc = argc, .argv = argv};
    const struct config *config = &invocation.config;
    enum config_action action;
    memory_bound_caches(argv);
    zsys_init();
    zsys_handler_set(NULL); // czmq would take SIGTERM over
    zsys_set_max_sockets(SOCKETS_AT_MOST);
    if (sodium_init() < 0)
        return complain("the system's random source is not there");
    if (config_load(argc, argv, &invocation.config, &action) != OK) {
        complain("configuration");
        return EXIT_BAD_CONFIG;
    }
    log_setup((enum log_level)config->log_level, (enum log_format)config->log_format);
    close_to_others();
    raise_descriptor_limit();
    memory_tune();
    int status = act(action, &invocation);
    zsys_shutdown();
    return status;
}
