// postgres_route_test.c - which server is connected to: not one that was replaced, and not only the
// one that is asked first. A promotion: tests/system/postgres_failover_test.py.
#include "store/postgres/postgres_route.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/database.h"
#include "tests/support/engines.h"

enum { POSTGRES_ROW = 2, CALL_MS = 4000, ADDED = 256 };

static struct engine_fixture fixture;
static char uri[DATABASE_URI_BYTES];
static struct postgres_route route;
static session_t *session;

static void
begin(void)
{
    engine_fixture_init(&fixture, POSTGRES_ROW);
    database_uri_of(fixture.path, uri);
    route = (struct postgres_route){0};
}

static void
end(void)
{
    session_close(&session);
    postgres_route_finish(&route);
    engine_fixture_finish(&fixture);
}

TestSuite(postgres_route, .init = begin, .fini = end);

static void
parse(const char *where)
{
    cr_assert_eq(postgres_hosts_parse(where, &route.hosts), OK, "%s", fault_last()->detail);
}

static void
check_open(void)
{
    cr_assert_eq(postgres_route_open(&route, clock_deadline_ms(CALL_MS), &session), OK, "%s",
                 fault_last()->detail);
}

Test(postgres_route, a_server_of_the_newest_timeline_is_taken)
{
    parse(uri);
    check_open();
    cr_assert_eq(session_timeline(session), 1); // nobody promoted it
    cr_assert_eq(route.timeline, 1);
    cr_assert(postgres_route_is_newest(&route, session));
    route.timeline = 2;
    cr_assert_not(postgres_route_is_newest(&route, session));
}

Test(postgres_route, of_servers_of_one_timeline_a_start_takes_the_first)
{
    char both[DATABASE_URI_BYTES + ADDED];
    const char *host = strstr(uri, "host=");
    cr_assert_not_null(host);
    snprintf(both, sizeof both, "%.*shost=%.*s,%s", (int)(host - uri), uri,
             (int)strcspn(host + 5, "&"), host + 5, host + 5);
    parse(both);
    cr_assert_eq(route.hosts.count, 2);
    cr_assert_eq(postgres_route_open_newest(&route, clock_deadline_ms(CALL_MS), &session), OK);
    cr_assert_eq(route.last, 0);
}

Test(postgres_route, a_server_of_a_lower_timeline_than_was_seen_is_refused)
{
    parse(uri);
    route.timeline = 2;
    cr_assert_eq(postgres_route_open(&route, clock_deadline_ms(CALL_MS), &session),
                 ERR_UNAVAILABLE);
    cr_assert_null(session);
    cr_assert_not_null(strstr(fault_last()->detail, "was replaced"), "%s", fault_last()->detail);
}

Test(postgres_route, a_server_of_another_cluster_is_refused)
{
    parse(uri);
    check_open();
    uint64_t system = session_system(session);
    cr_assert_neq(system, 0);
    cr_assert_eq(route.system, system);
    session_close(&session);
    route.system = system + 1;
    cr_assert_eq(postgres_route_open(&route, clock_deadline_ms(CALL_MS), &session),
                 ERR_UNAVAILABLE);
    cr_assert_null(session);
    cr_assert_not_null(strstr(fault_last()->detail, "another cluster"));
    cr_assert_not_null(
        strstr(fault_last()->detail, "remove store/DATABASE in data.dir, and start"));
}

Test(postgres_route, another_database_of_the_cluster_is_refused)
{
    parse(uri);
    check_open();
    cr_assert_neq(session_database(session), 0);
    cr_assert_eq(route.database, session_database(session));
    session_close(&session);
    route.database++;
    cr_assert_eq(postgres_route_open(&route, clock_deadline_ms(CALL_MS), &session),
                 ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "another one of the same cluster"));
}

Test(postgres_route, what_is_learnt_is_known_the_next_time)
{
    char folder[] = "/tmp/diorama-route-XXXXXX", path[ADDED];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/" POSTGRES_KNOWN_FILE, folder);
    cr_assert_eq(postgres_route_init(&route, folder), OK);
    parse(uri);
    check_open();
    struct postgres_route again = {0};
    cr_assert_eq(postgres_route_init(&again, folder), OK);
    cr_assert_eq(again.timeline, 1);
    cr_assert_eq(again.system, session_system(session));
    cr_assert_eq(again.database, session_database(session));
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(rmdir(folder), 0);
    session_close(&session);
    again.timeline = 0; // a server whose timeline cannot be noted is not used
    again.system = 0;
    cr_assert_eq(postgres_hosts_parse(uri, &again.hosts), OK);
    cr_assert_eq(postgres_route_open(&again, clock_deadline_ms(CALL_MS), &session),
                 ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "cannot write"));
    postgres_route_finish(&again);
}

Test(postgres_route, an_engine_that_tells_no_identifier_has_none)
{
    char shadowed[DATABASE_URI_BYTES + ADDED];
    database_run(uri, "CREATE FUNCTION pg_control_system(OUT system_identifier int8) LANGUAGE "
                      "plpgsql AS 'BEGIN RAISE EXCEPTION ''no'' USING ERRCODE = ''42501''; END'");
    snprintf(shadowed, sizeof shadowed, "%s%%2Cpg_catalog", uri);
    parse(shadowed);
    check_open();
    cr_assert_eq(session_system(session), 0);
    cr_assert_eq(session_timeline(session), 1);
}

Test(postgres_route, an_engine_without_timelines_has_the_timeline_0)
{
    char shadowed[DATABASE_URI_BYTES + ADDED];
    database_run(uri, "CREATE FUNCTION pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS "
                      "'BEGIN RAISE EXCEPTION ''none'' USING ERRCODE = ''0A000''; END'");
    snprintf(shadowed, sizeof shadowed, "%s%%2Cpg_catalog", uri);
    parse(shadowed);
    check_open();
    cr_assert_eq(session_timeline(session), 0);
    cr_assert_eq(session_prepare(session, clock_deadline_ms(CALL_MS)), OK, "%s",
                 fault_last()->detail);
}

// It takes connections, and says nothing.
static int
listen_silently(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(listener, 1), 0);
    return listener;
}

Test(postgres_route, a_silent_server_leaves_time_for_the_next_which_is_asked_first_from_then_on)
{
    char both[DATABASE_URI_BYTES + ADDED], folder[] = "/tmp/diorama-route-XXXXXX", path[ADDED];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/.s.PGSQL.5432", folder);
    int silent = listen_silently(path);
    const char *host = strstr(uri, "host=");
    cr_assert_not_null(host);
    snprintf(both, sizeof both, "%.*shost=%s,%s", (int)(host - uri), uri, folder, host + 5);
    parse(both);
    check_open();
    cr_assert_eq(route.last, 1);
    session_close(&session);
    uint64_t began_ms = clock_now_ms();
    check_open();
    cr_assert_lt(clock_now_ms() - began_ms, CALL_MS / 4);
    close(silent);
    unlink(path);
    rmdir(folder);
}
