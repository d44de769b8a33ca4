// postgres_hosts_test.c - what a URI says: servers, and what libpq is told for each.
#include "store/postgres/postgres_hosts.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"

static const char *
told(const struct postgres_target *target, const char *keyword)
{
    const char *value = NULL;
    for (unsigned i = 0; i < target->count; i++)
        if (strcmp(target->keywords[i], keyword) == 0) {
            cr_assert_null(value, "%s is told twice", keyword);
            value = target->values[i];
        }
    return value;
}

static void
check_target(const char *uri, unsigned index, const char *host, const char *port)
{
    owned(postgres_hosts_finish) struct postgres_hosts hosts = {0};
    struct postgres_target target;
    cr_assert_eq(postgres_hosts_parse(uri, &hosts), OK, "%s", fault_last()->detail);
    postgres_hosts_target(&hosts, index, &target);
    cr_assert_str_eq(told(&target, "host"), host);
    if (port)
        cr_assert_str_eq(told(&target, "port"), port);
    else
        cr_assert_null(told(&target, "port"));
    cr_assert_null(target.keywords[target.count]);
}

Test(postgres_hosts, each_server_is_told_alone)
{
    static const char uri[] = "postgresql://u:p@one:5433,two:5434,three/d";
    check_target(uri, 0, "one", "5433");
    check_target(uri, 1, "two", "5434");
    check_target("postgresql://u:p@one,two:5433/d?port=5435", 1, "two", "5435");
    check_target("postgresql:///d?host=/run/a", 0, "/run/a", NULL);
}

Test(postgres_hosts, counts_the_servers)
{
    owned(postgres_hosts_finish) struct postgres_hosts hosts = {0};
    cr_assert_eq(postgres_hosts_parse("postgres://a,b,c/d", &hosts), OK);
    cr_assert_eq(hosts.count, 3);
}

Test(postgres_hosts, the_primary_is_asked_for_whatever_the_uri_says)
{
    owned(postgres_hosts_finish) struct postgres_hosts hosts = {0};
    struct postgres_target target;
    cr_assert_eq(
        postgres_hosts_parse("postgresql://a/d?target_session_attrs=any&keepalives_idle=9", &hosts),
        OK);
    postgres_hosts_target(&hosts, 0, &target);
    cr_assert_str_eq(told(&target, "target_session_attrs"), "read-write");
    cr_assert_str_eq(told(&target, "keepalives_idle"), "9");
    cr_assert_str_eq(told(&target, "tcp_user_timeout"), "2000");
}

Test(postgres_hosts, what_is_no_uri_is_refused_without_being_repeated)
{
    static const char *const bad[] = {
        "",
        "mysql://u:secret@h/d",
        "host=h password=secret",
        "postgresql://u:sec%ret@h/d",
        "postgresql://u:secret@[::1/d",
        "postgresql://u:secret@h/d?no=such",
        "postgresql://u:p@secret@127.0.0.1:1/d",
        "postgresql://u:secret/p@127.0.0.1:1/d",
        "postgresql://u:p@h:1,i:secret/d",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct postgres_hosts hosts = {0};
        cr_assert_eq(postgres_hosts_parse(bad[i], &hosts), ERR_INVALID, "%s", bad[i]);
        cr_assert_null(strstr(fault_last()->detail, "sec"));
    }
}
