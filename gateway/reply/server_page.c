// server_page.c - what `GET /v1/server` tells (server_page.h). Any worker thread.
#include "gateway/reply/server_page.h"

#include <stdlib.h>

#include "gateway/request/asker.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/codec/json_write.h"
#include "proto/config/settings.h"
#include "proto/message/metrics.h"

struct number {
    const char *name;
    int64_t value;
};

// One that is told; a NULL name ends the list.
struct gauge {
    const char *name;
    enum metric_cell cell;
};

// clang-format off
// Limits that no setting changes.
static const struct number limits[] = {
    {"body_bytes",      LIMIT_BODY_BYTES},      {"bulk_body_bytes", LIMIT_BULK_BODY_BYTES},
    {"asset_bytes",     LIMIT_ASSET_BYTES},     {"records",         LIMIT_RECORDS},
    {"filters",         LIMIT_FILTERS},         {"scene_devices",   LIMIT_SCENE_DEVICES},
    {"watched_scenes",  LIMIT_WATCHED_SCENES},  {"tags",            LIMIT_TAGS},
    {"assets",          LIMIT_ASSETS},          {"actions",         LIMIT_ACTIONS},
    {"keyframes",       LIMIT_KEYFRAMES},       {"entity_bytes",    LIMIT_ENTITY_BYTES},
    {"record_bytes",    LIMIT_RECORD_BYTES},    {"text_bytes",      LIMIT_TEXT_BYTES},
    {"key_bytes",       LIMIT_KEY_BYTES},       {"name_bytes",      LIMIT_NAME_BYTES},
    {"datagram_bytes",  LIMIT_DATAGRAM_BYTES},  {"uri_bytes",       LIMIT_URI_BYTES},
    {"header_bytes",    LIMIT_HEADER_BYTES},
};

static const struct gauge counts[] = {
    {"scenes",  GAUGE_SCENES},  {"loaded",  GAUGE_SCENES_LOADED}, {"objects", GAUGE_OBJECTS_LOADED},
    {"devices", GAUGE_DEVICES}, {"streams", GAUGE_HTTP_STREAMS},  {NULL, 0},
};

// Memory by kind, in bytes.
static const struct gauge memory[] = {
    {"scenes",      GAUGE_RECORDS_SCENES},    {"library",    GAUGE_LIBRARY_BYTES},
    {"users",       GAUGE_RECORDS_USERS},     {"objects",    GAUGE_SCENE_BYTES},
    {"shown",       GAUGE_SHOWN_BYTES},       {"requests",   GAUGE_PARSE_BYTES},
    {"memtables",   GAUGE_STORE_MEMTABLES},   {"block_cache", GAUGE_STORE_BLOCK_CACHE},
    {"tables",      GAUGE_STORE_TABLES},      {NULL, 0},
};
// clang-format on

static void
put_identity(const struct server_facts *facts, struct buffer *out)
{
    uint64_t now_us = clock_calendar_us();
    uint64_t uptime_s = now_us > facts->started_us ? (now_us - facts->started_us) / 1000000 : 0;
    json_write_text(out, "version", facts->version ? facts->version : "");
    json_write_number(out, "epoch", (double)facts->epoch);
    json_write_number(out, "started_us", (double)facts->started_us);
    json_write_number(out, "uptime_s", (double)uptime_s);
    if (config_follows(facts->config))
        json_write_text(out, "follows", facts->config->follow);
    json_write_bool(out, "auth", facts->config->auth_enabled);
    json_write_bool(out, "locks_enforce", facts->config->locks_enforce);
}

static void
put_places(const struct server_facts *facts, struct buffer *out)
{
    json_write_begin(out, "udp", '{');
    json_write_text(out, "host", facts->config->udp_host);
    json_write_number(out, "port", facts->udp_port);
    json_write_end(out, '}');
    json_write_begin(out, "pub", '{');
    json_write_text(out, "endpoint", facts->config->pub_endpoint);
    char folder[CONFIG_FOLDER_SIZE];
    json_write_bool(out, "curve", config_curve_folder(facts->config, folder) && folder[0]);
    json_write_end(out, '}');
    const char *replica = facts->replica_endpoint;
    if (!replica || !*replica)
        return;
    json_write_begin(out, "replica", '{');
    json_write_text(out, "endpoint", replica);
    json_write_bool(out, "curve", facts->config->replica_curve[0] != '\0');
    json_write_end(out, '}');
}

// That the disk is read-only is what the store says, which looks at it each second: what is free
// now may be enough again while the store still refuses.
static void
put_disk(const struct server_facts *facts, struct buffer *out)
{
    uint64_t free_bytes = 0;
    json_write_begin(out, "disk", '{');
    if (facts->measure_disk && facts->measure_disk(facts->config->data_dir, &free_bytes))
        json_write_number(out, "free", (double)free_bytes);
    json_write_number(out, "reserve", (double)facts->config->store_reserve);
    json_write_bool(out, "read_only", (int64_t)counter_get(GAUGE_STORE_READ_ONLY) > 0);
    json_write_end(out, '}');
}

static void
put_gauges(const struct gauge *gauge, struct buffer *out)
{
    for (; gauge->name; gauge++) {
        int64_t value = (int64_t)counter_get(gauge->cell);
        json_write_number(out, gauge->name, value > 0 ? (double)value : 0);
    }
}

static void
put_memory(struct buffer *out)
{
    json_write_begin(out, "memory", '{');
    json_write_number(out, "resident", memory_resident());
    put_gauges(memory, out);
    json_write_end(out, '}');
}

void
server_state_put(const struct server_facts *facts, struct buffer *out)
{
    put_disk(facts, out);
    json_write_begin(out, "counts", '{');
    put_gauges(counts, out);
    json_write_end(out, '}');
}

static void
put_limits(const struct config *config, struct buffer *out)
{
    json_write_begin(out, "limits", '{');
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        json_write_number(out, limits[i].name, (double)limits[i].value);
    json_write_end(out, '}');
    json_write_begin(out, "budgets", '{');
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        json_write_number(out, budget_rows[i].name, (double)config->budgets[i]);
    json_write_end(out, '}');
    json_write_begin(out, "budget_units", '{');
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        if (budget_rows[i].unit)
            json_write_text(out, budget_rows[i].name, budget_rows[i].unit);
    json_write_end(out, '}');
}

static void
put_value(const struct setting *setting, const struct config *config, struct buffer *out)
{
    char *value = NULL;
    size_t size;
    FILE *words = open_memstream(&value, &size);
    if (!words)
        abort(); // no memory
    setting_print_value(setting, config, words);
    fclose(words);
    json_write_text(out, "value", value);
    free(value);
}

static void
put_settings(const struct config *config, struct buffer *out)
{
    json_write_begin(out, "settings", '[');
    for (const struct setting *setting = settings; setting->key; setting++) {
        json_write_begin(out, NULL, '{');
        json_write_text(out, "name", setting->key);
        put_value(setting, config, out);
        json_write_text(out, "default", setting->by_default);
        json_write_text(out, "from", setting_from(setting, config));
        if (setting->unit)
            json_write_text(out, "unit", setting->unit);
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
}

static bool
is_administrator(const struct asker *asker)
{
    struct caller caller;
    return asker_identify(asker, &caller) == OK &&
           (caller.role == CALLER_ADMIN || caller.role == CALLER_TRUSTED);
}

fallible
server_page_print(const struct probe *probe, struct buffer *out)
{
    struct buffer page = {0}; // json_write looks at what stands before, and `out` has room there
    json_write_begin(&page, NULL, '{');
    put_identity(probe->facts, &page);
    put_places(probe->facts, &page);
    server_state_put(probe->facts, &page);
    put_memory(&page);
    put_limits(probe->facts->config, &page);
    if (is_administrator(probe->asker))
        put_settings(probe->facts->config, &page);
    json_write_end(&page, '}');
    buffer_put(out, page.data, page.size);
    buffer_finish(&page);
    return OK;
}
