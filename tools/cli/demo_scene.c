// demo_scene.c - a scene is of a demo if it has the demo's tag. Devices that stand in both scenes
// say where: so the server knows how the scenes relate.
#include "tools/cli/demo_scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"

// How well the devices say that they know their places.
#define SIGMA_T_M 0.02
#define SIGMA_R_RAD 0.005

// clang-format off
static const struct {
    const char *after_key, *members;
} stages[DEMO_STAGES] = {
    [STAGE_PLAZA]    = {"",          "\"name\":\"Demo plaza\",\"description\":\"Made by diorama demo: people who walk around a pavilion.\",\"latitude\":50.9218,\"longitude\":6.3614"},
    [STAGE_PAVILION] = {"-pavilion", "\"name\":\"Demo pavilion\",\"description\":\"Made by diorama demo: the pavilion of the plaza, measured from its own door.\",\"latitude\":50.9218,\"longitude\":6.3614"},
};
// clang-format on

fallible
demo_scene_init(struct demo_scene *self, http_client_t *http, const char *key)
{
    *self = (struct demo_scene){.http = http};
    for (size_t i = 0; i < DEMO_STAGES; i++) {
        size_t size = strlen(key) + strlen(stages[i].after_key);
        if (size > LIMIT_KEY_BYTES)
            return fail(ERR_INVALID, "", "--scene: must have at most %zu bytes",
                        LIMIT_KEY_BYTES - strlen(stages[STAGE_PAVILION].after_key));
        snprintf(self->keys[i], sizeof self->keys[i], "%s%s", key, stages[i].after_key);
    }
    return OK;
}

void
demo_scene_finish(struct demo_scene *self)
{
    free(self->walkers);
    self->walkers = NULL;
}

static void
put_scene_path(struct buffer *out, const char *key)
{
    buffer_clear(out);
    buffer_put_chars(out, "/v1/scene/");
    http_client_escape(out, key);
}

// --- scenes ---

static bool
has_tag(const struct json *scene)
{
    const struct json *tag;
    for (size_t i = 0; (tag = json_value_item(scene, "tags", i)); i++)
        if (tag->type == JSON_TEXT && strcmp(text_chars(tag->text), DEMO_TAG) == 0)
            return true;
    return false;
}

// The scene, valid until the next request; NULL if there is none.
static fallible
read_scene(struct demo_scene *self, enum demo_stage stage, const struct json **ret_scene)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    put_scene_path(&path, self->keys[stage]);
    enum error error = http_client_call(self->http, "GET", &path, NULL, &answer);
    *ret_scene = NULL;
    if (error == ERR_NOT_FOUND)
        return OK;
    if (error != OK)
        return error;
    *ret_scene = json_value_item(answer, "scenes", 0);
    if (!has_tag(*ret_scene))
        return fail(ERR_CONFLICT, "",
                    "there is a scene %s already, which is no demo; choose another with --scene",
                    self->keys[stage]);
    return OK;
}

static fallible
make_scene(struct demo_scene *self, enum demo_stage stage)
{
    owned(buffer_finish) struct buffer path = {0}, body = {0};
    const struct json *scene;
    TRY(read_scene(self, stage, &scene));
    if (scene)
        return OK;
    put_scene_path(&path, self->keys[stage]);
    buffer_put_format(&body, "{\"scenes\":[{%s,\"tags\":[\"" DEMO_TAG "\"]}]}",
                      stages[stage].members);
    return http_client_call(self->http, "PUT", &path, &body, NULL);
}

// --- devices ---

static void
put_device_key(const struct demo_scene *self, size_t device, struct buffer *out)
{
    char name[DEMO_NAME_BYTES];
    snprintf(name, sizeof name, "-headset-%zu", device + 1);
    buffer_put_chars(out, self->keys[STAGE_PLAZA]);
    buffer_put_chars(out, name);
    buffer_put_char(out, '\0');
}

static void
put_numbers(struct buffer *out, const char *name, const double numbers[3])
{
    buffer_put_format(out, "\"%s\":[%.17g,%.17g,%.17g]", name, numbers[0], numbers[1], numbers[2]);
}

static void
put_device(const struct demo_scene *self, enum demo_stage stage, size_t device, bool says_where,
           struct buffer *out)
{
    owned(buffer_finish) struct buffer key = {0};
    struct demo_stand stand = demo_device(stage, self->people, device);
    put_device_key(self, device, &key);
    buffer_put_chars(out, device ? ",{\"key\":" : "{\"key\":");
    json_value_put_chars(out, key.data);
    if (says_where) {
        buffer_put_chars(out, ",\"transform\":{");
        put_numbers(out, "translation", stand.translation);
        buffer_put_char(out, ',');
        put_numbers(out, "rotation", stand.rotation);
        buffer_put_format(
            out, "},\"accuracy\":{\"sigma_t_m\":%g,\"sigma_r_rad\":%g,\"method\":\"demo\"}",
            SIGMA_T_M, SIGMA_R_RAD);
    }
    buffer_put_char(out, '}');
}

// Whether the device stands there already: saying so again would be one more correction.
static bool
stands(const struct demo_scene *self, const struct json *scene, enum demo_stage stage,
       size_t device)
{
    owned(buffer_finish) struct buffer key = {0};
    struct demo_stand stand = demo_device(stage, self->people, device);
    const struct json *shown;
    double at[3];
    put_device_key(self, device, &key);
    for (size_t i = 0; (shown = json_value_item(scene, "devices", i)); i++)
        if (strcmp(json_value_chars(shown, "key", ""), key.data) == 0)
            return json_value_numbers(json_find(shown, "transform"), "translation", 3, at) &&
                   hypot(at[0] - stand.translation[0], at[2] - stand.translation[2]) < 1e-6;
    return false;
}

// Takes what datagrams need from the answer to a registration.
static void
take_feed(struct demo_scene *self, const struct json *answer)
{
    const struct json *scene = json_value_item(answer, "scenes", 0);
    const struct json *device = json_value_item(scene, "devices", 0);
    const struct json *feed = device ? json_find(device, "udp") : NULL;
    snprintf(self->token, sizeof self->token, "%s", json_value_chars(feed, "token", ""));
    snprintf(self->host, sizeof self->host, "%s",
             json_value_chars(answer, "event_destination_host", ""));
    self->port = (uint16_t)json_value_unsigned(answer, "event_destination_port", 0);
}

static fallible
register_devices(struct demo_scene *self, enum demo_stage stage)
{
    owned(buffer_finish) struct buffer path = {0}, body = {0};
    const struct json *scene, *answer;
    TRY(read_scene(self, stage, &scene));
    buffer_put_chars(&body, "{\"scenes\":[{\"devices\":[");
    for (size_t i = 0; i < DEMO_DEVICES; i++)
        put_device(self, stage, i, !stands(self, scene, stage, i), &body);
    buffer_put_chars(&body, "]}]}");
    request_scene_path(&path, self->keys[stage], "register", NULL);
    TRY(http_client_call(self->http, "POST", &path, &body, &answer));
    take_feed(self, answer);
    return OK;
}

// --- objects ---

// All objects of a stage, those who walk first; the caller frees them.
static struct demo_object *
objects_of(const struct demo_scene *self, enum demo_stage stage, double time_s, size_t *ret_count)
{
    struct demo_thing *things = memory_take(DEMO_THINGS_MAX * sizeof *things);
    size_t walking = stage == STAGE_PLAZA ? self->people : 0;
    size_t standing = demo_things(stage, self->people, things);
    struct demo_object *objects = memory_take_zeroed((standing + walking) * sizeof *objects);
    for (size_t i = 0; i < walking; i++)
        objects[i] = (struct demo_object){.thing = demo_walker(walking, i, time_s), .moves = true};
    for (size_t i = 0; i < standing; i++)
        objects[walking + i].thing = things[i];
    free(things);
    *ret_count = standing + walking;
    return objects;
}

static fallible
make_objects(struct demo_scene *self, enum demo_stage stage, const struct demo_assets *assets,
             double time_s)
{
    size_t count;
    struct demo_object *objects = objects_of(self, stage, time_s, &count);
    enum error error = demo_objects_make(self->http, self->keys[stage], assets, objects, count);
    if (error != OK || stage != STAGE_PLAZA) {
        free(objects);
        return error;
    }
    free(self->walkers);
    self->walkers = objects;
    return OK;
}

fallible
demo_scene_make(struct demo_scene *self, size_t people, double time_s)
{
    struct demo_assets assets;
    self->people = people;
    for (size_t i = 0; i < DEMO_STAGES; i++)
        TRY(make_scene(self, (enum demo_stage)i));
    TRY(demo_assets_make(self->http, self->keys[STAGE_PLAZA], &assets));
    for (size_t i = 0; i < DEMO_STAGES; i++)
        TRY(make_objects(self, (enum demo_stage)i, &assets, time_s));
    TRY(register_devices(self, STAGE_PAVILION));
    return register_devices(self, STAGE_PLAZA); // last: each registration renews the tokens
}

fallible
demo_scene_remove(struct demo_scene *self, bool *ret_was_there)
{
    bool was_there = false;
    for (size_t i = 0; i < DEMO_STAGES; i++) {
        owned(buffer_finish) struct buffer path = {0};
        const struct json *scene;
        TRY(read_scene(self, (enum demo_stage)i, &scene));
        if (!scene)
            continue;
        put_scene_path(&path, self->keys[i]);
        TRY(http_client_call(self->http, "DELETE", &path, NULL, NULL));
        was_there = true;
    }
    *ret_was_there = was_there;
    return demo_assets_remove(self->http, self->keys[STAGE_PLAZA]);
}
