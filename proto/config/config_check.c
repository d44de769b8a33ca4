// config_check.c - addresses, networks, and who may be listened to.
#include "proto/config/config_check.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "proto/config/track_sources.h"

enum { ITEM_BYTES = 64, TOKEN_BYTES_LEAST = 16, TOKEN_BYTES_MOST = 256 };

// The bits of the address family of a literal, 0 where it is none.
static int
address_bits(const char *host)
{
    unsigned char address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, host, address) == 1)
        return 32;
    return inet_pton(AF_INET6, host, address) == 1 ? 128 : 0;
}

static bool
host_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, host, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    return strcmp(host, "localhost") == 0;
}

const char *
check_not_empty(const char *value)
{
    return value[0] ? NULL : "not empty";
}

const char *
check_token(const char *value)
{
    size_t size = strlen(value);
    if (size == 0)
        return NULL;
    for (const char *at = value; *at; at++)
        if (*at <= ' ' || *at > '~')
            size = 0;
    return size >= TOKEN_BYTES_LEAST && size <= TOKEN_BYTES_MOST
               ? NULL
               : "16 to 256 visible ASCII characters";
}

const char *
check_store_uri(const char *value)
{
    bool is_uri =
        strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0;
    return is_uri || !*value ? NULL : "postgresql://user:password@host/database, or nothing";
}

const char *
check_host(const char *value)
{
    if (address_bits(value) || strcmp(value, "localhost") == 0)
        return NULL;
    return "an IPv4 or IPv6 address, or localhost";
}

static bool
is_address(const char *item)
{
    return address_bits(item) > 0;
}

const char *
check_interface(const char *value)
{
    return !*value || address_bits(value) == 32 ? NULL : "the IPv4 address of an interface";
}

// address/bits
static bool
is_network(char *item)
{
    char *slash = strchr(item, '/'), *end;
    if (!slash || slash[1] < '0' || slash[1] > '9')
        return false;
    *slash = '\0';
    long bits = strtol(slash + 1, &end, 10);
    return *end == '\0' && is_address(item) && bits <= address_bits(item);
}

// The next item of a comma-separated list, without the spaces around it; false at the end of the
// list. An item that is longer than any address comes back cut; no check accepts that.
static bool
next_item(const char **list, char *ret_item)
{
    if (!*list || !**list)
        return false;
    const char *start = *list + strspn(*list, " ");
    size_t size = strcspn(start, ",");
    *list = start[size] ? start + size + 1 : NULL;
    while (size > 0 && start[size - 1] == ' ')
        size--;
    size = size < ITEM_BYTES ? size : ITEM_BYTES - 1;
    memcpy(ret_item, start, size);
    ret_item[size] = '\0';
    return true;
}

const char *
check_addresses(const char *value)
{
    char item[ITEM_BYTES];
    while (next_item(&value, item))
        if (!is_address(item))
            return "addresses separated by commas, such as 10.0.0.1,fd00::1";
    return NULL;
}

// Whoever is listed may read and write with the cookie of a user: "*" would list every site, and
// "null" what any page can make.
const char *
check_origins(const char *value)
{
    char item[ITEM_BYTES];
    while (next_item(&value, item)) {
        const char *mark = strstr(item, "://");
        if (!mark || mark == item || strchr(mark, '*'))
            return "origins separated by commas, such as https://scenes.example.org; pages of "
                   "every "
                   "site (*) cannot be admitted";
    }
    return NULL;
}

const char *
check_networks(const char *value)
{
    char item[ITEM_BYTES];
    while (next_item(&value, item))
        if (!is_network(item))
            return "networks separated by commas, such as 10.0.0.0/8,fd00::/8";
    return NULL;
}

// method=seconds; the item is cut at the `=`.
static bool
is_half_life(char *item, double *ret_seconds)
{
    enum { LEAST_S = 1, MOST_S = 1000000000 };
    char *equals = strchr(item, '='), *end;
    if (!equals || equals == item || equals[1] < '0' || equals[1] > '9')
        return false;
    *equals = '\0';
    *ret_seconds = strtod(equals + 1, &end);
    return *end == '\0' && *ret_seconds >= LEAST_S && *ret_seconds <= MOST_S;
}

const char *
check_half_lives(const char *value)
{
    char item[ITEM_BYTES];
    double seconds;
    while (next_item(&value, item))
        if (!is_half_life(item, &seconds))
            return "methods with seconds from 1 to 1e9, such as gps=86400,marker=604800";
    return NULL;
}

double
half_life_s(const char *list, const char *method)
{
    char item[ITEM_BYTES];
    double seconds;
    while (next_item(&list, item))
        if (is_half_life(item, &seconds) && strcmp(item, method) == 0)
            return seconds;
    return 0;
}

// Nothing, tcp://<loopback>:port, or a transport that stays on the machine.
static bool
endpoint_is_local(const char *endpoint)
{
    if (!endpoint[0] || strncmp(endpoint, "ipc://", 6) == 0 ||
        strncmp(endpoint, "inproc://", 9) == 0)
        return true;
    const char *port = strrchr(endpoint, ':');
    if (strncmp(endpoint, "tcp://", 6) != 0 || port < endpoint + 6)
        return false;
    const char *host = endpoint + 6;
    size_t size = (size_t)(port - host);
    if (size >= 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    }
    char plain[ITEM_BYTES];
    if (size >= sizeof(plain))
        return false;
    memcpy(plain, host, size);
    plain[size] = '\0';
    return host_is_loopback(plain);
}

static fallible
check_listener(const struct config *config, const char *key, const char *host)
{
    if (host_is_loopback(host) || config->auth_enabled || config->auth_allow_anonymous)
        return OK;
    return fail(
        ERR_INVALID, "",
        "%s=%s: whoever reaches this address could do everything without auth.enabled=true; "
        "auth.allow_anonymous=true says that this is meant",
        key, host);
}

bool
config_curve_folder(const struct config *config, char ret_folder[CONFIG_FOLDER_SIZE])
{
    bool is_made = config->auth_enabled && !config->pub_insecure && !config->pub_curve_dir[0];
    int size = is_made ? snprintf(ret_folder, CONFIG_FOLDER_SIZE, "%s/pub", config->data_dir)
                       : snprintf(ret_folder, CONFIG_FOLDER_SIZE, "%s", config->pub_curve_dir);
    return size < CONFIG_FOLDER_SIZE;
}

// All scenes are published, private ones too. If there are users, not everybody may read that, not
// even everybody on this machine: then the publisher uses CURVE, with keys of its own if need be.
fallible
config_check_publisher(const struct config *config)
{
    if (!config->pub_endpoint[0] || config->pub_curve_dir[0] || config->pub_insecure)
        return OK;
    if (config->auth_enabled)
        return OK; // CURVE, with keys in data.dir
    if (!endpoint_is_local(config->pub_endpoint))
        return fail(ERR_INVALID, "",
                    "pub.endpoint=%.80s: it is not loopback and everybody could read every scene; "
                    "set pub.curve_dir, or pub.insecure=true where this is meant",
                    config->pub_endpoint);
    return OK;
}

// A follower gets all that is stored, hashes of passwords too.
fallible
config_check_replica(const struct config *config)
{
    const char *endpoint = config->replica_endpoint;
    if (!endpoint || !endpoint[0] || config->replica_curve[0])
        return OK;
    if (!endpoint_is_local(endpoint))
        return fail(ERR_INVALID, "",
                    "replica.endpoint=%.80s: it is not loopback and everybody could read all that "
                    "is stored; set replica.curve_dir",
                    endpoint);
    if (config->auth_enabled)
        return fail(ERR_INVALID, "",
                    "replica.endpoint=%.80s: users log in, and whoever is on this machine could "
                    "read all that is stored; set replica.curve_dir",
                    endpoint);
    return OK;
}

static fallible
check_blobs(const struct config *config)
{
    if (config->blob_database)
        return fail(ERR_INVALID, "",
                    "blob.store=database needs a database: set store.uri, or leave blob.store out");
    if (!config->blob_dir || !*config->blob_dir)
        return OK;
    return fail(ERR_INVALID, "",
                "blob.dir=%.80s: it is for servers that share a database (store.uri); without one "
                "the bytes of assets are in data.dir, where backups and followers find them",
                config->blob_dir);
}

// Backups and followers take what they copy from the log of RocksDB.
fallible
config_check_database(const struct config *config)
{
    if (!*config->store_uri)
        return check_blobs(config);
    if (config->blob_database && config->blob_dir && *config->blob_dir)
        return fail(ERR_INVALID, "",
                    "blob.dir=%.80s: with blob.store=database the bytes of assets are in no folder "
                    "that servers share; leave one of the two settings out",
                    config->blob_dir);
    if (*config->backup_dir)
        return fail(ERR_INVALID, "",
                    "backup.dir=%.80s: the records are in the database of store.uri; back that up "
                    "with its own tools (pg_dump, pgBackRest, barman), and the folder blobs of "
                    "data.dir beside it",
                    config->backup_dir);
    if (*config->replica_endpoint)
        return fail(ERR_INVALID, "",
                    "replica.endpoint=%.80s: the records are in the database of store.uri, which "
                    "is copied by its own standbys; leave one of the two settings out",
                    config->replica_endpoint);
    if (*config->follow)
        return fail(ERR_INVALID, "",
                    "follow=%.80s: a follower keeps its copy in data.dir, not in the database of "
                    "store.uri; leave one of the two settings out",
                    config->follow);
    return OK;
}

fallible
config_check(const struct config *config)
{
    TRY(check_listener(config, "http.host", config->http_host));
    TRY(check_listener(config, "udp.host", config->udp_host));
    if (config->foxglove_port)
        TRY(check_listener(config, "foxglove.host", config->foxglove_host));
    TRY(config_check_database(config));
    if (*config->backup_log && !*config->backup_dir)
        return fail(ERR_INVALID, "",
                    "backup.log=%.80s: it goes on from backups; set backup.dir too",
                    config->backup_log);
    TRY(track_sources_check(config->track_opentrackio, config->track_interface));
    TRY(config_check_replica(config));
    return config_check_publisher(config);
}
