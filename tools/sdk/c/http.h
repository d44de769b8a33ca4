// http.h - requests: errors by their problem bodies, only what is safe sent again; and libcurl
// (diorama.h).
#ifndef DIORAMA_HTTP_H
#define DIORAMA_HTTP_H

#include <fcntl.h>
#include <unistd.h>

#include "tools/sdk/c/json.h"

enum { DIO_TRIES = 5, DIO_FIRST_WAIT_MS = 200, DIO_LAST_WAIT_MS = 30000, DIO_STILL_RUNS = 124 };

// Whether a request may be sent again.
enum dio_repeat { DIO_SAFE, DIO_KEYED, DIO_NEVER };

struct dio_http {
    char *url;   // without a slash at its end
    char *token; // of a login, or NULL
    diorama_http *ask;
    void *context;
    struct diorama_error error;
};

static void
dio_sleep_ms(uint64_t ms)
{
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&left, NULL);
}

// `size` random bytes as hex.
static void
dio_draw(char *out, size_t size)
{
    unsigned char bytes[32] = {0};
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, bytes, size) : -1;
    if (file >= 0)
        close(file);
    if (got != (ssize_t)size) {
        uint64_t seed =
            dio_now_ms() * 6364136223846793005U + (uint64_t)(uintptr_t)out + (uint64_t)getpid();
        for (size_t i = 0; i < size; i++, seed = seed * 6364136223846793005U + 1442695040888963407U)
            bytes[i] = (unsigned char)(seed >> 56);
    }
    for (size_t i = 0; i < size; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void
dio_note_chars(char *out, size_t room, const char *chars)
{
    snprintf(out, room, "%.*s", (int)room - 1, chars);
}

static bool
dio_fail(struct dio_http *self, const char *title, const char *detail)
{
    self->error = (struct diorama_error){0};
    dio_note_chars(self->error.title, sizeof self->error.title, title);
    dio_note_chars(self->error.detail, sizeof self->error.detail, detail);
    return false;
}

// What the body of an answer says of a failure; it may be anything.
static void
dio_note_problem(struct dio_http *self, const struct diorama_answer *answer)
{
    struct diorama_arena arena = {0};
    struct diorama_value problem = {0};
    struct diorama_error *error = &self->error;
    *error = (struct diorama_error){.status = answer->status};
    if (answer->body && diorama_read_json(&arena, answer->body, answer->size, &problem)) {
        const struct diorama_value *errors = diorama_find(&problem, "errors");
        error->err_code = (int)dio_find_count(&problem, "err_code");
        dio_note_chars(error->title, sizeof error->title, dio_find_text(&problem, "title"));
        dio_note_chars(error->detail, sizeof error->detail, dio_find_text(&problem, "detail"));
        dio_note_chars(error->request_id, sizeof error->request_id,
                       dio_find_text(&problem, "request_id"));
        if (errors && errors->type == DIORAMA_ARRAY && errors->count)
            dio_note_chars(error->pointer, sizeof error->pointer,
                           dio_find_text(&errors->of.items[0], "pointer"));
    }
    diorama_arena_free(&arena);
}

static bool
dio_may_repeat(const struct diorama_error *error, enum dio_repeat repeat)
{
    return repeat != DIO_NEVER && (error->status == 0 || error->status == 429 ||
                                   error->status == 503 || error->err_code == DIO_STILL_RUNS);
}

// One try. True: the answer is 2xx.
static bool
dio_try(struct dio_http *self, const struct diorama_request *request, struct diorama_answer *answer)
{
    *answer = (struct diorama_answer){0};
    if (!self->ask(self->context, request, answer)) {
        free(answer->body);
        *answer = (struct diorama_answer){0};
        return dio_fail(self, "No answer came.", request->url);
    }
    if (answer->status >= 200 && answer->status < 300)
        return true;
    dio_note_problem(self, answer);
    free(answer->body);
    answer->body = NULL;
    return false;
}

// `path` begins with /v1 and has its query; `fence` 0: none. `ret_body` gets malloc'ed JSON.
static bool
dio_call(struct dio_http *self, const char *method, const char *path, const char *body,
         enum dio_repeat repeat, uint64_t fence, char **ret_body)
{
    struct dio_text url = {0};
    char authorization[600], key[64] = "Idempotency-Key: ", fenced[48];
    const char *headers[6] = {"Content-Type: application/json"};
    size_t count = 1;
    dio_put_chars(&url, self->url);
    dio_put_chars(&url, path);
    if (self->token) {
        snprintf(authorization, sizeof authorization, "Authorization: Bearer %.512s", self->token);
        headers[count++] = authorization;
    }
    if (repeat == DIO_KEYED) {
        dio_draw(key + strlen(key), 16);
        headers[count++] = key;
    }
    if (fence) {
        snprintf(fenced, sizeof fenced, "X-Fence: %llu", (unsigned long long)fence);
        headers[count++] = fenced;
    }
    const struct diorama_request request = {method, url.data, headers, body,
                                            body ? strlen(body) : 0};
    struct diorama_answer answer;
    bool is_done = !url.failed && dio_try(self, &request, &answer);
    for (int tried = 1;
         !is_done && !url.failed && tried < DIO_TRIES && dio_may_repeat(&self->error, repeat);
         tried++) {
        uint64_t wait = (uint64_t)DIO_FIRST_WAIT_MS << (tried - 1),
                 asked = (uint64_t)answer.retry_after_s * 1000;
        asked = asked > DIO_LAST_WAIT_MS ? DIO_LAST_WAIT_MS : asked;
        dio_sleep_ms(asked > wait ? asked : wait);
        is_done = dio_try(self, &request, &answer);
    }
    dio_text_free(&url);
    if (is_done && ret_body)
        *ret_body = answer.body;
    else if (is_done)
        free(answer.body);
    return is_done;
}

#ifdef DIORAMA_CURL

#include <curl/curl.h>

static size_t
dio_curl_take(char *data, size_t size, size_t count, void *context)
{
    struct dio_text *body = context;
    dio_put(body, data, size * count);
    return body->failed ? 0 : size * count;
}

// The context is a CURL handle, which keeps its connection.
static bool
dio_curl(void *context, const struct diorama_request *request, struct diorama_answer *ret_answer)
{
    CURL *curl = context;
    struct dio_text body = {0};
    struct curl_slist *headers = NULL;
    long status = 0;
    curl_off_t after = 0;
    curl_easy_reset(curl);
    for (size_t i = 0; request->headers[i]; i++)
        headers = curl_slist_append(headers, request->headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 30000L);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, dio_curl_take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, (void *)&body);
    if (request->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
    }
    bool is_done = curl_easy_perform(curl) == CURLE_OK && !body.failed;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &after);
    curl_slist_free_all(headers);
    *ret_answer =
        (struct diorama_answer){(int)status, (int)(after > 30 ? 30 : after), body.data, body.size};
    return is_done;
}

#endif

#endif
