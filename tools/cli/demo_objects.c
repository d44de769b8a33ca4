// demo_objects.c - objects are known by the demo's tag and their names. A read of the scene, then a
// request for all that is missing, and one for each that is to be changed.
#include "tools/cli/demo_objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"

// What the server has under a name.
struct found {
    char key[DEMO_KEY_BYTES];
    bool is_right;
};

struct work {
    http_client_t *http;
    const char *scene;
    const struct demo_assets *assets;
    struct demo_object *objects;
    struct found *found; // by object; without a key it is missing
    size_t count;
    struct buffer path, body;
    struct buffer extra; // keys, DEMO_KEY_BYTES each, of objects that nobody wants
};

static void
work_finish(struct work *self)
{
    free(self->found);
    buffer_finish(&self->path);
    buffer_finish(&self->body);
    buffer_finish(&self->extra);
}

static const char *
asset_of(const struct work *self, const struct demo_thing *thing)
{
    return thing->model < 0 ? "" : self->assets->keys[thing->model];
}

static bool
is_at(const struct json *record, const double *matrix)
{
    double shown[16];
    if (!json_value_numbers(record, "transform", 16, shown))
        return false;
    for (size_t i = 0; i < 16; i++)
        if (fabs(shown[i] - matrix[i]) > 1e-9)
            return false;
    return true;
}

// Whether the record has the asset of the thing as its only one, or none.
static bool
has_asset(const struct json *record, const char *key)
{
    const struct json *assets = json_find(record, "assets");
    if (!assets || assets->type != JSON_ARRAY || assets->count != (key[0] ? 1 : 0))
        return false;
    return !key[0] || (assets->items[0].type == JSON_TEXT &&
                       strcmp(text_chars(assets->items[0].text), key) == 0);
}

static void
take_record(struct work *self, const struct json *record)
{
    char key[DEMO_KEY_BYTES] = "";
    snprintf(key, sizeof key, "%s", json_value_chars(record, "key", ""));
    const char *name = json_value_chars(record, "name", "");
    for (size_t i = 0; i < self->count; i++) {
        const struct demo_object *object = &self->objects[i];
        if (self->found[i].key[0] || strcmp(object->thing.name, name) != 0)
            continue;
        memcpy(self->found[i].key, key, sizeof key);
        self->found[i].is_right = (object->moves || is_at(record, object->thing.matrix)) &&
                                  has_asset(record, asset_of(self, &object->thing));
        return;
    }
    buffer_put(&self->extra, key, sizeof key);
}

static fallible
read_scene(struct work *self)
{
    const struct json *answer, *record;
    request_scene_path(&self->path, self->scene, "object/query", NULL);
    buffer_put_chars(&self->body,
                     "{\"objects\":[{\"tags\":[\"" DEMO_TAG "\"]}],\"num_records\":10000}");
    TRY(http_client_call(self->http, "POST", &self->path, &self->body, &answer));
    for (size_t i = 0; (record = json_value_item(answer, "objects", i)); i++)
        take_record(self, record);
    return OK;
}

static void
put_thing(const struct work *self, struct buffer *out, const struct demo_thing *thing)
{
    const char *asset = asset_of(self, thing);
    buffer_put_chars(out, "{\"name\":");
    json_value_put_chars(out, thing->name);
    buffer_put_format(out, ",\"type\":\"%s\",\"subtype\":\"%s\",\"tags\":[\"" DEMO_TAG "\"]",
                      thing->type, thing->subtype);
    buffer_put_chars(out, ",\"assets\":[");
    if (asset[0])
        json_value_put_chars(out, asset);
    buffer_put_chars(out, "],\"transform\":");
    json_value_put_matrix(out, thing->matrix);
    buffer_put_char(out, '}');
}

static fallible
take_new_keys(struct work *self, const struct json *answer)
{
    size_t number = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (self->found[i].key[0])
            continue;
        const struct json *record = json_value_item(answer, "objects", number++);
        const char *key = json_value_chars(record, "key", NULL);
        if (!key)
            return fail(ERR_MALFORMED, "", "the server sent too few keys");
        snprintf(self->found[i].key, DEMO_KEY_BYTES, "%s", key);
    }
    return OK;
}

static fallible
create_missing(struct work *self)
{
    const struct json *answer;
    bool is_first = true;
    buffer_clear(&self->body);
    buffer_put_chars(&self->body, "{\"objects\":[");
    for (size_t i = 0; i < self->count; i++) {
        if (self->found[i].key[0])
            continue;
        if (!is_first)
            buffer_put_char(&self->body, ',');
        put_thing(self, &self->body, &self->objects[i].thing);
        self->found[i].is_right = true;
        is_first = false;
    }
    buffer_put_chars(&self->body, "]}");
    if (is_first)
        return OK;
    request_scene_path(&self->path, self->scene, "object", NULL);
    TRY(http_client_post_once(self->http, &self->path, &self->body, &answer));
    return take_new_keys(self, answer);
}

static fallible
correct(struct work *self, size_t index)
{
    buffer_clear(&self->body);
    buffer_put_chars(&self->body, "{\"objects\":[");
    put_thing(self, &self->body, &self->objects[index].thing);
    buffer_put_chars(&self->body, "]}");
    request_scene_path(&self->path, self->scene, "object", self->found[index].key);
    return http_client_call(self->http, "POST", &self->path, &self->body, NULL);
}

static fallible
delete_extra(struct work *self)
{
    for (size_t at = 0; at < self->extra.size; at += DEMO_KEY_BYTES) {
        request_scene_path(&self->path, self->scene, "object", self->extra.data + at);
        enum error error = http_client_call(self->http, "DELETE", &self->path, NULL, NULL);
        if (error != OK && error != ERR_NOT_FOUND)
            return error;
    }
    return OK;
}

fallible
demo_objects_make(http_client_t *http, const char *scene, const struct demo_assets *assets,
                  struct demo_object *objects, size_t count)
{
    owned(work_finish) struct work work = {.http = http,
                                           .scene = scene,
                                           .assets = assets,
                                           .objects = objects,
                                           .found = memory_take_zeroed(count * sizeof *work.found),
                                           .count = count};
    TRY(read_scene(&work));
    TRY(create_missing(&work));
    for (size_t i = 0; i < count; i++) {
        if (!work.found[i].is_right)
            TRY(correct(&work, i));
        memcpy(objects[i].key, work.found[i].key, DEMO_KEY_BYTES);
    }
    return delete_extra(&work);
}

fallible
demo_object_has_moved(http_client_t *http, const char *scene, const struct demo_object *object,
                      bool *ret_has_moved)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    request_scene_path(&path, scene, "object", object->key);
    TRY(http_client_call(http, "GET", &path, NULL, &answer));
    *ret_has_moved = !is_at(json_value_item(answer, "objects", 0), object->thing.matrix);
    return OK;
}
