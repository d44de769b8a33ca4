// device.c - sends requests about one device.
#include "tools/cli/device.h"

#include "proto/base/owned.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"

static fallible
call(http_client_t *http, const char *verb, const struct device_place *place,
     const struct buffer *members, const struct json **ret_answer)
{
    owned(buffer_finish) struct buffer path = {0}, body = {0};
    buffer_put_chars(&body, "{\"scenes\":[{\"key\":");
    json_value_put_chars(&body, place->scene);
    buffer_put_chars(&body, ",\"devices\":[{\"key\":");
    json_value_put_chars(&body, place->key);
    if (members)
        buffer_put(&body, members->data, members->size);
    buffer_put_chars(&body, "}]}]}");
    request_scene_path(&path, place->scene, verb, NULL);
    return http_client_call(http, "POST", &path, &body, ret_answer);
}

fallible
device_register(http_client_t *http, const struct device_place *place, const struct buffer *members,
                const struct json **ret_answer)
{
    return call(http, "register", place, members, ret_answer);
}

fallible
device_deregister(http_client_t *http, const struct device_place *place)
{
    return call(http, "deregister", place, NULL, NULL);
}

static const struct json *
feed_of(const struct json *answer)
{
    return answer ? json_find(answer, "udp") : NULL;
}

const char *
device_feed_state(const struct json *answer)
{
    return json_value_chars(feed_of(answer), "state", "unknown");
}

const char *
device_feed_token(const struct json *answer)
{
    return json_value_chars(feed_of(answer), "token", "");
}
