// scene_import.c - `diorama scene import`: the file is read twice, first to verify all of it. Then
// the scene is made, which nobody else can make meanwhile, and is not active before it is complete.
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "store/backup/digest_list.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"
#include "tools/cli/request_text.h"
#include "tools/cli/scene_archive.h"
#include "tools/cli/scene_renames.h"

enum { REQUEST_RECORDS = 200, REQUEST_BYTES = 512 << 10 };

struct import_values {
    struct connection_values connection;
    const char *file;
    const char *as;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct import_values, file, "FILE", NULL,  NULL, "An archive of `scene export`.", .is_operand = true),
    OPTION (struct import_values, as,   "as",   "KEY", "",   "Key of the new scene. [that in the archive]"),
    CONNECTION_URL (struct import_values, connection),
    CONNECTION_PROFILE (struct import_values, connection),
};
// clang-format on

struct importing {
    const struct import_values *values;
    http_client_t *http;
    struct buffer key;  // of the new scene, with NUL
    struct arena arena; // of the scene's record
    const struct json *scene;
    const struct json *asset; // the record that the next bytes are of
    struct arena asset_arena;
    struct renames renames;
    struct buffer made; // keys of assets that were uploaded, each with NUL
    size_t counts[3];   // objects, properties, assets
    bool has_scene;
};

static void
importing_finish(struct importing *self)
{
    buffer_finish(&self->key);
    buffer_finish(&self->made);
    arena_finish(&self->arena);
    arena_finish(&self->asset_arena);
    renames_finish(&self->renames);
    http_client_destroy(&self->http);
}

static fallible
take_scene(struct importing *self, const char *name, const struct buffer *data)
{
    if (json_parse(&self->arena, data->data, data->size, &self->scene) != OK)
        return scene_archive_damaged(self->values->file, name, "is no JSON");
    const struct json *key = json_find(self->scene, "key");
    if (!key || key->type != JSON_TEXT || !text_chars(key->text)[0])
        return scene_archive_damaged(self->values->file, name, "has no key");
    buffer_put_chars(&self->key, self->values->as[0] ? self->values->as : text_chars(key->text));
    buffer_put_char(&self->key, '\0');
    return OK;
}

// --- records ---

static const struct text *
text_of(const struct json *record, const char *name)
{
    const struct json *value = json_find(record, name);
    return value && value->type == JSON_TEXT ? value->text : NULL;
}

static void
put_path(const struct importing *self, struct buffer *path, const char *behind)
{
    buffer_clear(path);
    buffer_put_chars(path, "/v1/scene");
    if (behind) {
        buffer_put_char(path, '/');
        http_client_escape(path, self->key.data);
        buffer_put_chars(path, behind);
    }
}

// The scene without its assets, and not active; fails with ERR_CONFLICT if there is one of this
// key.
static fallible
make_scene(struct importing *self)
{
    owned(buffer_finish) struct buffer path = {0}, body = {0};
    put_path(self, &path, NULL);
    buffer_put_chars(&body, "{\"scenes\":[{\"key\":");
    json_value_put_chars(&body, self->key.data);
    buffer_put_chars(&body, ",\"active\":false}]}");
    TRY(http_client_post_once(self->http, &path, &body, NULL));
    self->has_scene = true;
    return OK;
}

// Appends a record that is, or is of, the scene: its key is no other thing's while that is written,
// for a property may have chosen the same one.
static void
put_of_scene(struct importing *self, const struct json *record, struct buffer *body)
{
    const struct text *parent;
    struct rename *row = renames_add(&self->renames, text_of(self->scene, "key"));
    const struct text *other = row->fresh;
    row->fresh = text_from(&self->renames.arena, self->key.data);
    renames_put_record(&self->renames, record, body, &parent);
    row->fresh = other;
}

// What the scene says of itself, once all that it names is there.
static fallible
complete_scene(struct importing *self)
{
    owned(buffer_finish) struct buffer path = {0}, body = {0};
    put_path(self, &path, "");
    buffer_put_chars(&body, "{\"scenes\":[");
    put_of_scene(self, self->scene, &body);
    buffer_put_chars(&body, "]}");
    return http_client_post_once(self->http, &path, &body, NULL);
}

// --- assets ---

static fallible
upload(struct importing *self, const struct text *old, const struct buffer *bytes)
{
    static const char *const names[][2] = {{"name", "name"},
                                           {"description", "description"},
                                           {"contentType", "content-type"},
                                           {"fileType", "file-type"},
                                           {"assetType", "asset-type"}};
    owned(buffer_finish) struct buffer path = {0};
    struct progress progress = {0};
    const struct json *is_public = json_find(self->asset, "public");
    buffer_put_chars(&path, "/v1/asset");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = json_value_chars(self->asset, names[i][0], "");
        if (value[0])
            members_put_parameter(&path, names[i][1], strlen(names[i][1]), value);
    }
    if (is_public && is_public->type == JSON_BOOL)
        members_put_parameter(&path, "isPublic", strlen("isPublic"),
                              is_public->boolean ? "true" : "false");
    const struct http_upload request = {.bytes = bytes, .name = text_chars(old)};
    TRY(http_client_upload(self->http, &path, &request, &progress));
    const struct buffer *key = http_client_answer(self->http);
    renames_add(&self->renames, old)->fresh = text_new(&self->renames.arena, key->data, key->size);
    buffer_put(&self->made, key->data, key->size);
    buffer_put_char(&self->made, '\0');
    self->counts[2]++;
    return OK;
}

static fallible
put_thumbnail(struct importing *self, const struct text *old, const struct buffer *bytes)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct rename *asset = renames_find(&self->renames, old);
    bool is_png = bytes->size > 4 && memcmp(bytes->data, "\x89PNG", 4) == 0;
    if (!asset || !asset->fresh)
        return scene_archive_damaged(self->values->file, text_chars(old), "has no asset");
    buffer_put_chars(&path, "/v1/asset/");
    http_client_escape(&path, text_chars(asset->fresh));
    buffer_put_chars(&path, "/thumbnail");
    return http_client_put(self->http, &path, is_png ? "image/png" : "image/webp", bytes);
}

// assets/<key>.json, then assets/<key>
static fallible
take_asset(struct importing *self, const char *name, const struct buffer *data)
{
    const char *key = strchr(name, '/') + 1;
    size_t size = strlen(key), end = strlen(".json");
    if (size > end && strcmp(key + size - end, ".json") == 0) {
        arena_finish(&self->asset_arena);
        return json_parse(&self->asset_arena, data->data, data->size, &self->asset) == OK
                   ? OK
                   : scene_archive_damaged(self->values->file, name, "is no JSON");
    }
    if (!text_is(text_of(self->asset, "key"), key))
        return scene_archive_damaged(self->values->file, name, "comes without its record");
    return upload(self, text_of(self->asset, "key"), data);
}

// --- objects and properties ---

// Records that are sent in one request, and the keys that they had.
struct sending {
    const char *kind; // the array of the body, and of the answer
    const char *path;
    struct buffer body;
    struct rename *rows[REQUEST_RECORDS];
    size_t count;
};

static fallible
send_records(struct importing *self, struct sending *sending)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    if (sending->count == 0)
        return OK;
    put_path(self, &path, sending->path);
    buffer_put_chars(&sending->body, "]}");
    TRY(http_client_post_once(self->http, &path, &sending->body, &answer));
    for (size_t i = 0; i < sending->count; i++) {
        const struct text *key = text_of(json_value_item(answer, sending->kind, i), "key");
        if (!key)
            return fail(ERR_MALFORMED, "", "the server told no key of %s", sending->kind);
        sending->rows[i]->fresh = text_copy(&self->renames.arena, key);
    }
    buffer_clear(&sending->body);
    sending->count = 0;
    return OK;
}

typedef fallible line_worker(struct importing *self, struct sending *sending,
                             const struct json *record);

static fallible
each_line(struct importing *self, struct sending *sending, const char *name,
          const struct buffer *data, line_worker *work)
{
    const char *end = data->data + data->size;
    for (const char *line = data->data; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        struct arena arena = {0};
        const struct json *json;
        if (!stop || json_parse(&arena, line, (size_t)(stop - line), &json) != OK)
            return scene_archive_damaged(self->values->file, name, "has a line that is no JSON");
        enum error error = work(self, sending, json);
        arena_finish(&arena);
        TRY(error);
        line = stop + 1;
    }
    return OK;
}

static fallible
note_key(struct importing *self, struct sending *sending, const struct json *record)
{
    (void)sending;
    const struct text *key = text_of(record, "key");
    if (!key || (renames_find(&self->renames, key) && renames_find(&self->renames, key)->fresh))
        return scene_archive_damaged(self->values->file, "a record", "has no key of its own");
    renames_add(&self->renames, key);
    return OK;
}

static fallible
create_entity(struct importing *self, struct sending *sending, const struct json *record)
{
    const struct text *parent, *key = text_of(record, "key");
    struct rename *row = renames_find(&self->renames, key);
    if (sending->count == REQUEST_RECORDS || sending->body.size > REQUEST_BYTES)
        TRY(send_records(self, sending));
    if (sending->count == 0)
        buffer_put_format(&sending->body, "{\"%s\":[", sending->kind);
    else
        buffer_put_char(&sending->body, ',');
    renames_put_record(&self->renames, record, &sending->body, &parent);
    row->parent = parent ? text_copy(&self->renames.arena, parent) : NULL;
    sending->rows[sending->count++] = row;
    return OK;
}

// Objects come in any order, also before their parents.
static fallible
set_parent(struct importing *self, struct sending *sending, const struct json *record)
{
    const struct rename *row = renames_find(&self->renames, text_of(record, "key"));
    const struct rename *parent = row->parent ? renames_find(&self->renames, row->parent) : NULL;
    if (!parent)
        return OK;
    owned(buffer_finish) struct buffer path = {0};
    buffer_clear(&sending->body);
    buffer_put_format(&sending->body, "{\"update\":[{\"key\":");
    json_put_text(&sending->body, text_bytes(row->fresh), text_size(row->fresh));
    buffer_put_chars(&sending->body, ",\"parent\":");
    json_put_text(&sending->body, text_bytes(parent->fresh), text_size(parent->fresh));
    buffer_put_chars(&sending->body, "}]}");
    put_path(self, &path, "/bulk");
    return http_client_post_once(self->http, &path, &sending->body, NULL);
}

static fallible
create_entities(struct importing *self, struct sending *sending, const char *name,
                const struct buffer *data, size_t *ret_count)
{
    size_t before = self->renames.table.count;
    TRY(each_line(self, sending, name, data, note_key));
    *ret_count = self->renames.table.count - before;
    TRY(each_line(self, sending, name, data, create_entity));
    TRY(send_records(self, sending));
    return each_line(self, sending, name, data, set_parent);
}

static fallible
put_relationship(struct importing *self, struct sending *sending, const struct json *record)
{
    const struct text *parent;
    owned(buffer_finish) struct buffer path = {0};
    buffer_clear(&sending->body);
    buffer_put_chars(&path, "/v1/relationship");
    if (text_is(text_of(record, "relationshipType"), "scene"))
        put_of_scene(self, record, &sending->body);
    else
        renames_put_record(&self->renames, record, &sending->body, &parent);
    return http_client_call(self->http, "PUT", &path, &sending->body, NULL);
}

// --- the archive ---

static fallible
take_records(struct importing *self, const char *name, const struct buffer *data)
{
    struct sending sending = {.kind = "objects", .path = "/object"};
    enum error error;
    if (strcmp(name, "objects.jsonl") == 0) {
        error = create_entities(self, &sending, name, data, &self->counts[0]);
    } else if (strcmp(name, "properties.jsonl") == 0) {
        sending.kind = "properties";
        sending.path = "/property";
        error = create_entities(self, &sending, name, data, &self->counts[1]);
    } else if (strcmp(name, "relationships.jsonl") == 0) {
        error = each_line(self, &sending, name, data, put_relationship);
    } else {
        error = scene_archive_damaged(self->values->file, name, "does not belong there");
    }
    buffer_finish(&sending.body);
    return error;
}

static fallible
take_entry(void *context, const char *name, const struct buffer *data)
{
    struct importing *self = context;
    if (strcmp(name, "manifest.json") == 0 || strcmp(name, digest_list_name) == 0)
        return OK;
    if (strcmp(name, "scene.json") == 0 && !self->scene) {
        TRY(take_scene(self, name, data));
        return make_scene(self);
    }
    if (!self->has_scene)
        return scene_archive_damaged(self->values->file, name, "comes before the scene");
    if (strncmp(name, "assets/", strlen("assets/")) == 0)
        return take_asset(self, name, data);
    if (strncmp(name, "thumbnails/", strlen("thumbnails/")) == 0)
        return put_thumbnail(self, text_from(&self->renames.arena, strchr(name, '/') + 1), data);
    return take_records(self, name, data);
}

static void
remove_one(struct importing *self, struct buffer *path)
{
    if (http_client_call(self->http, "DELETE", path, NULL, NULL) != OK)
        fprintf(stderr, "diorama scene import: %.*s of it is left\n", (int)path->size, path->data);
}

// What failed leaves nothing.
static void
take_back(struct importing *self)
{
    owned(buffer_finish) struct buffer path = {0};
    if (self->has_scene) {
        put_path(self, &path, "");
        remove_one(self, &path);
    }
    for (size_t at = 0; at < self->made.size;) {
        const char *key = self->made.data + at;
        at += strlen(key) + 1;
        buffer_clear(&path);
        buffer_put_chars(&path, "/v1/asset/");
        http_client_escape(&path, key);
        remove_one(self, &path);
    }
}

static fallible
import_all(struct importing *self)
{
    TRY(scene_archive_walk(self->values->file, take_entry, self));
    if (!self->has_scene)
        return scene_archive_damaged(self->values->file, "scene.json", "is missing");
    return complete_scene(self);
}

static enum outcome
import_run(const void *untyped)
{
    const struct import_values *values = untyped;
    owned(importing_finish) struct importing self = {.values = values};
    enum error error = scene_archive_verify(values->file);
    if (error != OK)
        return command_failed("scene import", error,
                              error == ERR_INVALID ? OUTCOME_FAILED : OUTCOME_FILE);
    error = connection_open(&values->connection, &self.http);
    if (error != OK)
        return connection_failed("scene import", error);
    error = import_all(&self);
    if (error != OK) {
        enum outcome outcome = command_refused("scene import", error);
        take_back(&self);
        return outcome;
    }
    printf("%s: %zu objects, %zu properties, %zu assets\n", self.key.data, self.counts[0],
           self.counts[1], self.counts[2]);
    return OUTCOME_DONE;
}

const struct command scene_import_command = {
    .name = "scene import",
    .about = "Make a scene from a file that `scene export` wrote, all of it verified first.",
    .more =
        "Objects and assets get new keys; what names them in parents, assets and relationships is\n"
        "changed to these, `extras` is not. The scene is active when it is complete. A failed "
        "import\n"
        "removes what it made; one that was killed leaves a scene that is not active: delete it.\n",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct import_values),
    .run = import_run,
};
