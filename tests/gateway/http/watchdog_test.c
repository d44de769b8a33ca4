// watchdog_test.c - the watchdog over real sockets: which connections it ends, and which it leaves.
#include "gateway/http/watchdog.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/budget/parse_memory.h"

enum { WORKERS = 3, LONG_MS = 10000 };

// Three workers, of which one is kept free: the third connection is one too many.
static watchdog_t *watchdog;
static struct watch *watches[WORKERS];
static int ours[WORKERS], theirs[WORKERS];

static void
start(void)
{
    cr_assert_eq(watchdog_create(WORKERS, &watchdog), OK);
    for (int i = 0; i < WORKERS; i++) {
        int ends[2];
        watches[i] = watchdog_attach(watchdog);
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        ours[i] = ends[0];
        theirs[i] = ends[1];
    }
}

static void
stop(void)
{
    watchdog_destroy(&watchdog);
    cr_assert_null(watchdog);
    for (int i = 0; i < WORKERS; i++) {
        close(ours[i]);
        close(theirs[i]);
    }
}

TestSuite(watchdog, .init = start, .fini = stop, .timeout = 30);

static void
open_in(int index, enum client_deadline_phase phase)
{
    watch_open(watches[index], ours[index]);
    cr_assert(watch_enter(watches[index], phase));
}

// Returns when the watchdog has ended what comes in.
static void
await_end(int index)
{
    char byte;
    cr_assert_eq(read(ours[index], &byte, 1), 0);
}

static bool
is_open(int index)
{
    char byte;
    return write(theirs[index], "x", 1) == 1 && read(ours[index], &byte, 1) == 1;
}

Test(watchdog, one_that_waits_is_cut_when_workers_are_short)
{
    open_in(0, CLIENT_DEADLINE_WORK);
    open_in(1, CLIENT_DEADLINE_WORK);
    watch_open(watches[2], ours[2]);
    await_end(2);
    cr_assert(watch_is_cut(watches[2]));
    cr_assert(!watch_is_cut(watches[0]) && !watch_is_cut(watches[1]));
    cr_assert(is_open(0) && is_open(1));
}

Test(watchdog, one_that_has_been_cut_enters_no_phase)
{
    open_in(0, CLIENT_DEADLINE_WORK);
    open_in(1, CLIENT_DEADLINE_WORK);
    open_in(2, CLIENT_DEADLINE_BODY);
    await_end(2);
    cr_assert(!watch_enter(watches[2], CLIENT_DEADLINE_WORK));
    cr_assert(!watch_enter(watches[2], CLIENT_DEADLINE_ANSWER));
    cr_assert(watch_enter(watches[0], CLIENT_DEADLINE_ANSWER));
}

Test(watchdog, only_as_many_are_cut_as_are_missing)
{
    for (int i = 0; i < WORKERS; i++)
        watch_open(watches[i], ours[i]);
    struct timespec pause = {.tv_nsec = 5000000};
    while (!watch_is_cut(watches[0]) && !watch_is_cut(watches[1]) && !watch_is_cut(watches[2]))
        nanosleep(&pause, NULL);
    int cut = 0;
    for (int i = 0; i < WORKERS; i++)
        cut += watch_is_cut(watches[i]);
    cr_assert_eq(cut, 1);
}

Test(watchdog, worker_takes_the_next_connection_after_a_cut)
{
    open_in(0, CLIENT_DEADLINE_WORK);
    open_in(1, CLIENT_DEADLINE_WORK);
    watch_open(watches[2], ours[2]);
    await_end(2);
    watch_close(watches[2]);
    cr_assert(!watch_is_cut(watches[2]));
    watch_open(watches[2], theirs[2]);
    cr_assert(watch_enter(watches[2], CLIENT_DEADLINE_WORK));
}

Test(watchdog, closed_connection_is_nobodys_to_end)
{
    watch_open(watches[0], ours[0]);
    watch_close(watches[0]);
    watchdog_end_connections(watchdog);
    cr_assert(is_open(0));
}

Test(watchdog, forgotten_socket_is_nobodys_to_end_and_its_worker_is_still_held)
{
    watch_open(watches[0], ours[0]);
    watch_forget(watches[0]);
    watchdog_end_connections(watchdog);
    cr_assert(is_open(0));
    cr_assert_eq(watchdog_busy(watchdog), 1);
    watch_close(watches[0]);
    cr_assert_eq(watchdog_busy(watchdog), 0);
}

Test(watchdog, held_workers_are_counted)
{
    cr_assert_eq(watchdog_busy(watchdog), 0);
    watch_open(watches[0], ours[0]);
    watch_open(watches[1], -1);
    cr_assert_eq(watchdog_busy(watchdog), 2);
    watch_close(watches[0]);
    cr_assert_eq(watchdog_busy(watchdog), 1);
}

Test(watchdog, dismissed_connections_end)
{
    open_in(0, CLIENT_DEADLINE_IDLE);
    open_in(1, CLIENT_DEADLINE_WORK);
    watchdog_end_connections(watchdog);
    await_end(0);
    await_end(1);
}

Test(watchdog, drain_waits_for_requests_under_way_until_its_deadline)
{
    static const enum client_deadline_phase under_way[] = {
        CLIENT_DEADLINE_BODY, CLIENT_DEADLINE_WORK, CLIENT_DEADLINE_ANSWER};
    for (int i = 0; i < 3; i++) {
        uint64_t deadline_ms = clock_deadline_ms(40);
        watch_open(watches[0], ours[0]);
        cr_assert(watch_enter(watches[0], under_way[i]));
        watchdog_drain(watchdog, deadline_ms);
        cr_assert_geq(clock_now_ms(), deadline_ms);
        watch_close(watches[0]);
    }
}

Test(watchdog, drain_does_not_wait_for_connections_without_a_request)
{
    uint64_t deadline_ms = clock_deadline_ms(LONG_MS);
    watch_open(watches[0], ours[0]);
    open_in(1, CLIENT_DEADLINE_IDLE);
    watchdog_drain(watchdog, deadline_ms);
    cr_assert_lt(clock_now_ms(), deadline_ms - LONG_MS / 2);
}

Test(watchdog, nothing_is_destroyed_where_there_is_nothing)
{
    watchdog_t *none = NULL;
    watchdog_destroy(&none);
    cr_assert_null(none);
}

static const struct parse_payer somebody = {NULL, "somebody"};

static void *
wait_for_room(void *share)
{
    cr_assert_eq(parse_share_take(&somebody, PARSE_ARRIVING, 1, clock_deadline_ms(LONG_MS), share),
                 OK);
    return NULL;
}

Test(watchdog, a_body_that_rests_in_memory_that_others_wait_for_is_cut)
{
    struct parse_share held = {0}, awaited = {0};
    pthread_t waiter;
    parse_memory_init(2);
    cr_assert_eq(parse_share_take(&somebody, PARSE_ARRIVING, 1, 0, &held), OK);
    open_in(0, CLIENT_DEADLINE_REST);
    open_in(1, CLIENT_DEADLINE_BODY);
    cr_assert_eq(pthread_create(&waiter, NULL, wait_for_room, &awaited), 0);
    uint64_t began_ms = clock_now_ms();
    await_end(0);
    cr_assert_lt(clock_now_ms() - began_ms, LONG_MS / 2);
    cr_assert(is_open(1), "it holds nothing that others wait for");
    parse_share_release(&held);
    pthread_join(waiter, NULL);
    parse_share_release(&awaited);
}
