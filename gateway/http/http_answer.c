// http_answer.c - heads, bodies and files of answers, written to civetweb's connection. Worker
// threads. Head and body leave in one mg_write: that is four times as fast as civetweb's own
// functions and saves a packet.
#define _GNU_SOURCE // strcasestr
#include "gateway/http/http_answer.h"

#include <assert.h>
#include <civetweb.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "gateway/http/header_fields.h"
#include "gateway/http/socket.h"
#include "proto/base/memory.h"
#include "proto/codec/json_text.h"

enum {
    FILE_SLICE_BYTES = 256 * 1024,
    KEPT_BYTES = 32768, // of a buffer between two requests: each of 512 workers keeps so much
};

void
http_answer_begin(struct http_answer *self)
{
    buffer_clear(&self->body);
    buffer_reserve(&self->body, HTTP_HEAD_ROOM);
    self->body.size = HTTP_HEAD_ROOM;
    buffer_clear(&self->head);
    buffer_clear(&self->location);
    buffer_clear(&self->disposition);
    buffer_clear(&self->warnings);
    // Only the buffers stay: nothing of one answer may show in the next.
    *self = (struct http_answer){
        .status = 200,
        .body = self->body,
        .head = self->head,
        .location = self->location,
        .disposition = self->disposition,
        .warnings = self->warnings,
        .file = {.descriptor = -1},
    };
}

void
http_answer_finish(struct http_answer *self)
{
    buffer_finish(&self->body);
    buffer_finish(&self->head);
    buffer_finish(&self->location);
    buffer_finish(&self->disposition);
    buffer_finish(&self->warnings);
}

void
http_answer_drop_file(struct http_answer *self)
{
    if (self->file.descriptor >= 0)
        close(self->file.descriptor);
    self->file.descriptor = -1;
    self->has_ranges = self->is_immutable = self->is_foreign = false;
    buffer_clear(&self->disposition);
}

void
http_answer_end(struct http_answer *self)
{
    http_answer_drop_file(self);
    buffer_rest(&self->body, KEPT_BYTES);
    buffer_rest(&self->head, KEPT_BYTES);
    buffer_rest(&self->location, KEPT_BYTES);
    buffer_rest(&self->disposition, KEPT_BYTES);
    buffer_rest(&self->warnings, KEPT_BYTES);
}

// The calendar in the form of RFC 9110, formatted once a second.
static const char *
date_now(void)
{
    static _Thread_local time_t last;
    static _Thread_local char date[32];
    time_t now = time(NULL);
    if (now != last) {
        struct tm parts;
        strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
        last = now;
    }
    return date;
}

// Whether the client wants to keep the connection.
static bool
client_keeps(const struct http_request *request)
{
    const char *wish = http_header(request, "Connection");
    if (request->minor == 0)
        return wish && strcasecmp(wish, "keep-alive") == 0;
    return !wish || !strcasestr(wish, "close");
}

static void
put_field(struct buffer *head, const char *name, const char *value)
{
    buffer_put_chars(head, name);
    buffer_put(head, ": ", 2);
    buffer_put_chars(head, value);
    buffer_put(head, "\r\n", 2);
}

static void
put_number(struct buffer *head, const char *name, int64_t value)
{
    buffer_put_chars(head, name);
    buffer_put(head, ": ", 2);
    json_put_integer(head, value);
    buffer_put(head, "\r\n", 2);
}

// A field whose value is in a buffer; none if that is empty.
static void
put_bytes(struct buffer *head, const char *name, const struct buffer *value)
{
    if (value->size == 0)
        return;
    buffer_put_chars(head, name);
    buffer_put(head, ": ", 2);
    buffer_put(head, value->data, value->size);
    buffer_put(head, "\r\n", 2);
}

static void
put_cors(struct buffer *head, const struct http_request *request, const struct http_answer *answer)
{
    // Whoever asks without an Origin (a picture of a page) must not get what a cache keeps into the
    // way of a script that asks with one.
    if (answer->has_origins)
        buffer_put_chars(head, "Vary: Origin\r\n");
    if (!answer->origin)
        return;
    buffer_put_format(head,
                      "Access-Control-Allow-Origin: %s\r\n"
                      "Access-Control-Allow-Credentials: true\r\n"
                      "Access-Control-Expose-Headers: ",
                      answer->origin);
    header_fields_put_names(head, false);
    buffer_put_chars(head, "\r\n");
    if (request->method != HTTP_OPTIONS)
        return;
    buffer_put_format(head,
                      "Access-Control-Allow-Methods: %s\r\nAccess-Control-Max-Age: 600\r\n"
                      "Access-Control-Allow-Headers: ",
                      answer->allow);
    header_fields_put_names(head, true);
    buffer_put_chars(head, "\r\n");
}

static int64_t
body_bytes(const struct http_answer *answer)
{
    return (int64_t)(answer->file.descriptor >= 0 ? answer->file.size
                                                  : answer->body.size - HTTP_HEAD_ROOM);
}

static const char *
cache_control(const struct http_answer *answer)
{
    if (answer->is_immutable)
        return answer->is_public ? "public, max-age=31536000, immutable"
                                 : "private, max-age=31536000, immutable";
    return answer->may_be_kept ? "private, no-cache" : "no-store";
}

// A file, or a part of one.
static void
put_file_head(struct buffer *head, const struct http_answer *answer)
{
    if (answer->has_ranges)
        buffer_put_chars(head, "Accept-Ranges: bytes\r\n");
    if (answer->content_range[0])
        buffer_put_format(head, "Content-Range: bytes %s\r\n", answer->content_range);
    put_bytes(head, "Content-Disposition", &answer->disposition);
}

// A page that does not say more may use its own style sheet and nothing else; a file of a client
// may do nothing in our name, whatever its type says.
static void
put_policy(struct buffer *head, const struct http_answer *answer)
{
    static const char html[] = "text/html";
    static const char strictest[] = "default-src 'none'; style-src 'self'; base-uri 'none'; "
                                    "form-action 'none'; frame-ancestors 'none'";
    const char *media_type = answer->media_type;
    if (answer->is_foreign)
        buffer_put_chars(head, "Content-Security-Policy: sandbox; default-src 'none'; "
                               "style-src 'unsafe-inline'; img-src data:\r\n");
    else if (media_type && strncmp(media_type, html, sizeof html - 1) == 0)
        buffer_put_format(head,
                          "Content-Security-Policy: %s\r\nReferrer-Policy: no-referrer\r\n"
                          "Cross-Origin-Opener-Policy: same-origin\r\n",
                          answer->policy ? answer->policy : strictest);
}

// Other bytes have another tag.
static void
put_tag(struct buffer *head, const struct http_answer *answer)
{
    const char *const parts[] = {answer->etag.variant, answer->coding};
    if (!answer->etag.chars[0])
        return;
    buffer_put_chars(head, "ETag: \"");
    buffer_put_chars(head, answer->etag.chars);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i]) {
            buffer_put_char(head, '-');
            buffer_put_chars(head, parts[i]);
        }
    buffer_put_chars(head, "\"\r\n");
}

// What the client and proxies may do with the body.
static void
put_body_head(struct buffer *head, const struct http_answer *answer)
{
    if (answer->media_type)
        put_field(head, "Content-Type", answer->media_type);
    if (answer->media_type && answer->coding)
        put_field(head, "Content-Encoding", answer->coding);
    if (answer->is_endless) // proxies must not collect it
        buffer_put_chars(head, "X-Accel-Buffering: no\r\n");
    else if (answer->status != 204 && answer->status != 304)
        put_number(head, "Content-Length", body_bytes(answer));
    put_tag(head, answer);
    if (answer->media_type || answer->token || answer->may_be_kept || answer->is_immutable)
        put_field(head, "Cache-Control", cache_control(answer));
    if (answer->is_negotiated)
        buffer_put_chars(head, "Vary: Accept-Encoding\r\n");
    put_policy(head, answer);
}

// The token: in a header for programs, in a cookie that scripts cannot read for browsers.
static void
put_session(struct buffer *head, const struct http_answer *answer)
{
    static const char flags[] = "; HttpOnly; SameSite=Lax; Path=/";
    const char *secure = answer->is_by_tls ? "; Secure" : "";
    if (answer->token && *answer->token)
        buffer_put_format(head, "Authorization: Bearer %s\r\nSet-Cookie: access_token=%s%s%s\r\n",
                          answer->token, answer->token, flags, secure);
    else if (answer->token)
        buffer_put_format(head, "Set-Cookie: access_token=; Max-Age=0%s%s\r\n", flags, secure);
}

static void
put_head(const struct mg_connection *connection, const struct http_request *request,
         struct http_answer *answer, bool close)
{
    struct buffer *head = &answer->head;
    buffer_put_chars(head, "HTTP/1.1 ");
    json_put_integer(head, answer->status);
    buffer_put_char(head, ' ');
    buffer_put_chars(head, mg_get_response_code_text(connection, answer->status));
    buffer_put(head, "\r\n", 2);
    put_field(head, "Date", date_now());
    if (answer->is_replayed)
        buffer_put_chars(head, "Idempotency-Replayed: true\r\n");
    put_bytes(head, "Diorama-Warnings", &answer->warnings);
    put_body_head(head, answer);
    put_file_head(head, answer);
    buffer_put_chars(head, "X-Content-Type-Options: nosniff\r\n");
    put_field(head, "X-Request-Id", answer->request_id);
    put_bytes(head, "Location", &answer->location);
    if (answer->allow[0])
        put_field(head, "Allow", answer->allow);
    if (answer->status == 401)
        buffer_put_chars(head, "WWW-Authenticate: Bearer\r\n");
    if (answer->retry_after_s)
        put_number(head, "Retry-After", answer->retry_after_s);
    put_session(head, answer);
    put_cors(head, request, answer);
    if (close)
        buffer_put_chars(head, "Connection: close\r\n");
    else if (request->minor == 0)
        buffer_put_chars(head, "Connection: keep-alive\r\n");
    buffer_put_chars(head, "\r\n");
}

// Copies the bytes of the file through memory, for connections whose socket is not known.
static bool
copy_file(struct mg_connection *connection, const struct http_file *file)
{
    char *bytes = memory_take(FILE_SLICE_BYTES);
    uint64_t at = 0;
    while (at < file->size) {
        size_t wanted =
            file->size - at < FILE_SLICE_BYTES ? (size_t)(file->size - at) : FILE_SLICE_BYTES;
        ssize_t got = pread(file->descriptor, bytes, wanted, (off_t)(file->first + at));
        if (got <= 0 || mg_write(connection, bytes, (size_t)got) != (int)got)
            break;
        at += (uint64_t)got;
    }
    free(bytes);
    return at == file->size;
}

static bool
send_file(struct mg_connection *connection, const struct http_file *file)
{
    return file->socket >= 0
               ? socket_send_file(file->socket, file->descriptor, file->first, file->size)
               : copy_file(connection, file);
}

void
http_answer_send(struct mg_connection *connection, const struct http_request *request,
                 struct http_answer *answer)
{
    bool close =
        answer->close || answer->is_endless || !request->body_read || !client_keeps(request);
    if (close)
        mg_disable_connection_keep_alive(connection);
    buffer_clear(&answer->head);
    put_head(connection, request, answer, close);
    // Only keys, ids and configured origins vary in it, and all of them are bounded.
    assert(answer->head.size <= HTTP_HEAD_ROOM);
    char *start = answer->body.data + HTTP_HEAD_ROOM - answer->head.size;
    memcpy(start, answer->head.data, answer->head.size);
    size_t size = answer->head.size;
    if (request->method != HTTP_HEAD)
        size += answer->body.size - HTTP_HEAD_ROOM;
    bool is_sent = mg_write(connection, start, size) == (int)size;
    if (request->method != HTTP_HEAD && answer->file.descriptor >= 0 &&
        !(is_sent && send_file(connection, &answer->file)))
        mg_disable_connection_keep_alive(connection); // tells the client that bytes are missing
}
