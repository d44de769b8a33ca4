// settings.c - the table of settings, and the way from words to values and back. Main thread only,
// before the others start: texts are kept in one arena of the process.
#include "proto/config/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/arena.h"
#include "proto/base/nearest.h"
#include "proto/config/config_check.h"

enum { WORDS_BYTES = 128 };

#define SETTING(member_, key_, default_, about_, ...)                                                \
    {                                                                                                \
        .key = (key_), .by_default = (default_), .about = (about_),                                \
        .offset = offsetof(struct config, member_),                                                \
        .type = _Generic(((struct config *)0)->member_, const char *                               \
                         : MEMBER_TEXT, bool                                                       \
                         : MEMBER_BOOL, int64_t                                                    \
                         : MEMBER_INTEGER),                                                        \
        __VA_ARGS__ \
    }
#define BOOL .choices = "false|true"
#define RANGE(minimum_, maximum_) .minimum = (minimum_), .maximum = (maximum_)

// A row of the table of budgets as a setting; those of rates stand among the others.
#define BUDGET_SETTING(id_, name_, kind_, local_, default_, most_, unit_, about_)                  \
    BUDGET_SETTING_##kind_(id_, name_, default_, most_, unit_, about_)
#define BUDGET_SETTING_RATE(...)
#define BUDGET_SETTING_STORED(...) BUDGET_SETTING_AT_ONCE(__VA_ARGS__)
#define BUDGET_SETTING_SERVER(...) BUDGET_SETTING_AT_ONCE(__VA_ARGS__)
#define BUDGET_SETTING_AT_ONCE(id_, name_, default_, most_, unit_, about_)                         \
    SETTING(budgets[BUDGET_##id_], "budget." name_, default_, about_, .unit = (unit_),             \
            RANGE(0, most_)),

// clang-format off
const struct setting settings[] = {
    SETTING(data_dir,             "data.dir",             "./data",               "Directory of the store; made when it is missing.", .check = check_not_empty),
    SETTING(store_uri,            "store.uri",            "",                     "Database that holds the records, postgresql://user:password@host/database; empty for RocksDB in data.dir.", .check = check_store_uri, .is_secret = true),
    SETTING(store_uri_file,       "store.uri_file",       "",                     "File that holds store.uri.", .check = NULL),
    SETTING(store_allow_async,    "store.allow_async",    "false",                "Use such a database although no standby is in step with it: what is acknowledged is on one machine alone.", BOOL),
    SETTING(store_sync,           "store.sync",           "always",               "Whether a write is on the disk before it is answered.", .choices = "never|always"),
    SETTING(store_recover,        "store.recover",        "refuse",               "What to do at start with a log that is corrupt before its end.", .choices = "refuse|point-in-time"),
    SETTING(store_reserve,        "store.reserve",        "64M",                  "Space on the disk that is kept back: with less of it free, writes are refused; 0 = none.", .unit = "bytes", RANGE(0, INT64_C(1) << 44)),
    SETTING(store_fault,          "store.fault",          "",                     "Faults to inject, for tests of the server itself.", .check = NULL),
    SETTING(blob_dir,             "blob.dir",             "",                     "Folder of the bytes of assets, which the servers of one database share; empty for blobs in data.dir.", .check = NULL),
    SETTING(blob_database,        "blob.store",           "folder",               "Where the bytes of assets are: in a folder, or in the database of store.uri.", .choices = "folder|database"),
    SETTING(blob_cache,           "blob.cache",           "1G",                   "Space in data.dir for copies of assets that are in the database; the least recently used ones leave.", .unit = "bytes", RANGE(0, INT64_C(1) << 44)),
    SETTING(scene_memory,         "scene.memory",         "4G",                   "Memory for loaded scenes; the least recently used ones leave.", .unit = "bytes", RANGE(64 << 10, INT64_C(1) << 44)),
    SETTING(scene_actors,         "scene.actors",         "0",                    "Threads that own scenes; 0 = processors less one, at least 1.", RANGE(0, 256)),
    SETTING(library_memory,       "library.memory",       "64M",                  "Memory for records of the library, and (a quarter of it) for users and their device keys, that the server keeps for the next who asks; the least recently used ones leave.", .unit = "bytes", RANGE(1 << 16, INT64_C(1) << 44)),
    SETTING(shown_memory,         "shown.memory",         "64M",                  "Memory for records that are read one at a time again and again: they are answered without asking the actor that owns them; 0 = it is always asked.", .unit = "bytes", RANGE(0, INT64_C(1) << 44)),
    SETTING(http_host,            "http.host",            "127.0.0.1",            "Address to serve HTTP on.", .check = check_host),
    SETTING(http_port,            "http.port",            "8080",                 "Port of HTTP; 0 = any free one.", RANGE(0, 65535)),
    SETTING(http_threads,         "http.threads",         "512",                  "Connections served at the same time.", RANGE(2, 4096)),
    SETTING(http_deadline_ms,     "http.deadline",        "10000",                "How long a request may take inside before it is answered 503.", .unit = "ms", RANGE(1, 600000)),
    SETTING(budgets[BUDGET_REQUESTS], "http.rate_limit",  "500",                  "Requests a second of one user, or of one address that is not logged in; 0 = no limit. Callers on this machine that no proxy forwarded do not count.", RANGE(0, 1000)),
    SETTING(http_rate_burst,      "http.rate_burst",      "2000",                 "How many of them may come at once.", RANGE(1, 1000000)),
    SETTING(http_parse_memory,    "http.parse_memory",    "256M",                 "Memory for bodies that arrive and are read; who does not fit waits, to http.deadline.", .unit = "bytes", RANGE(16 << 20, INT64_C(1) << 44)),
    SETTING(http_idempotency_s,   "http.idempotency",     "86400",                "How long the answer to a request with an Idempotency-Key is kept, for repeats of it.", .unit = "s", RANGE(1, 604800)),
    SETTING(http_cors_origins,    "http.cors_origins",    "",                     "Origins of other sites whose pages may read and write, also with the cookie of a user; comma-separated.", .check = check_origins),
    SETTING(http_trusted_proxies, "http.trusted_proxies", "",                     "Addresses whose X-Forwarded-For is believed, comma-separated.", .check = check_addresses),
    SETTING(foxglove_host,        "foxglove.host",        "127.0.0.1",            "Address to serve viewers of Foxglove's WebSocket protocol on.", .check = check_host),
    SETTING(foxglove_port,        "foxglove.port",        "0",                    "Port of that; 0 = off.", RANGE(0, 65535)),
    SETTING(foxglove_assets,      "foxglove.assets",      "",                     "What the URLs of models begin with that such viewers are told; empty for HTTP of this server.", .check = NULL),
    SETTING(udp_host,             "udp.host",             "127.0.0.1",            "Address to take and send datagrams on.", .check = check_host),
    SETTING(udp_port,             "udp.port",             "8762",                 "Port of datagrams; 0 = any free one.", RANGE(0, 65535)),
    SETTING(udp_trusted_networks, "udp.trusted_networks", "",                     "Networks that datagrams may go to without proof, comma-separated CIDR.", .check = check_networks),
    SETTING(udp_require_sealed,   "udp.require_sealed",   "false",                "Refuse datagrams, and feeds of devices, that are not sealed.", BOOL),
    SETTING(udp_base64_filler,    "udp.base64_filler",    "false",                "Fill datagrams for a client that decodes them as base64.", BOOL),
    SETTING(udp_device_bytes,     "udp.device_bytes",     "4000000",              "What one device is sent at most, four times that to one address; 0 = no limit.", .unit = "bytes a second", RANGE(0, 10000000000)),
    SETTING(udp_device_datagrams, "udp.device_datagrams", "10000",                "Datagrams a second that one device is sent at most, four times that to one address; 0 = no limit.", RANGE(0, 10000000)),
    SETTING(track_opentrackio,    "track.opentrackio",    "",                     "Tracked cameras that move objects, by OpenTrackIO: ADDRESS[:PORT] SCENE OBJECT [from=ADDRESS,…], separated by semicolons; empty for none.", .check = NULL),
    SETTING(track_interface,      "track.interface",      "",                     "IPv4 address of the interface that multicast groups of track.opentrackio are joined on; empty for the system's choice.", .check = check_interface),
    SETTING(pub_endpoint,         "pub.endpoint",         "tcp://127.0.0.1:8763", "ZeroMQ endpoint that events are published on; empty for none.", .check = NULL),
    SETTING(pub_curve_dir,        "pub.curve_dir",        "",                     "Directory of the keys of CURVE: only who has one in its clients/ may subscribe; empty for none.", .check = NULL),
    SETTING(pub_insecure,         "pub.insecure",         "false",                "Publish beyond loopback, or with users, without CURVE, to whoever connects.", BOOL),
    SETTING(pub_sndhwm,           "pub.sndhwm",           "10000",                "Messages that wait for one subscriber of PUB; it loses further ones.", RANGE(100, 1000000)),
    SETTING(auth_enabled,         "auth.enabled",         "false",                "Users log in, and each may do what the access table says; without, everybody may do everything.", BOOL),
    SETTING(auth_admin_user,      "auth.admin_user",      "admin",                "Username of the administrator who is made where there is none.", .check = check_not_empty),
    SETTING(auth_admin_password,  "auth.admin_password",  "",                     "Password of that administrator; empty for a random one that is printed once.", .check = NULL, .is_secret = true),
    SETTING(auth_admin_password_file, "auth.admin_password_file", "",             "File that holds auth.admin_password.", .check = NULL),
    SETTING(auth_password_min,    "auth.password_min",    "8",                    "Characters that a password has at least, at sign-up and where it is changed, while users log in.", RANGE(1, 128)),
    SETTING(auth_allow_anonymous, "auth.allow_anonymous", "false",                "Serve beyond loopback although everybody may do everything.", BOOL),
    SETTING(console_enabled,      "console.enabled",      "true",                 "Serve the console, the pages for people, at /console/.", BOOL),
    SETTING(console_dir,          "console.dir",          "",                     "Folder that the console is read from at each request, for its developers; empty for what is built in.", .check = NULL),
    SETTING(locks_enforce,        "locks.enforce",        "false",                "Refuse updates of an object that another device has locked.", BOOL),
    SETTING(events_cascade,       "events.cascade",       "false",                "Tell devices of each object that goes with its scene.", BOOL),
    SETTING(events_history,       "events.history",       "4096",                 "How many of its newest events are kept of a scene that is watched, for streams that break off; 0 = none.", RANGE(0, 1 << 20)),
    SETTING(events_heartbeat_ms,  "events.heartbeat",     "15000",                "Between two signs of life on a stream of events.", .unit = "ms", RANGE(100, 600000)),
    SETTING(events_blind_ms,      "events.blind",         "10000",                "How long feeds go on after the server has lost the database of store.uri: streams end then, and devices and subscribers hear nothing, so that all look for another server.", .unit = "ms", RANGE(0, 600000)),
    SETTING(events_memory,        "events.memory",        "512M",                 "Memory for streams of events, each of which counts as 16 KiB and what waits for it; without room for more, further ones are refused, and who reads too slowly falls behind earlier.", .unit = "bytes", RANGE(1 << 20, INT64_C(1) << 44)),
    SETTING(alignment_confirm_users, "alignment.confirm_users", "2",              "How many users must agree before a relation is predicted; 1 where all devices are of one account. It counts with auth.enabled.", RANGE(1, 1000)),
    SETTING(alignment_half_life,  "alignment.half_life",  "",                     "How fast corrections fade, by the method that their device names: method=seconds, comma-separated; others do not fade.", .check = check_half_lives),
    SETTING(audit_writes,         "audit.writes",         "minute",               "Lines of the audit log about ordinary writes: one a user, scene, operation and minute, or one each.", .choices = "minute|each"),
    SETTING(audit_size,           "audit.size",           "100M",                 "Space for the audit log: 40 % for what concerns security, 20 % for failures, 40 % for writes; of each, the oldest files are removed beyond it.", .unit = "bytes", RANGE(1 << 20, INT64_C(1) << 40)),
    SETTING(audit_days,           "audit.days",           "30",                   "How long the audit log is kept, within its space.", .unit = "days", RANGE(1, 36500)),
    SETTING(backup_dir,           "backup.dir",           "",                     "Folder that backups are made in, best on another disk; empty for none.", .check = NULL),
    SETTING(backup_every_s,       "backup.every",         "0",                    "How often a backup is made; 0 = only when somebody asks for one.", .unit = "s", RANGE(0, 31536000)),
    SETTING(backup_keep,          "backup.keep",          "7",                    "How many backups are kept: the oldest are removed; 0 = all.", RANGE(0, 100000)),
    SETTING(backup_log,           "backup.log",           "",                     "Folder that every commit is written to within a second, best beside backup.dir: a restore can go to any time since the oldest backup; empty for none.", .check = NULL),
    SETTING(follow,               "follow",               "",                     "Endpoint of the server that this one follows, its replica.endpoint: it copies all of it, serves reads and events, and takes no changes; empty for none.", .check = NULL),
    SETTING(follow_curve,         "follow.curve_dir",     "",                     "Directory of this server's own pair of CURVE keys for that, made where there is none; empty for none.", .check = NULL),
    SETTING(follow_key,           "follow.key",           "",                     "Public CURVE key of the server that is followed, in Z85.", .check = NULL),
    SETTING(replica_endpoint,     "replica.endpoint",     "",                     "ZeroMQ endpoint that followers ask for all that is stored, such as tcp://127.0.0.1:5563; beyond loopback replica.curve_dir must be set; empty for none.", .check = NULL),
    SETTING(replica_curve,        "replica.curve_dir",    "",                     "Directory of the keys of CURVE: only followers whose public key is in its clients/ may connect; empty for none.", .check = NULL),
    SETTING(replica_keep,         "replica.keep",         "256M",                 "Space for commits that are kept for followers: one that is further behind takes a new copy of everything.", .unit = "bytes", RANGE(1 << 20, INT64_C(1) << 44)),
    SETTING(metrics_token,        "metrics.token",        "",                     "Bearer token that opens /metrics beyond loopback.", .check = check_token, .is_secret = true),
    SETTING(metrics_token_file,   "metrics.token_file",   "",                     "File that holds metrics.token.", .check = NULL),
    SETTING(log_level,            "log.level",            "info",                 "The least important events that are logged.", .choices = "debug|info|warning|error", .is_live = true),
    SETTING(log_format,           "log.format",           "text",                 "Form of log lines.", .choices = "text|json", .is_live = true),
    BUDGETS(BUDGET_SETTING)
    {.key = NULL},
};
// clang-format on
_Static_assert(sizeof settings / sizeof settings[0] <= CONFIG_SETTINGS_MOST,
               "from has a place for each");

const char *
setting_from(const struct setting *setting, const struct config *config)
{
    static const char *const names[] = {
        [FROM_DEFAULT] = "default",
        [FROM_FILE] = "file",
        [FROM_ENVIRONMENT] = "env",
        [FROM_FLAG] = "flag",
    };
    return names[config->from[setting - settings]];
}

void
setting_note_source(const struct setting *setting, struct config *config, enum config_source source)
{
    config->from[setting - settings] = (unsigned char)source;
}

// Texts of settings; they live as long as the process, or to settings_finish.
static struct arena texts;

static const char *
keep(const char *chars)
{
    return arena_copy(&texts, chars, strlen(chars) + 1);
}

void
settings_finish(void)
{
    arena_finish(&texts);
}

const struct setting *
setting_find(const char *key)
{
    for (const struct setting *setting = settings; setting->key; setting++)
        if (strcmp(setting->key, key) == 0)
            return setting;
    return NULL;
}

bool
setting_is_section(const char *name)
{
    size_t size = strlen(name);
    for (const struct setting *setting = settings; setting->key; setting++)
        if (strncmp(setting->key, name, size) == 0 && setting->key[size] == '.')
            return true;
    return false;
}

// The index of `word` among words separated by |, or -1.
static int
choice_index(const char *choices, const char *word)
{
    size_t size = strlen(word);
    for (int index = 0;; index++) {
        size_t end = strcspn(choices, "|");
        if (end == size && memcmp(choices, word, size) == 0)
            return index;
        if (!choices[end])
            return -1;
        choices += end + 1;
    }
}

static void
choice_word(const char *choices, int64_t index, char *ret_word)
{
    for (; index > 0; index--)
        choices += strcspn(choices, "|") + 1;
    size_t size = strcspn(choices, "|");
    memcpy(ret_word, choices, size);
    ret_word[size] = '\0';
}

static bool
is_size(const struct setting *setting)
{
    return setting->unit && strcmp(setting->unit, "bytes") == 0;
}

// Reads a whole number. If the setting is a size, a unit of 1024, 1024², … may follow it.
static bool
parse_number(const struct setting *setting, const char *value, int64_t *ret_number)
{
    static const char suffixes[] = "KMGT";
    if (!isdigit((unsigned char)value[0]))
        return false;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno)
        return false;
    const char *suffix = *end && is_size(setting) ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        long long factor = INT64_C(1024) << (10 * (suffix - suffixes));
        if (__builtin_mul_overflow(number, factor, &number))
            return false;
        end++;
    }
    if (*end || number < setting->minimum || number > setting->maximum)
        return false;
    *ret_number = number;
    return true;
}

// The largest unit that divides `bytes`: 4294967296 = 4G.
static void
print_size(int64_t bytes, char *ret_words, size_t size)
{
    size_t unit = 0;
    for (; unit < 4 && bytes && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(ret_words, size, "%" PRId64 "%.1s", bytes, &"\0KMGT"[unit]);
}

static void
print_allowed(const struct setting *setting, char *ret_words)
{
    char low[32], high[32];
    if (setting->choices)
        snprintf(ret_words, WORDS_BYTES, "one of %s", setting->choices);
    else if (is_size(setting)) {
        print_size(setting->minimum, low, sizeof(low));
        print_size(setting->maximum, high, sizeof(high));
        snprintf(ret_words, WORDS_BYTES, "a size from %s to %s, such as %s", low, high,
                 setting->by_default);
    } else
        snprintf(ret_words, WORDS_BYTES, "a whole number from %" PRId64 " to %" PRId64 "%s%s",
                 setting->minimum, setting->maximum, setting->unit ? " " : "",
                 setting->unit ? setting->unit : "");
}

static fallible
refuse(const char *source, const char *value, const char *allowed)
{
    return fail(ERR_INVALID, "", "%.80s: \"%.40s\" is not allowed: it must be %s", source, value,
                allowed);
}

// What a text must be so that a settings file can hold it: ZPL has lines and two kinds of quotes,
// no escapes.
static const char *
check_text(const char *value)
{
    for (const char *at = value; *at; at++)
        if (iscntrl((unsigned char)*at))
            return "without control characters";
    return strchr(value, '"') && strchr(value, '\'') ? "without one of the two quotes" : NULL;
}

static fallible
set_text(const struct setting *setting, const char *source, const char *value, const char **member)
{
    const char *wrong = check_text(value);
    if (!wrong && setting->check)
        wrong = setting->check(value);
    if (wrong)
        return refuse(source, setting->is_secret ? "***" : value, wrong);
    *member = keep(value);
    return OK;
}

fallible
setting_set(struct config *config, const struct setting *setting, const char *source,
            const char *value)
{
    void *member = (char *)config + setting->offset;
    if (setting->type == MEMBER_TEXT)
        return set_text(setting, source, value, member);

    int64_t number = setting->choices ? choice_index(setting->choices, value) : -1;
    if (number < 0 && (setting->choices || !parse_number(setting, value, &number))) {
        char allowed[WORDS_BYTES];
        print_allowed(setting, allowed);
        return refuse(source, value, allowed);
    }
    if (setting->type == MEMBER_BOOL)
        *(bool *)member = number == 1;
    else
        *(int64_t *)member = number;
    return OK;
}

fallible
setting_unknown(const char *source, const char *key)
{
    const char *nearest = settings[0].key;
    for (const struct setting *setting = settings; setting->key; setting++)
        if (edit_distance(key, setting->key) < edit_distance(key, nearest))
            nearest = setting->key;
    return fail(ERR_INVALID, "", "%.80s: there is no setting %.60s; the nearest is %s", source, key,
                nearest);
}

static void
print_text(const char *text, FILE *out)
{
    // ZPL has two kinds of quotes and no escapes.
    char quote = strchr(text, '"') ? '\'' : '"';
    fprintf(out, "%c%s%c", quote, text, quote);
}

const char *
setting_text(const struct setting *setting, const struct config *config)
{
    return *(const char *const *)(const void *)((const char *)config + setting->offset);
}

static const char *
member_of(const struct setting *setting, const struct config *config)
{
    return (const char *)config + setting->offset;
}

static size_t
member_size(const struct setting *setting)
{
    static const size_t sizes[] = {
        [MEMBER_TEXT] = sizeof(const char *),
        [MEMBER_BOOL] = sizeof(bool),
        [MEMBER_INTEGER] = sizeof(int64_t),
    };
    return sizes[setting->type];
}

bool
setting_is_same(const struct setting *setting, const struct config *a, const struct config *b)
{
    if (setting->type == MEMBER_TEXT)
        return strcmp(setting_text(setting, a), setting_text(setting, b)) == 0;
    return memcmp(member_of(setting, a), member_of(setting, b), member_size(setting)) == 0;
}

void
setting_copy(const struct setting *setting, const struct config *from, struct config *to)
{
    memcpy((char *)to + setting->offset, member_of(setting, from), member_size(setting));
}

static const char *
shown_text(const struct setting *setting, const struct config *config)
{
    const char *text = setting_text(setting, config);
    return setting->is_secret && *text ? "***" : text;
}

void
setting_print_value(const struct setting *setting, const struct config *config, FILE *out)
{
    const void *member = (const char *)config + setting->offset;
    if (setting->type == MEMBER_TEXT) {
        fputs(shown_text(setting, config), out);
        return;
    }
    int64_t number =
        setting->type == MEMBER_BOOL ? *(const bool *)member : *(const int64_t *)member;
    char words[WORDS_BYTES];
    if (setting->choices)
        choice_word(setting->choices, number, words);
    else if (is_size(setting))
        print_size(number, words, sizeof(words));
    else
        snprintf(words, sizeof(words), "%" PRId64, number);
    fputs(words, out);
}

void
setting_print(const struct setting *setting, const struct config *config, FILE *out)
{
    if (setting->type == MEMBER_TEXT)
        print_text(shown_text(setting, config), out);
    else
        setting_print_value(setting, config, out);
}

void
setting_print_default(const struct setting *setting, FILE *out)
{
    const char *unit = setting->unit && !is_size(setting) ? setting->unit : "";
    fprintf(out, "%s%s%s", setting->by_default[0] ? setting->by_default : "none",
            unit[0] ? " " : "", unit);
}
