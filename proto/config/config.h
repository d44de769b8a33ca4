// config.h - the settings: one table of key, type, default, unit, limits, sentence. Flags
// `--http.port=8080` come before the environment `DIORAMA_HTTP_PORT`, before a ZPL file
// (`--config=FILE`), before defaults. Unknown keys are errors that name the nearest key. An unknown
// variable is an error only if it begins like a section of ours (DIORAMA_HTTP_…), since test
// runners and orchestrators set others.
#ifndef DIORAMA_PROTO_CONFIG_CONFIG_H
#define DIORAMA_PROTO_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/error.h"
#include "proto/budget/budgets.h"

// Where the value of a setting was found.
enum config_source { FROM_DEFAULT, FROM_FILE, FROM_ENVIRONMENT, FROM_FLAG };

enum { CONFIG_SETTINGS_MOST = 128 };

// Strings live as long as the process.
struct config {
    unsigned char from[CONFIG_SETTINGS_MOST]; // enum config_source, by the row of the setting
    const char *data_dir;                     // data.dir
    const char *store_uri;            // store.uri: postgresql://…; "" = RocksDB in data.dir
    const char *store_uri_file;       // store.uri_file
    bool store_allow_async;           // store.allow_async
    const char *blob_dir;             // blob.dir; "" = blobs in data.dir
    bool blob_database;               // blob.store: folder | database (true)
    int64_t blob_cache;               // blob.cache: bytes of the files here, with the latter
    bool store_sync;                  // store.sync: always | never
    bool store_recover;               // store.recover: refuse | point-in-time (true)
    int64_t store_reserve;            // store.reserve: bytes of the disk kept back; 0 = none
    const char *store_fault;          // store.fault: test flag, see store/fault.h; "" = none
    int64_t scene_memory;             // scene.memory: bytes of loaded scenes, of all shards
    int64_t library_memory;           // library.memory: bytes of cached records, a quarter users
    int64_t shown_memory;             // shown.memory: bytes; 0 = every read asks its actor
    int64_t scene_actors;             // scene.actors: 0 = cores - 1, at least 1
    const char *http_host;            // http.host
    int64_t http_port;                // http.port; 0 = any free one
    int64_t http_threads;             // http.threads
    int64_t http_deadline_ms;         // http.deadline: how long an actor may take to answer
    int64_t http_idempotency_s;       // http.idempotency: how long an answer is kept for a repeat
    int64_t http_rate_burst;          // http.rate_burst: at once
    int64_t events_memory;            // events.memory: bytes, that all streams may hold
    int64_t http_parse_memory;        // http.parse_memory: bytes, for bodies of all requests
    const char *http_cors_origins;    // http.cors_origins: comma-separated
    const char *http_trusted_proxies; // http.trusted_proxies: comma-separated addresses
    const char *foxglove_host;        // foxglove.host
    int64_t foxglove_port;            // foxglove.port; 0 = off
    const char *foxglove_assets;      // foxglove.assets: "" = HTTP of this server
    const char *udp_host;             // udp.host
    int64_t udp_port;                 // udp.port; 0 = any free one
    const char *udp_trusted_networks; // udp.trusted_networks: comma-separated CIDR
    bool udp_require_sealed;          // udp.require_sealed
    bool udp_base64_filler;           // udp.base64_filler
    int64_t udp_device_bytes;         // udp.device_bytes: a second; 0 = no limit
    int64_t udp_device_datagrams;     // udp.device_datagrams: a second; 0 = no limit
    const char *track_opentrackio;    // track.opentrackio: see track_sources.h; "" = none
    const char *track_interface;      // track.interface; "" = the system chooses
    const char *pub_endpoint;         // pub.endpoint
    const char *pub_curve_dir;        // pub.curve_dir
    bool pub_insecure;                // pub.insecure
    int64_t pub_sndhwm;               // pub.sndhwm: messages
    bool auth_enabled;                // auth.enabled: users log in, each may do what is theirs
    const char *auth_admin_user;      // auth.admin_user: made where there is no administrator
    const char *auth_admin_password;  // auth.admin_password; "" = a random one, printed once
    const char *auth_admin_password_file;
    int64_t auth_password_min;       // auth.password_min: characters of a password
    bool auth_allow_anonymous;       // auth.allow_anonymous: listen beyond loopback without users
    bool console_enabled;            // console.enabled
    const char *console_dir;         // console.dir: served instead of what is built in; "" = none
    bool locks_enforce;              // locks.enforce
    bool events_cascade;             // events.cascade
    int64_t events_history;          // events.history: of each scene that is watched; 0 = none
    int64_t events_heartbeat_ms;     // events.heartbeat: between two of a stream
    int64_t events_blind_ms;         // events.blind: of feeds, after the lease has passed (lease.h)
    int64_t alignment_confirm_users; // alignment.confirm_users: that a confident answer needs
    const char *alignment_half_life; // alignment.half_life: method=seconds, comma-separated
    bool audit_writes;               // audit.writes: minute | each (true)
    int64_t audit_size;              // audit.size: bytes of the audit log
    int64_t audit_days;              // audit.days: how long it is kept
    const char *backup_dir;          // backup.dir; "" = no backups
    int64_t backup_every_s;          // backup.every; 0 = only when asked to
    int64_t backup_keep;             // backup.keep; 0 = all
    const char *follow;              // endpoint of the leader; "" = this server leads
    const char *follow_curve;        // follow.curve_dir; "" = none
    const char *follow_key;          // of the leader, where there is a directory
    const char *backup_log;          // backup.log; "" = no log
    const char *replica_endpoint;    // replica.endpoint; "" = followers cannot come
    const char *replica_curve;       // replica.curve_dir; "" = without CURVE
    int64_t replica_keep;            // replica.keep: bytes of commits
    const char *metrics_token;       // metrics.token: opens /metrics beyond loopback; "" = none
    const char *metrics_token_file;  // metrics.token_file
    int64_t log_level;               // log.level: debug | info | warning | error
    int64_t log_format;              // log.format: text | json
    int64_t budgets[BUDGET_COUNT];   // budget.<name> and http.rate_limit (requests); 0 = none
};

enum config_action {
    CONFIG_RUN,
    CONFIG_CHECK,
    CONFIG_STORE,
    CONFIG_PRINT,
    CONFIG_HELP,
    CONFIG_VERSION
};

// Fills `ret_config` from arguments, environment, file and defaults; --check-config,
// --print-config, --help and --version come back as the action.
// Fails with ERR_INVALID and a detail that names key, value and what is allowed. Main thread only.
fallible config_load(int argc, char *const *argv, struct config *ret_config,
                     enum config_action *ret_action);

// Reads all sources again, while the server runs. Settings that may change then take their new
// values in `config`, which no other thread reads; each of the others that differs is logged, as it
// needs a restart. Fails like config_load, and changes nothing then. Main thread only.
fallible config_reload(int argc, char *const *argv, struct config *config);

// Whether the server copies another one, and decides nothing itself (actors/replica).
static inline bool
config_follows(const struct config *config)
{
    return config && config->follow && *config->follow;
}

// Whether the host stands for all addresses of this machine, which nobody can send to.
static inline bool
config_is_wildcard(const char *host)
{
    return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0 || strcmp(host, "*") == 0;
}

enum { CONFIG_FOLDER_SIZE = 1024 };

// Writes the folder of PUB's keys: pub.curve_dir; where users log in and it is not set, `pub` in
// data.dir. "" = whoever connects may subscribe. False if the path is too long.
bool config_curve_folder(const struct config *config, char ret_folder[CONFIG_FOLDER_SIZE]);

// Every setting as ZPL with its value.
void config_print(const struct config *config, FILE *out);

// Every setting with default, unit and sentence.
void config_help(FILE *out);

#endif
