// handshake.c - reads the head of the request, and answers (handshake.h).
#include "gateway/foxglove/handshake.h"

#include <czmq.h>
#include <sodium.h>
#include <strings.h>

#include "gateway/http/percent.h"

enum { KEY_BYTES = 16, KEY_CHARS = 24 }; // of Sec-WebSocket-Key

static const char *const protocols[] = {"foxglove.sdk.v1", "foxglove.websocket.v1"};

size_t
handshake_head_size(const char *data, size_t size)
{
    static const char end[] = "\r\n\r\n";
    const char *found = memmem(data, size, end, sizeof end - 1);
    return found ? (size_t)(found - data) + sizeof end - 1 : 0;
}

// --- HTTP ---

static fallible
malformed(const char *why)
{
    return fail(ERR_MALFORMED, "", "%s", why);
}

// Ends the line at `line` and returns the next one. The head ends in CR LF CR LF.
static char *
next_line(char *line)
{
    char *end = strstr(line, "\r\n");
    *end = '\0';
    return end + 2;
}

static fallible
read_request_line(char *line, struct http_request *request)
{
    char *path = strchr(line, ' '), *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || strcmp(version + 1, "HTTP/1.1") != 0 || path[1] != '/')
        return malformed("this is no request of HTTP/1.1");
    *path++ = '\0';
    *version = '\0';
    if (strcmp(line, "GET") != 0)
        return fail(ERR_METHOD, "", "a WebSocket is opened by GET");
    char *query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    *request = (struct http_request){
        .method = HTTP_GET, .minor = 1, .path = path, .query = query ? query : ""};
    return OK;
}

// A name that is no token is found by request_guard_check.
static fallible
read_field(char *line, struct http_request *request)
{
    char *colon = strchr(line, ':');
    if (!colon || colon == line || colon[-1] == ' ' || colon[-1] == '\t')
        return malformed("a line of the header is no field");
    if (request->header_count == HTTP_HEADERS_MAX - 2)
        return fail(ERR_HEADERS_TOO_LARGE, "", "these are too many header fields");
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t");
    for (size_t size = strlen(value); size && strchr(" \t", value[size - 1]); size--)
        value[size - 1] = '\0';
    request->headers[request->header_count++] = (struct http_header){line, value};
    return OK;
}

static fallible
read_head(char *head, size_t size, struct http_request *request)
{
    for (size_t i = 0; i < size; i++) {
        bool is_end = head[i] == '\r' && head[i + 1] == '\n';
        if ((unsigned char)head[i] < ' ' && head[i] != '\t' && !is_end &&
            !(head[i] == '\n' && i && head[i - 1] == '\r'))
            return malformed("the header has a control character");
    }
    head[size - 2] = '\0'; // of the empty line
    char *line = head, *next = next_line(line);
    TRY(read_request_line(line, request));
    for (line = next; *line; line = next) {
        next = next_line(line);
        TRY(read_field(line, request));
    }
    return OK;
}

// --- what is asked for ---

static bool
lists(const char *list, const char *item)
{
    for (const char *at = list; at && *at;) {
        at += strspn(at, ", \t");
        size_t size = strcspn(at, ", \t");
        if (size == strlen(item) && strncasecmp(at, item, size) == 0)
            return true;
        at += size;
    }
    return false;
}

// The value of the one field of this name; "" without it, or with several.
static const char *
only(const struct http_request *request, const char *name)
{
    return http_header_count(request, name) == 1 ? http_header(request, name) : "";
}

static bool
is_key(const char *key)
{
    unsigned char bytes[KEY_BYTES];
    size_t size;
    return strlen(key) == KEY_CHARS &&
           sodium_base642bin(bytes, sizeof bytes, key, KEY_CHARS, NULL, &size, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           size == KEY_BYTES;
}

static fallible
check_upgrade(struct arena *arena, const struct http_request *request)
{
    if (!lists(http_header_list(request, "Upgrade", arena), "websocket") ||
        !lists(http_header_list(request, "Connection", arena), "upgrade"))
        return malformed("here is a WebSocket for Foxglove: connect with ws://");
    if (strcmp(only(request, "Sec-WebSocket-Version"), "13") != 0)
        return malformed("Sec-WebSocket-Version must be 13");
    if (!is_key(only(request, "Sec-WebSocket-Key")))
        return malformed("Sec-WebSocket-Key must be 16 bytes in base64");
    return http_has_body(request) ? malformed("there must be no body") : OK;
}

static fallible
choose_protocol(struct arena *arena, struct handshake *asked)
{
    const char *offered = http_header_list(&asked->request, "Sec-WebSocket-Protocol", arena);
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        if (lists(offered, protocols[i])) {
            asked->protocol = protocols[i];
            return OK;
        }
    return fail(ERR_INVALID, "", "the sub-protocols are %s and %s", protocols[0], protocols[1]);
}

// RFC 6455, 4.2.2: the base64 of the SHA-1 of the key and these letters.
static void
make_accept(const char *key, char ret_accept[HANDSHAKE_ACCEPT_SIZE])
{
    static const char letters[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    zdigest_t *digest = zdigest_new();
    zdigest_update(digest, (const byte *)key, strlen(key));
    zdigest_update(digest, (const byte *)letters, sizeof letters - 1);
    sodium_bin2base64(ret_accept, HANDSHAKE_ACCEPT_SIZE, zdigest_data(digest), zdigest_size(digest),
                      sodium_base64_VARIANT_ORIGINAL);
    zdigest_destroy(&digest);
}

static fallible
read_scene(struct arena *arena, struct handshake *asked)
{
    const char *segment = asked->request.path + 1;
    if (!*segment)
        return OK;
    if (strchr(segment, '/'))
        return fail(ERR_NOT_FOUND, "", "the path is /{scene}, or / for all");
    return percent_decode(arena, segment, strlen(segment), PERCENT_PATH, &asked->scene);
}

// Takes `token` out of the query string, as if the client had sent Authorization.
static fallible
read_token(struct arena *arena, struct handshake *asked)
{
    static const char name[] = "token=";
    struct http_request *request = &asked->request;
    const struct text *token;
    for (const char *at = request->query; *at; at += *at == '&') {
        size_t size = strcspn(at, "&");
        if (size >= sizeof name - 1 && strncmp(at, name, sizeof name - 1) == 0) {
            TRY(percent_decode(arena, at + sizeof name - 1, size - sizeof name + 1, PERCENT_QUERY,
                               &token));
            const struct text *bearer = text_format(arena, "Bearer %s", text_chars(token));
            asked->bearer = text_chars(bearer);
        }
        at += size;
    }
    request->query = "";
    if (asked->bearer && !http_header(request, "Authorization"))
        request->headers[request->header_count++] =
            (struct http_header){"Authorization", asked->bearer};
    return OK;
}

fallible
handshake_read(struct arena *arena, char *head, size_t size, struct handshake *ret_asked)
{
    *ret_asked = (struct handshake){0};
    TRY(read_head(head, size, &ret_asked->request));
    TRY(check_upgrade(arena, &ret_asked->request));
    TRY(choose_protocol(arena, ret_asked));
    TRY(read_scene(arena, ret_asked));
    TRY(read_token(arena, ret_asked));
    make_accept(http_header(&ret_asked->request, "Sec-WebSocket-Key"), ret_asked->accept);
    return OK;
}

// --- answers ---

void
handshake_put_accepted(const struct handshake *asked, struct buffer *out)
{
    buffer_put_format(out,
                      "HTTP/1.1 101 Switching Protocols\r\n"
                      "Upgrade: websocket\r\n"
                      "Connection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n"
                      "Sec-WebSocket-Protocol: %s\r\n\r\n",
                      asked->accept, asked->protocol);
}

void
handshake_put_refused(enum error error, const char *detail, struct buffer *out)
{
    buffer_put_format(out,
                      "HTTP/1.1 %d Refused\r\n"
                      "Content-Type: text/plain; charset=utf-8\r\n"
                      "Content-Length: %zu\r\n"
                      "Connection: close\r\n\r\n%s\n",
                      error_status(error), strlen(detail) + 1, detail);
}
