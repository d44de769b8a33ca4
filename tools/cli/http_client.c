// http_client.c - libcurl behind one function.
#include "tools/cli/http_client.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "tools/cli/json_value.h"
#include "tools/cli/percent.h"

enum { TIMEOUT_MS = 30000, ANSWER_BYTES = 64 << 20 };

struct http_client {
    const char *base_url;
    CURL *curl;
    struct curl_slist *headers;
    struct buffer url;
    struct buffer answer;
    struct arena arena; // of the parsed answer
    char reason[CURL_ERROR_SIZE];
};

static size_t
take_answer(char *data, size_t unit, size_t count, void *context)
{
    struct buffer *answer = context;
    if (answer->size + unit * count > ANSWER_BYTES)
        return 0; // curl gives up with a write error
    buffer_put(answer, data, unit * count);
    return unit * count;
}

http_client_t *
http_client_create(const char *base_url)
{
    http_client_t *self = memory_take_zeroed(sizeof *self);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    self->base_url = base_url;
    self->curl = curl_easy_init();
    self->headers = curl_slist_append(self->headers, "Content-Type: application/json");
    self->headers = curl_slist_append(self->headers, "Expect:"); // large bodies go at once
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, self->headers);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, &self->answer);
    curl_easy_setopt(self->curl, CURLOPT_ERRORBUFFER, self->reason);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
    curl_easy_setopt(self->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(self->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(self->curl, CURLOPT_PATH_AS_IS, 1L); // a key may be ".."
    // Never by a proxy: the peer's address is what proves the destination of a device's feed.
    curl_easy_setopt(self->curl, CURLOPT_PROXY, "");
    return self;
}

void
http_client_destroy(http_client_t **self)
{
    http_client_t *client = *self;
    if (!client)
        return;
    curl_easy_cleanup(client->curl);
    curl_slist_free_all(client->headers);
    curl_global_cleanup();
    buffer_finish(&client->url);
    buffer_finish(&client->answer);
    arena_finish(&client->arena);
    free(client);
    *self = NULL;
}

void
http_client_path(struct buffer *out, const char *scene, const char *noun, const char *key)
{
    buffer_clear(out);
    buffer_put_chars(out, "/v1/scene/");
    percent_put_segment(out, scene);
    buffer_put_format(out, "/%s", noun);
    if (key) {
        buffer_put_char(out, '/');
        percent_put_segment(out, key);
    }
}

static void
prepare(http_client_t *self, const char *method, const struct buffer *path,
        const struct buffer *body)
{
    buffer_clear(&self->url);
    buffer_clear(&self->answer);
    buffer_put_chars(&self->url, self->base_url);
    buffer_put(&self->url, path->data, path->size);
    buffer_put_char(&self->url, '\0');
    curl_easy_setopt(self->curl, CURLOPT_URL, self->url.data);
    if (body) {
        curl_easy_setopt(self->curl, CURLOPT_POSTFIELDS, body->data);
        curl_easy_setopt(self->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
    } else {
        curl_easy_setopt(self->curl, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(self->curl, CURLOPT_CUSTOMREQUEST, method);
    self->reason[0] = '\0';
}

static fallible
parse_answer(http_client_t *self, const struct json **ret_answer)
{
    arena_finish(&self->arena);
    arena_init(&self->arena);
    *ret_answer = NULL;
    if (self->answer.size == 0)
        return OK;
    if (json_parse(&self->arena, self->answer.data, self->answer.size, ret_answer) != OK)
        return fail(ERR_MALFORMED, "", "%s: the answer is no JSON", self->url.data);
    return OK;
}

// The row of the error table for a refused request, with what the server said about it.
static fallible
refused(http_client_t *self, const char *method, long status)
{
    const struct json *answer = NULL;
    error_ignore(parse_answer(self, &answer), "the status alone says enough");
    int code = (int)json_value_unsigned(answer, "err_code", 0);
    enum error error = ERR_INTERNAL;
    for (enum error row = OK; row < ERROR_COUNT; row++)
        if (row != PARKED && error_status(row) == status &&
            (code == 0 || error_code(row) == code)) {
            error = row;
            break;
        }
    return fail(error, "", "%s %s: %ld %s", method, self->url.data, status,
                json_value_chars(answer, "err_msg", error_sentence(error)));
}

fallible
http_client_call(http_client_t *self, const char *method, const struct buffer *path,
                 const struct buffer *body, const struct json **ret_answer)
{
    prepare(self, method, path, body);
    CURLcode result = curl_easy_perform(self->curl);
    if (result != CURLE_OK)
        return fail(ERR_UNAVAILABLE, "", "%s %s: %s", method, self->url.data,
                    self->reason[0] ? self->reason : curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299)
        return refused(self, method, status);
    const struct json *answer;
    TRY(parse_answer(self, &answer));
    if (ret_answer)
        *ret_answer = answer;
    return OK;
}
