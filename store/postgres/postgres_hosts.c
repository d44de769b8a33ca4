// postgres_hosts.c - a URI as lists of servers and options (postgres_hosts.h).
#include "store/postgres/postgres_hosts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"

// The value of an option, or NULL.
static const char *
value_of(const struct postgres_hosts *self, const char *keyword)
{
    for (const PQconninfoOption *option = self->options; option->keyword; option++)
        if (strcmp(option->keyword, keyword) == 0)
            return option->val;
    return NULL;
}

static unsigned
count_items(const char *list)
{
    unsigned count = 1;
    for (; list && *list; list++)
        count += *list == ',';
    return count;
}

static bool
is_uri(const char *uri)
{
    return strncmp(uri, "postgresql://", 13) == 0 || strncmp(uri, "postgres://", 11) == 0;
}

// Where a password has a raw @ or / libpq takes what follows for a host or a port, and says it when
// it cannot connect there.
static fallible
check_parts(const struct postgres_hosts *self)
{
    const char *host = value_of(self, "host"), *port = value_of(self, "port");
    if ((host && strchr(host, '@')) || (port && port[strspn(port, "0123456789,")]))
        return fail(ERR_INVALID, "",
                    "store.uri has a host with @ in it, or a port that is no number; write user "
                    "and password in percent encoding (@ is %%40, / is %%2F, : is %%3A)");
    return OK;
}

fallible
postgres_hosts_parse(const char *uri, struct postgres_hosts *ret_hosts)
{
    char *error = NULL;
    owned(postgres_hosts_finish) struct postgres_hosts hosts = {
        .options = is_uri(uri) ? PQconninfoParse(uri, &error) : NULL};
    PQfreemem(error);
    if (!hosts.options)
        return fail(ERR_INVALID, "",
                    "store.uri is not of the form postgresql://user:password@host:port/database, "
                    "each part in percent encoding");
    TRY(check_parts(&hosts));
    unsigned names = count_items(value_of(&hosts, "host"));
    unsigned addresses = count_items(value_of(&hosts, "hostaddr"));
    hosts.count = names > addresses ? names : addresses;
    *ret_hosts = hosts;
    hosts.options = NULL;
    return OK;
}

void
postgres_hosts_finish(struct postgres_hosts *self)
{
    PQconninfoFree(self->options);
    self->options = NULL;
}

// Item `index` of a list; where it has one item alone, that.
static const char *
item_of(const char *list, unsigned index, char *ret_item)
{
    if (!list)
        return NULL;
    for (const char *comma; index > 0 && (comma = strchr(list, ',')) != NULL; index--)
        list = comma + 1;
    size_t size = strcspn(list, ",");
    snprintf(ret_item, HOSTS_TEXT, "%.*s", (int)size, list);
    return ret_item;
}

static void
add(struct postgres_target *target, const char *keyword, const char *value)
{
    if (!value || target->count == HOSTS_OPTIONS)
        return;
    target->keywords[target->count] = keyword;
    target->values[target->count++] = value;
}

// A row overrides what the URI says (`is_ours`), or stands where it says nothing.
static const struct {
    const char *keyword, *value;
    bool is_ours;
} rows[] = {
    {"target_session_attrs", "read-write", true}, // the primary, whichever of the servers it is
    {"client_encoding", "UTF8", true},
    {"application_name", "dioramad", false},
    {"tcp_user_timeout", "2000", false}, // ms until what is sent and not acknowledged is an error
    {"keepalives_idle", "2", false},     // s
    {"keepalives_interval", "1", false},
    {"keepalives_count", "3", false},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool
is_passed_on(const PQconninfoOption *option)
{
    static const char *const apart[] = {"host", "hostaddr", "port"};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        if (strcmp(option->keyword, apart[i]) == 0)
            return false;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].is_ours && strcmp(option->keyword, rows[i].keyword) == 0)
            return false;
    return option->val != NULL;
}

void
postgres_hosts_target(const struct postgres_hosts *self, unsigned index,
                      struct postgres_target *ret_target)
{
    struct postgres_target *target = ret_target;
    target->count = 0;
    for (const PQconninfoOption *option = self->options; option->keyword; option++)
        if (is_passed_on(option))
            add(target, option->keyword, option->val);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].is_ours || !value_of(self, rows[i].keyword))
            add(target, rows[i].keyword, rows[i].value);
    add(target, "host", item_of(value_of(self, "host"), index, target->host));
    add(target, "hostaddr", item_of(value_of(self, "hostaddr"), index, target->address));
    add(target, "port", item_of(value_of(self, "port"), index, target->port));
    target->keywords[target->count] = target->values[target->count] = NULL;
}
