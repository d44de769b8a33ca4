// demo_assets.c - the assets of a demo have a type of their own, which names its scene: so they are
// found by it, each by the name of its model.
#include "tools/cli/demo_assets.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"

enum { TYPE_BYTES = LIMIT_KEY_BYTES + 32, FILE_BYTES = 64 };

static void
put_type(struct buffer *path, const char *scene)
{
    char type[TYPE_BYTES];
    snprintf(type, sizeof type, "diorama-demo %s", scene);
    members_put_parameter(path, "asset-type", strlen("asset-type"), type);
}

static fallible
find(http_client_t *http, const char *scene, const struct json **ret_assets)
{
    owned(buffer_finish) struct buffer path = {0};
    buffer_put_chars(&path, "/v1/asset");
    put_type(&path, scene);
    TRY(http_client_call(http, "GET", &path, NULL, ret_assets));
    if (!*ret_assets || (*ret_assets)->type != JSON_ARRAY)
        return fail(ERR_MALFORMED, "", "the server sent no list of assets");
    return OK;
}

static void
take_keys(const struct json *found, struct demo_assets *assets)
{
    for (size_t i = 0; i < found->count; i++)
        for (size_t model = 0; model < DEMO_MODELS; model++)
            if (strcmp(json_value_chars(&found->items[i], "name", ""), demo_model_name(model)) == 0)
                snprintf(assets->keys[model], DEMO_KEY_BYTES, "%s",
                         json_value_chars(&found->items[i], "key", ""));
}

static fallible
upload(http_client_t *http, const char *scene, size_t model, char ret_key[DEMO_KEY_BYTES])
{
    owned(buffer_finish) struct buffer path = {0}, bytes = {0};
    struct progress progress = {0};
    char file[FILE_BYTES];
    snprintf(file, sizeof file, "%s.glb", demo_model_name(model));
    demo_model_put(model, &bytes);
    buffer_put_chars(&path, "/v1/asset");
    members_put_parameter(&path, "name", strlen("name"), demo_model_name(model));
    members_put_parameter(&path, "file-type", strlen("file-type"), "glb");
    members_put_parameter(&path, "related-type", strlen("related-type"), "scene");
    members_put_parameter(&path, "related-id", strlen("related-id"), scene);
    put_type(&path, scene);
    const struct http_upload request = {
        .bytes = &bytes, .name = file, .content_type = "model/gltf-binary"};
    TRY(http_client_upload(http, &path, &request, &progress));
    const struct buffer *key = http_client_answer(http);
    snprintf(ret_key, DEMO_KEY_BYTES, "%.*s", (int)key->size, key->data ? key->data : "");
    return OK;
}

fallible
demo_assets_make(http_client_t *http, const char *scene, struct demo_assets *ret_assets)
{
    const struct json *found;
    struct demo_assets assets = {0};
    TRY(find(http, scene, &found));
    take_keys(found, &assets);
    for (size_t model = 0; model < DEMO_MODELS; model++)
        if (!assets.keys[model][0])
            TRY(upload(http, scene, model, assets.keys[model]));
    *ret_assets = assets;
    return OK;
}

fallible
demo_assets_remove(http_client_t *http, const char *scene)
{
    const struct json *found;
    struct demo_assets assets = {0};
    TRY(find(http, scene, &found));
    take_keys(found, &assets);
    for (size_t model = 0; model < DEMO_MODELS; model++) {
        owned(buffer_finish) struct buffer path = {0};
        if (!assets.keys[model][0])
            continue;
        buffer_put_chars(&path, "/v1/asset/");
        http_client_escape(&path, assets.keys[model]);
        enum error error = http_client_call(http, "DELETE", &path, NULL, NULL);
        if (error != OK && error != ERR_NOT_FOUND)
            return error;
    }
    return OK;
}
