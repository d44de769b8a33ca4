// http_client.c - requests by libcurl.
#include "tools/cli/http_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "tools/cli/json_value.h"

enum {
    TIMEOUT_MS = 30000,
    STALL_S = 30,
    FIRST_WAIT_MS = 250, // before a request is sent again; then twice as long each time
    LAST_WAIT_MS = 4000,
    ANSWER_BYTES = 64 << 20,
};

struct http_client {
    CURL *curl;
    struct curl_slist *headers; // of the request at hand
    struct buffer base_url;
    struct buffer authorization; // the header line, or empty
    struct buffer url;
    struct buffer answer;
    struct arena arena;             // of the parsed answer
    bool (*is_over)(void *context); // NULL: what is received may take any time
    void *over_context;
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
    buffer_put_chars(&self->base_url, base_url);
    self->curl = curl_easy_init();
    curl_easy_setopt(self->curl, CURLOPT_ERRORBUFFER, self->reason);
    curl_easy_setopt(self->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(self->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(self->curl, CURLOPT_PATH_AS_IS, 1L); // a key may be ".."
    const char *certificates = getenv("SSL_CERT_FILE");   // as OpenSSL's own programs have it
    if (certificates)
        curl_easy_setopt(self->curl, CURLOPT_CAINFO, certificates);
    // Never by a proxy: the address of the client proves the destination of a device's feed.
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
    buffer_finish(&client->base_url);
    buffer_finish(&client->authorization);
    buffer_finish(&client->url);
    buffer_finish(&client->answer);
    arena_finish(&client->arena);
    free(client);
    *self = NULL;
}

void
http_client_authorize(http_client_t *self, const char *token)
{
    buffer_clear(&self->authorization);
    if (*token)
        buffer_put_format(&self->authorization, "Authorization: Bearer %s%c", token, '\0');
}

bool
http_client_is_authorized(const http_client_t *self)
{
    return self->authorization.size > 0;
}

void
http_client_escape(struct buffer *out, const char *chars)
{
    char *escaped = curl_easy_escape(NULL, chars, (int)strlen(chars));
    if (!escaped)
        abort(); // as where there is no memory
    buffer_put_chars(out, escaped);
    curl_free(escaped);
}

static void
add_header(http_client_t *self, const char *line)
{
    self->headers = curl_slist_append(self->headers, line);
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, self->headers);
}

// Prepares a request without a body whose answer is kept. Callers add the rest.
static void
prepare(http_client_t *self, const char *method, const struct buffer *path)
{
    buffer_clear(&self->url);
    buffer_clear(&self->answer);
    buffer_put(&self->url, self->base_url.data, self->base_url.size);
    buffer_put(&self->url, path->data, path->size);
    buffer_put_char(&self->url, '\0');
    curl_slist_free_all(self->headers);
    self->headers = NULL;
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, NULL);
    if (self->authorization.size)
        add_header(self, self->authorization.data);
    curl_easy_setopt(self->curl, CURLOPT_URL, self->url.data);
    curl_easy_setopt(self->curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(self->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, &self->answer);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
    curl_easy_setopt(self->curl, CURLOPT_LOW_SPEED_TIME, 0L);
    curl_easy_setopt(self->curl, CURLOPT_NOPROGRESS, 1L);
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
        return fail(ERR_MALFORMED, "", "%s: the answer is not JSON", self->url.data);
    return OK;
}

// The error of a refused request: the row of its status and err_code, with the message of the
// server.
static fallible
refused(http_client_t *self, long status)
{
    const struct json *answer = NULL;
    error_ignore(parse_answer(self, &answer), "the status alone is enough");
    int code = (int)json_value_unsigned(answer, "err_code", 0);
    enum error error = ERR_INTERNAL;
    for (enum error row = OK; row < ERROR_COUNT; row++)
        if (row != PARKED && error_status(row) == status &&
            (code == 0 || error_code(row) == code)) {
            error = row;
            break;
        }
    return fail(error, "", "%ld err_code %d: %s", status, code ? code : error_code(error),
                json_value_chars(answer, "err_msg", error_sentence(error)));
}

static long
status_of(const http_client_t *self)
{
    long status = 0;
    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static bool
is_success(long status)
{
    return status >= 200 && status <= 299;
}

// Sends the prepared request; OK if the answer is a success.
static fallible
perform(http_client_t *self, const char *method)
{
    CURLcode result = curl_easy_perform(self->curl);
    if (result != CURLE_OK)
        return fail(ERR_UNAVAILABLE, "", "%s %s: %s", method, self->url.data,
                    self->reason[0] ? self->reason : curl_easy_strerror(result));
    return is_success(status_of(self)) ? OK : refused(self, status_of(self));
}

static void
add_body(http_client_t *self, const char *media_type, const struct buffer *body)
{
    char line[64];
    snprintf(line, sizeof line, "Content-Type: %s", media_type);
    add_header(self, line);
    add_header(self, "Expect:"); // large bodies go at once
    curl_easy_setopt(self->curl, CURLOPT_POSTFIELDS, body->data);
    curl_easy_setopt(self->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
}

// Names the prepared request, so that it can be sent again.
static void
add_key(http_client_t *self)
{
    enum { KEY_BYTES = 16 };
    unsigned char bytes[KEY_BYTES];
    char hex[2 * KEY_BYTES + 1], line[64];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(hex, sizeof hex, bytes, sizeof bytes);
    snprintf(line, sizeof line, "Idempotency-Key: %s", hex);
    add_header(self, line);
}

static bool
was_connected(const http_client_t *self)
{
    long request_bytes = 0;
    curl_easy_getinfo(self->curl, CURLINFO_REQUEST_SIZE, &request_bytes);
    return request_bytes > 0;
}

// Sends the prepared request, which has a key, until the server says what came of it. While its
// first try still runs there the answer is a conflict.
static fallible
perform_once(http_client_t *self)
{
    enum error error = perform(self, "POST");
    if (error != ERR_UNAVAILABLE || !was_connected(self))
        return error;
    for (int wait_ms = FIRST_WAIT_MS; wait_ms <= LAST_WAIT_MS; wait_ms *= 2) {
        nanosleep(&(struct timespec){wait_ms / 1000, wait_ms % 1000 * 1000000L}, NULL);
        buffer_clear(&self->answer);
        error = perform(self, "POST");
        if (error != ERR_UNAVAILABLE && error != ERR_CONFLICT)
            break;
    }
    return error;
}

fallible
http_client_post_once(http_client_t *self, const struct buffer *path, const struct buffer *body,
                      const struct json **ret_answer)
{
    prepare(self, "POST", path);
    if (body)
        add_body(self, "application/json", body);
    add_key(self);
    TRY(perform_once(self));
    return ret_answer ? parse_answer(self, ret_answer) : OK;
}

fallible
http_client_call(http_client_t *self, const char *method, const struct buffer *path,
                 const struct buffer *body, const struct json **ret_answer)
{
    prepare(self, method, path);
    if (body)
        add_body(self, "application/json", body);
    TRY(perform(self, method));
    return ret_answer ? parse_answer(self, ret_answer) : OK;
}

fallible
http_client_put(http_client_t *self, const struct buffer *path, const char *media_type,
                const struct buffer *body)
{
    prepare(self, "PUT", path);
    add_body(self, media_type, body);
    return perform(self, "PUT");
}

// Lets a transfer take any time, but not stand still.
static void
take_any_time(http_client_t *self)
{
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT_MS, 0L);
    curl_easy_setopt(self->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(self->curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
}

struct receiver {
    http_client_t *client;
    http_taker *take;
    void *context;
};

static size_t
take_part(char *data, size_t unit, size_t count, void *context)
{
    const struct receiver *self = context;
    if (!is_success(status_of(self->client)))
        return take_answer(data, unit, count, &self->client->answer);
    return self->take(self->context, data, unit * count) ? unit * count : 0;
}

static int
look_if_over(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
             curl_off_t up)
{
    const http_client_t *self = context;
    (void)down_total, (void)down, (void)up_total, (void)up;
    return self->is_over(self->over_context);
}

void
http_client_end_when(http_client_t *self, bool (*is_over)(void *context), void *context)
{
    self->is_over = is_over;
    self->over_context = context;
}

// Performs the prepared request. The body of a refusal is the answer, as of other requests.
static fallible
receive(http_client_t *self, http_taker *take, void *context)
{
    struct receiver receiver = {self, take, context};
    take_any_time(self);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take_part);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, &receiver);
    if (self->is_over) {
        curl_easy_setopt(self->curl, CURLOPT_XFERINFOFUNCTION, look_if_over);
        curl_easy_setopt(self->curl, CURLOPT_XFERINFODATA, self);
        curl_easy_setopt(self->curl, CURLOPT_NOPROGRESS, 0L);
    }
    return perform(self, "GET");
}

fallible
http_client_receive(http_client_t *self, const struct buffer *path, const char *media_type,
                    http_taker *take, void *context)
{
    char accept[64];
    prepare(self, "GET", path);
    snprintf(accept, sizeof accept, "Accept: %s", media_type);
    add_header(self, accept);
    return receive(self, take, context);
}

// Translates the progress of a transfer for the bar: bytes that were there before count.
struct meter {
    struct progress *progress;
    uint64_t before;
};

static int
show_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
              curl_off_t up)
{
    const struct meter *meter = context;
    curl_off_t total = up_total ? up_total : down_total;
    if (total > 0) {
        meter->progress->total = meter->before + (uint64_t)total;
        progress_at(meter->progress, meter->before + (uint64_t)(up_total ? up : down));
    }
    return 0;
}

static void
show_transfer(http_client_t *self, struct meter *meter)
{
    curl_easy_setopt(self->curl, CURLOPT_XFERINFOFUNCTION, show_progress);
    curl_easy_setopt(self->curl, CURLOPT_XFERINFODATA, meter);
    curl_easy_setopt(self->curl, CURLOPT_NOPROGRESS, 0L);
}

fallible
http_client_upload(http_client_t *self, const struct buffer *path, const struct http_upload *upload,
                   struct progress *progress)
{
    struct meter meter = {.progress = progress};
    prepare(self, "POST", path);
    take_any_time(self);
    show_transfer(self, &meter);
    curl_mime *form = curl_mime_init(self->curl);
    curl_mimepart *part = curl_mime_addpart(form);
    curl_mime_name(part, "file");
    if (upload->bytes)
        curl_mime_data(part, upload->bytes->data, upload->bytes->size);
    else
        curl_mime_filedata(part, upload->path);
    if (upload->name)
        curl_mime_filename(part, upload->name);
    if (upload->content_type)
        curl_mime_type(part, upload->content_type);
    curl_easy_setopt(self->curl, CURLOPT_MIMEPOST, form);
    add_key(self);
    enum error error = perform_once(self);
    curl_easy_setopt(self->curl, CURLOPT_MIMEPOST, NULL);
    curl_mime_free(form);
    return error;
}

// The file that receives an answer.
struct saver {
    http_client_t *client;
    struct http_download *download;
    bool has_begun;
};

// Prepares the file for the first byte of the answer: after the bytes that are there, or at the
// start.
static bool
begin_file(struct saver *self, long status)
{
    uint64_t from = 0;
    struct http_download *download = self->download;
    const char *range = http_client_header(self->client, "Content-Range");
    if (status == 206 &&
        (sscanf(range, "bytes %" SCNu64 "-", &from) != 1 || from != download->have))
        return false;
    self->has_begun = true;
    download->have = from;
    if (download->is_pipe || ftruncate(download->file, (off_t)from) == 0)
        return true;
    download->write_errno = errno;
    return false;
}

static bool
save_part(void *context, const char *data, size_t size)
{
    struct saver *self = context;
    struct http_download *download = self->download;
    size_t done = 0;
    if (!self->has_begun && !begin_file(self, status_of(self->client)))
        return false;
    while (done < size) {
        ssize_t written = download->is_pipe ? write(download->file, data + done, size - done)
                                            : pwrite(download->file, data + done, size - done,
                                                     (off_t)download->have);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            download->write_errno = errno;
            return false;
        }
        download->have += (uint64_t)written;
        done += (size_t)written;
    }
    return true;
}

fallible
http_client_download(http_client_t *self, const struct buffer *path, struct http_download *download,
                     struct progress *progress)
{
    struct meter meter = {.progress = progress, .before = download->have};
    struct saver saver = {.client = self, .download = download};
    char range[48];
    download->write_errno = 0;
    prepare(self, "GET", path);
    show_transfer(self, &meter);
    if (download->have) {
        snprintf(range, sizeof range, "Range: bytes=%" PRIu64 "-", download->have);
        add_header(self, range);
    }
    TRY(receive(self, save_part, &saver));
    bool is_whole = saver.has_begun || begin_file(&saver, 200); // no byte arrived: it is empty
    return is_whole ? OK : fail(ERR_UNAVAILABLE, "", "the file cannot be emptied");
}

const struct buffer *
http_client_answer(const http_client_t *self)
{
    return &self->answer;
}

const char *
http_client_header(http_client_t *self, const char *name)
{
    struct curl_header *header;
    return curl_easy_header(self->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
               ? header->value
               : "";
}
