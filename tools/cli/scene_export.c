// scene_export.c - `diorama scene export`: objects and properties are of one moment, as the stream
// of events begins with them; assets never change, and are read after that.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "proto/base/table.h"
#include "store/backup/digest_list.h"
#include "store/backup/sha256.h"
#include "store/backup/tar_file.h"
#include "tools/cli/connection.h"
#include "tools/cli/event_client.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"
#include "tools/cli/request_text.h"
#include "tools/cli/scene_archive.h"

enum { PAGE = 10000, NAME_BYTES = 96 };

struct export_values {
    struct connection_values connection;
    const char *scene;
    const char *archive;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct export_values, scene,   "SCENE",   NULL,   NULL, "Key of the scene.", .is_operand = true),
    OPTION (struct export_values, archive, "archive", "FILE", NULL, "File to make; must not exist."),
    CONNECTION_URL (struct export_values, connection),
    CONNECTION_PROFILE (struct export_values, connection),
};
// clang-format on

struct exporting {
    const struct export_values *values;
    http_client_t *http;
    tar_writer_t *tar;
    struct arena arena;          // of keys
    struct table assets;         // keys that the scene names (struct text)
    struct table entities;       // keys of its objects and properties
    struct buffer order;         // of `assets`: const struct text *
    struct buffer scene;         // its record
    struct buffer objects;       // lines
    struct buffer properties;    // lines
    struct buffer relationships; // lines
    struct buffer sums;          // lines of SHA256SUMS
    unsigned missing;            // assets that are named, and are not there
    size_t counts[3];            // objects, properties, assets
};

static void
exporting_finish(struct exporting *self)
{
    struct buffer *buffers[] = {&self->order,      &self->scene,         &self->objects,
                                &self->properties, &self->relationships, &self->sums};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_finish(buffers[i]);
    table_finish(&self->assets);
    table_finish(&self->entities);
    arena_finish(&self->arena);
    tar_writer_destroy(&self->tar);
    http_client_destroy(&self->http);
}

// --- keys ---

static bool
is_key(const void *value, const void *key)
{
    return text_equal(value, key);
}

static bool
has_key(const struct table *table, const struct text *key)
{
    return table_find(table, table_hash_text(key), is_key, key);
}

static struct text *
add_key(struct exporting *self, struct table *table, const struct json *key)
{
    if (!key || key->type != JSON_TEXT || text_size(key->text) == 0 || has_key(table, key->text))
        return NULL;
    struct text *copy = text_duplicate(key->text);
    struct text *kept = arena_copy(&self->arena, copy, sizeof *copy + copy->size + 1);
    free(copy);
    table_add(table, table_hash_text(kept), kept);
    return kept;
}

static void
add_asset(struct exporting *self, const struct json *key)
{
    const struct text *kept = add_key(self, &self->assets, key);
    if (kept)
        buffer_put(&self->order, &kept, sizeof kept);
}

static void
add_assets_of(struct exporting *self, const struct json *record)
{
    const struct json *assets = json_find(record, "assets");
    for (uint32_t i = 0; assets && assets->type == JSON_ARRAY && i < assets->count; i++)
        add_asset(self, &assets->items[i]);
}

// --- the state ---

// The end of the object or array at `at`; NULL if there is none before `end`.
static const char *
value_end(const char *at, const char *end)
{
    size_t depth = 0;
    bool is_in_text = false;
    for (; at < end; at++) {
        if (is_in_text && *at == '\\')
            at++;
        else if (*at == '"')
            is_in_text = !is_in_text;
        else if (!is_in_text && (*at == '{' || *at == '['))
            depth++;
        else if (!is_in_text && (*at == '}' || *at == ']') && --depth == 0)
            return at + 1;
    }
    return NULL;
}

static fallible
take_entity(struct exporting *self, const char *item, size_t size, struct buffer *lines)
{
    struct arena arena = {0};
    const struct json *json;
    enum error error = json_parse(&arena, item, size, &json);
    if (error == OK) {
        add_key(self, &self->entities, json_find(json, "key"));
        add_assets_of(self, json);
        buffer_put(lines, item, size);
        buffer_put_char(lines, '\n');
    }
    arena_finish(&arena);
    return error;
}

// Cuts the array that begins behind `name` into lines. A scene may be larger than what one tree of
// JSON can be, so its text is cut first. `*at` moves behind the last item.
static fallible
take_array(struct exporting *self, const char **at, const char *end, const char *name,
           struct buffer *lines, size_t *ret_count)
{
    const char *begun = memmem(*at, (size_t)(end - *at), name, strlen(name));
    if (!begun)
        return fail(ERR_MALFORMED, "", "the state of the scene has no %s", name);
    const char *item = begun + strlen(name);
    while (item < end && *item == '{') {
        const char *stop = value_end(item, end);
        if (!stop)
            return fail(ERR_MALFORMED, "", "the state of the scene ends early");
        TRY(take_entity(self, item, (size_t)(stop - item), lines));
        ++*ret_count;
        item = stop + (stop < end && *stop == ',');
    }
    *at = item;
    return OK;
}

static fallible
read_state(struct exporting *self)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(first_event_finish) struct first_event state = {0};
    request_scene_path(&path, self->values->scene, "events", NULL);
    TRY(event_client_first(self->http, &path, &state));
    const char *at = state.lines.data, *end = at + state.lines.size;
    TRY(take_array(self, &at, end, "\"objects\":[", &self->objects, &self->counts[0]));
    return take_array(self, &at, end, "\"properties\":[", &self->properties, &self->counts[1]);
}

static fallible
read_scene(struct exporting *self)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    buffer_put_chars(&path, "/v1/scene/");
    http_client_escape(&path, self->values->scene);
    TRY(http_client_call(self->http, "GET", &path, NULL, &answer));
    const struct json *record = json_value_item(answer, "scenes", 0);
    if (!record)
        return fail(ERR_NOT_FOUND, "", "there is no scene %s", self->values->scene);
    json_value_put(&self->scene, record);
    add_assets_of(self, record);
    add_asset(self, json_find(record, "thumbnail"));
    return OK;
}

static void
take_relationship(struct exporting *self, const struct json *record)
{
    const struct json *related = json_find(record, "relatedId");
    bool is_of_scene = strcmp(json_value_chars(record, "relationshipType", ""), "scene") == 0;
    if (!related || related->type != JSON_TEXT)
        return;
    if (is_of_scene ? !text_is(related->text, self->values->scene)
                    : !has_key(&self->entities, related->text))
        return;
    add_asset(self, json_find(record, "assetId"));
    json_value_put(&self->relationships, record);
    buffer_put_char(&self->relationships, '\n');
}

// All are looked through: the server finds those of one record, and a scene has many.
static fallible
read_relationships(struct exporting *self)
{
    const struct json *page;
    uint32_t count = PAGE;
    for (unsigned number = 0; count > 0; number++) {
        owned(buffer_finish) struct buffer path = {0};
        buffer_put_format(&path, "/v1/relationship?num_records=%d&page=%u", PAGE, number);
        TRY(http_client_call(self->http, "GET", &path, NULL, &page));
        if (!page || page->type != JSON_ARRAY)
            return fail(ERR_MALFORMED, "", "the server sent no list of relationships");
        count = page->count;
        for (uint32_t i = 0; i < count; i++)
            take_relationship(self, &page->items[i]);
    }
    return OK;
}

// --- the archive ---

static void
note_sum(struct exporting *self, struct sha256 *sha256, const char *name)
{
    struct file_digest digest;
    sha256_end(sha256, &digest);
    digest_line_put(&digest, name, &self->sums);
}

static fallible
put_entry(struct exporting *self, const char *name, const struct buffer *data)
{
    owned(sha256_finish) struct sha256 sha256 = {NULL};
    TRY(tar_writer_begin(self->tar, name, data->size));
    if (data->size)
        TRY(tar_writer_put(self->tar, data->data, data->size));
    sha256_begin(&sha256);
    if (data->size)
        sha256_add(&sha256, data->data, data->size);
    note_sum(self, &sha256, name);
    return OK;
}

// Bytes of an asset, on their way into the archive.
struct passing {
    tar_writer_t *tar;
    struct sha256 sha256;
    uint64_t left;
    enum error error;
};

static bool
pass_bytes(void *context, const char *data, size_t size)
{
    struct passing *self = context;
    if (size > self->left)
        self->error = fail(ERR_MALFORMED, "", "the server sent more bytes than the asset has");
    else
        self->error = tar_writer_put(self->tar, data, size);
    if (self->error != OK)
        return false;
    self->left -= size;
    sha256_add(&self->sha256, data, size);
    return true;
}

static fallible
put_bytes(struct exporting *self, const struct buffer *path, const char *name,
          const struct json *record)
{
    struct passing passing = {.tar = self->tar, .left = json_value_unsigned(record, "size", 0)};
    char hex[DIGEST_HEX_SIZE] = "", expected[DIGEST_HEX_SIZE];
    struct file_digest digest;
    snprintf(expected, sizeof expected, "%s", json_value_chars(record, "sha256", ""));
    TRY(tar_writer_begin(self->tar, name, passing.left));
    sha256_begin(&passing.sha256);
    enum error error = http_client_receive(self->http, path, "*/*", pass_bytes, &passing);
    sha256_end(&passing.sha256, &digest);
    sha256_finish(&passing.sha256);
    TRY(passing.error);
    TRY(error);
    file_digest_to_hex(&digest, hex);
    if (passing.left > 0 || strcmp(hex, expected) != 0)
        return fail(ERR_MALFORMED, "", "%s is not what the server says that it is", name);
    digest_line_put(&digest, name, &self->sums);
    return OK;
}

static bool
keep_bytes(void *context, const char *data, size_t size)
{
    buffer_put(context, data, size);
    return true;
}

static fallible
put_thumbnail(struct exporting *self, struct buffer *path, const char *key)
{
    owned(buffer_finish) struct buffer bytes = {0};
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "thumbnails/%s", key);
    buffer_put_chars(path, "/thumbnail");
    TRY(http_client_receive(self->http, path, "*/*", keep_bytes, &bytes));
    return put_entry(self, name, &bytes);
}

static bool
is_plain(const char *key)
{
    return key[0] && strlen(key) < NAME_BYTES / 2 &&
           strspn(key, "0123456789abcdefghijklmnopqrstuvwxyz-_") == strlen(key);
}

static fallible
put_asset(struct exporting *self, const char *key)
{
    owned(buffer_finish) struct buffer path = {0}, line = {0};
    char name[NAME_BYTES];
    const struct json *found;
    buffer_put_chars(&path, "/v1/asset");
    members_put_parameter(&path, "key", strlen("key"), key);
    TRY(http_client_call(self->http, "GET", &path, NULL, &found));
    if (!found || found->type != JSON_ARRAY || found->count == 0 || !is_plain(key)) {
        fprintf(stderr, "diorama scene export: asset %.64s is named, and is not there for you\n",
                key);
        self->missing++;
        return OK;
    }
    const struct json *record = &found->items[0];
    bool has_thumbnail = json_value_chars(record, "thumbnail", "")[0];
    json_value_put(&line, record);
    snprintf(name, sizeof name, "assets/%s.json", key);
    TRY(put_entry(self, name, &line));
    snprintf(name, sizeof name, "assets/%s", key);
    buffer_clear(&path);
    buffer_put_format(&path, "/v1/asset/%s", key);
    TRY(put_bytes(self, &path, name, record));
    self->counts[2]++;
    return has_thumbnail ? put_thumbnail(self, &path, key) : OK;
}

static fallible
put_all(struct exporting *self)
{
    owned(buffer_finish) struct buffer manifest = {0};
    const struct text *const *keys = (const void *)self->order.data;
    buffer_put_format(&manifest, "{\"scene_form\":%d}\n", SCENE_ARCHIVE_FORM);
    TRY(put_entry(self, "manifest.json", &manifest));
    TRY(put_entry(self, "scene.json", &self->scene));
    for (size_t i = 0; i < self->order.size / sizeof *keys; i++)
        TRY(put_asset(self, text_chars(keys[i])));
    TRY(put_entry(self, "objects.jsonl", &self->objects));
    TRY(put_entry(self, "properties.jsonl", &self->properties));
    TRY(put_entry(self, "relationships.jsonl", &self->relationships));
    TRY(tar_writer_begin(self->tar, digest_list_name, self->sums.size));
    TRY(tar_writer_put(self->tar, self->sums.data, self->sums.size));
    return tar_writer_finish(&self->tar);
}

static enum outcome
write_archive(struct exporting *self, const char *partial)
{
    const char *file = self->values->archive;
    enum error error = put_all(self);
    if (error == OK && link(partial, file) != 0)
        error = backup_file_failed("name", file);
    unlink(partial);
    if (error != OK)
        return command_refused("scene export", error);
    printf("%zu objects, %zu properties, %zu assets\n", self->counts[0], self->counts[1],
           self->counts[2]);
    return self->missing ? OUTCOME_FAILED : OUTCOME_DONE;
}

static enum outcome
export_run(const void *untyped)
{
    const struct export_values *values = untyped;
    owned(exporting_finish) struct exporting self = {.values = values};
    owned(buffer_finish) struct buffer partial = {0};
    buffer_put_format(&partial, "%s.partial%c", values->archive, '\0');
    if (access(values->archive, F_OK) == 0)
        return command_failed("scene export",
                              fail(ERR_CONFLICT, "", "%s is there already", values->archive),
                              OUTCOME_FILE);
    enum error error = connection_open(&values->connection, &self.http);
    if (error != OK)
        return connection_failed("scene export", error);
    if ((error = read_scene(&self)) != OK || (error = read_state(&self)) != OK ||
        (error = read_relationships(&self)) != OK)
        return command_refused("scene export", error);
    error = tar_writer_create(partial.data, &self.tar);
    return error == OK ? write_archive(&self, partial.data)
                       : command_failed("scene export", error, OUTCOME_FILE);
}

const struct command scene_export_command = {
    .name = "scene export",
    .about = "Write a scene, what is in it and its assets into one file, for `scene import`.",
    .more =
        "A tar of JSON lines and of assets, which sha256sum checks. Objects and properties are of "
        "one\n"
        "moment. Who is registered, locks and corrections are not in it: they are of devices and\n"
        "people of this server. An asset that is named and cannot be read is told, and left out; "
        "the\n"
        "exit code is 1 then.\n",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct export_values),
    .run = export_run,
};
